// A home that cannot be written, a disk that is full, a process that is killed, two processes on one session.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { callTerminal, extension, fileWritten, Place } from "./program.ts";

const mount = (...args: readonly string[]) => spawnSync("mount", args, { encoding: "utf8" });

/** Why no file system can be mounted here; undefined when it can. */
function whyNoMount(): string | undefined {
	if (process.platform !== "linux" || process.getuid?.() !== 0) return "that takes root on Linux";
	const place = new Place();
	const { error, status, stderr } = mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", place.work);
	if (status === 0) spawnSync("umount", [place.work]);
	rmSync(place.folder, { recursive: true });
	return status === 0 ? undefined : (error?.message ?? stderr.trim());
}
const why = whyNoMount();
const skip = why === undefined ? false : `no disk can be mounted here: ${why}`;

test("a file in the place of the home: the turn runs, a warning says what is lost", async () => {
	await using place = new Place();
	const file = join(place.folder, "file");
	writeFileSync(file, "no folder");
	const { code, stdout, stderr } = await place.run(["run", callTerminal("echo hi")], { env: { HOOKLINE_HOME: file } });
	assert.match(stderr, /^hookline: The home folder .*file cannot be made or used .*kept in memory only and are lost when Hookline ends\.\nhookline: No extension is loaded, and no hook runs: the folder of extensions cannot be read: ENOTDIR.*\n$/);
	assert.deepEqual([code, stdout], [0, "DONE\n"]);
	assert.equal(readFileSync(file, "utf8"), "no folder");
});

test("a home that is read-only: hooks run, the turn runs, a warning says what is lost", { skip }, async (t) => {
	await using place = new Place();
	place.extension("calm.ts", extension(`hooks.guard("tool.calling", { name: "calm" }, () => block("Nothing is made here."));`));
	mount("--bind", place.home, place.home);
	t.after(() => spawnSync("umount", [place.home]));
	mount("-o", "remount,bind,ro", place.home);
	const { code, stdout, stderr } = await place.run(["run", callTerminal("touch made")]);
	spawnSync("umount", [place.home]);
	assert.match(stderr, /read-only.*kept in memory only and are lost when Hookline ends\./);
	assert.deepEqual([code, stdout], [0, "DONE\n"]);
	assert.ok(!place.made("made"));
});

test("a disk that fills up: a sentence and exit code 1, no trace of a stack, and nothing runs of which no record could be kept", { skip }, async (t) => {
	await using place = new Place();
	mount("-t", "tmpfs", "-o", "size=600k", "tmpfs", place.home);
	t.after(() => spawnSync("umount", [place.home]));
	const first = await place.run(["run", "SAY hi"]);
	assert.equal(first.code, 0, first.stderr);
	const { code, stderr } = await place.run(["run", "--continue"], { stdin: `${callTerminal("touch made")}\n${"x".repeat(700_000)}` });
	assert.match(stderr, /hookline: .*[Dd]isk is full/);
	assert.doesNotMatch(stderr, /\n\s+at /);
	assert.equal(code, 1);
	assert.ok(!place.made("made"));
	spawnSync("umount", [place.home]);
});

test("two processes on one session: the second ends with a sentence and exit code 1, the first is fine", async () => {
	await using place = new Place();
	const first = place.start([]);
	first.write("SAY first\n");
	await first.shows("first\n");
	const [session] = await place.sessions();
	assert.ok(session?.inUseBy);
	const second = await place.run(["run", "--session", session.id, "SAY second"]);
	assert.match(second.stderr, new RegExp(`^hookline: Session ${session.id} is in use by process ${session.inUseBy.pid} on .* since .* UTC\\. End it there first, or start a new session\\.\n$`));
	assert.deepEqual([second.code, second.stdout], [1, ""]);
	first.write("SEEN first\n/quit\n");
	const { code, stdout } = await first.ended;
	assert.deepEqual([code, stdout], [0, "first\n2\n"]);
	assert.equal((await place.run(["run", "--session", session.id, "SEEN first"])).stdout, "3\n");
});

test("a process killed in the middle of a tool call: the session is listed, resumes, and the model is told of the call it lost", async () => {
	await using place = new Place();
	const running = place.start(["run", `PAR 2 terminal ${JSON.stringify({ command: "echo $$ > pid$i; exec sleep 60" })}`]);
	const pids = [Number(await fileWritten(`${place.work}/pid0`)), Number(await fileWritten(`${place.work}/pid1`))];
	running.signal("SIGKILL");
	assert.equal((await running.ended).code, "SIGKILL");
	// Nobody is left to end them but us.
	for (const pid of pids) if (!isDead(pid)) process.kill(-pid, "SIGKILL");
	await eventually(() => pids.every(isDead), "the commands of the killed process are gone");

	const [session] = await place.sessions();
	assert.ok(session);
	assert.equal(session.messages, 2);
	const resumed = await place.run(["run", "--session", session.id, "SEEN [No result: the program ended while this call was running."]);
	assert.deepEqual([resumed.stdout, resumed.code, resumed.stderr], ["2\n", 0, ""]);
	assert.equal((await place.run(["run", "--continue", "SEEN [No result: the program ended"])).stdout, "3\n", "they are closed once");
});
