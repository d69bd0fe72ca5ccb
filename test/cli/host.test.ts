// Extensions that go wild. In a process of their own they hurt only themselves; inline, what nobody can catch is laid at their door.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { callTerminal, extension, fileWritten, Place } from "./program.ts";

const loop = (times: number) => `LOOP ${times} terminal {"command":"echo $i >> ran"}`;

/** A place with one extension named `wild`, in the node host. */
function wild(body: string): Place {
	const place = new Place();
	place.extension("wild.ts", extension(body));
	place.config("extensions:\n  wild: {host: node}\n");
	return place;
}

test("an endless loop in a guard of the node host: blocked at its time-out, named, and on hold after three; the turn ends normally", async () => {
	await using place = wild(`	hooks.guard("tool.calling", { name: "loop", timeoutMs: 300 }, () => { while (true); });`);
	const { code, stdout, stderr } = await place.run(["run", loop(8)]);
	assert.deepEqual([code, stdout], [0, "DONE\n"]);
	assert.ok(!place.made("ran"), "it is closed");
	assert.match(stderr, /wild\/loop.*failed at tool\.calling/);
	assert.match(stderr, /it is now on hold/);
	const records = await place.trace("--event", "tool.calling");
	const failures = records.flatMap(({ hooks }) => hooks).map(({ hook, failure }) => `${hook} ${failure}`);
	assert.equal(failures.length, 8);
	// A call that comes while the process is being replaced ends with it, and is not counted as the hook's own failure.
	const own = failures.filter((failure) => failure !== "wild/loop host-ended");
	assert.deepEqual(own.slice(0, 4), ["wild/loop timed-out", "wild/loop timed-out", "wild/loop timed-out", "wild/loop suspended"]);
	assert.ok(own.slice(3).every((failure) => failure === "wild/loop suspended"));
	assert.ok(records.every(({ outcome, by }) => outcome === "blocked" && by === "wild/loop"));
});

test("process.exit() in a transform of the node host: the turn ends normally, the tools run, the hook is on hold after three", async () => {
	await using place = wild(`	hooks.transform("tool.calling", { name: "exit" }, () => { process.exit(3); });`);
	const { code, stdout, stderr } = await place.run(["run", loop(5)]);
	assert.deepEqual([code, stdout], [0, "DONE\n"]);
	assert.equal(place.read("ran"), "0\n1\n2\n3\n4\n");
	assert.match(stderr, /wild/);
	const failures = (await place.trace("--event", "tool.calling")).flatMap(({ hooks }) => hooks).map(({ failure }) => failure);
	assert.deepEqual(failures, ["host-ended", "host-ended", "host-ended", "suspended", "suspended"]);
});

test("two gigabytes of garbage in a hook of the node host: the turn ends normally, the extension is named", { timeout: 120_000 }, async () => {
	await using place = wild(`	hooks.transform("tool.calling", { name: "greedy" }, () => { const all: number[][] = []; for (;;) all.push(new Array(1_000_000).fill(all.length + 0.5)); });`);
	const { code, stdout, stderr } = await place.run(["run", callTerminal("echo x >> ran")]);
	assert.deepEqual([code, stdout], [0, "DONE\n"]);
	assert.equal(place.read("ran"), "x\n");
	assert.match(stderr, /wild/);
	const [record] = await place.trace("--event", "tool.calling");
	assert.deepEqual(record?.hooks.map(({ hook, failure }) => [hook, failure]), [["wild/greedy", "host-ended"]]);
});

test("a good hook works in the node host as it does inline, and its process ends with ours", async () => {
	await using place = wild(`	hooks.transform("tool.calling", { tool: "terminal" }, (call) => rewrite({ ...call.args, command: call.args.command + " " + process.pid + " >> pid" }));
	hooks.guard("tool.calling", (call, context) => { context.log("seen"); console.log("printed"); return String(call.args.command).includes("forbidden") ? block("No.") : undefined; });`);
	const { code, stdout, stderr } = await place.run(["run", `SEQ\n${callTerminal("echo")}\n${callTerminal("echo forbidden")}`]);
	assert.deepEqual([code, stdout], [0, "DONE\n"]);
	assert.match(stderr, /\[wild#2\] seen/);
	assert.match(stderr, /printed/);
	const pids = (await fileWritten(`${place.work}/pid`)).split("\n").map(Number);
	assert.equal(pids.length, 1);
	await eventually(() => pids.every(isDead), "the host's process is gone");
});

test("a process that is killed leaves no host behind", async () => {
	await using place = wild(`	hooks.transform("tool.calling", (call) => rewrite({ ...call.args, command: "echo " + process.pid + " $$ > pids; exec sleep 60" }));`);
	const running = place.start(["run", callTerminal("true")]);
	const [host = 0, tool = 0] = (await fileWritten(`${place.work}/pids`)).split(" ").map(Number);
	assert.ok(!isDead(host));
	running.signal("SIGKILL");
	await running.ended;
	// Nobody is left to end the tool but us.
	process.kill(-tool, "SIGKILL");
	await eventually(() => isDead(host), "the host's process is gone");
});

test("a syntax error is reported for the node host as for the other, with file and line", async () => {
	await using place = wild(`\n	hooks.guard("tool.calling", () => {{ );`);
	const { code, stderr } = await place.run(["run", "SAY hi"]);
	assert.match(stderr, /The extension 'wild' is not loaded, and none of its hooks run: .*wild\.ts:4: /);
	assert.doesNotMatch(stderr, /\n\s+at /);
	assert.equal(code, 0);
});

test("inline: a promise nobody waits for and a throw in a timer are laid at the door of their extension, and the turn is fine", async () => {
	await using place = new Place();
	const file = place.extension(
		"stray.ts",
		extension(`	hooks.guard("tool.calling", () => {
		void Promise.reject(new Error("nobody waits for me"));
		setTimeout(() => {
			throw new TypeError("late");
		}, 5);
	});
	hooks.observe("extension.failed", (failure, context) => context.log(failure.extension + " " + failure.during + " " + failure.message));`),
	);
	const { code, stdout, stderr } = await place.run(["run", callTerminal("sleep 0.3; echo x > ran")]);
	assert.deepEqual([code, stdout], [0, "DONE\n"]);
	assert.equal(place.read("ran"), "x\n");
	assert.ok(stderr.includes(`hookline: The extension 'stray' failed outside of any call (${file}:4): nobody waits for me`), stderr);
	assert.match(stderr, /The extension 'stray' failed outside of any call \(.*stray\.ts:6\): .*late/);
	assert.match(stderr, /\[stray#2\] stray run .*late/);
});
