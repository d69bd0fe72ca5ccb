// `hookline hooks …`: what is live, what it did, and why it did not.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { callTerminal, type Ended, extension, Place } from "./program.ts";

const place = new Place();
after(() => place[Symbol.asyncDispose]());
const hooks = (...args: readonly string[]): Promise<Ended> => place.run(["hooks", ...args]);
const json = async <Value>(...args: readonly string[]): Promise<Value> => JSON.parse((await hooks(...args, "--json")).stdout) as Value;

before(async () => {
	place.extension(
		"watch.ts",
		extension(`	hooks.guard("tool.calling", { name: "no-made", tool: "terminal", priority: 20, timeoutMs: 1500 }, (call) =>
		String(call.args["command"]).includes("made") ? block("No \\u001b[31mred\\u202e things.") : undefined);
	hooks.transform("tool.calling", { name: "files", tool: ["write_file", /patch/] }, () => undefined);
	hooks.observe("tool.called", { name: "told" }, () => undefined);
	hooks.transform("turn.starting", { name: "hello" }, (turn) => turn.text.includes("stop here") ? block("Not today.") : undefined);
	hooks.transform("turn.starting", { name: "later", priority: 200 }, () => undefined);`),
	);
	place.extension("broken.ts", "export default 1;\n");
	place.extension("sleeping.ts", extension(`hooks.guard("tool.calling", () => undefined);`));
	place.config("extensions:\n  sleeping:\n    enabled: false\n");
	await place.run(["run", callTerminal("touch made")]);
});

test("list: in a pipe a hook is a line with tabs; an extension that is not loaded makes the exit code 1", async () => {
	const { code, stdout, stderr } = await hooks("list");
	const rows = stdout.trimEnd().split("\n").map((line) => line.split("\t"));
	const file = join(place.home, "extensions/watch.ts");
	assert.deepEqual(rows.find(([id]) => id === "watch/no-made"), ["watch/no-made", "guard", "tool.calling", "tool terminal", "20", "inline", "1500 ms", `${file}:3`, "closed: the tool does not run and the model is told the reason"]);
	assert.deepEqual(rows.find(([id]) => id === "watch/files")?.slice(3, 5), ["tool write_file | /patch/", "100"]);
	assert.deepEqual(rows.find(([id]) => id === "watch/told")?.slice(1, 4), ["observe", "tool.called", "all"]);
	assert.deepEqual(rows.find(([id]) => id === "hookline/approvals")?.slice(1, 4), ["guard", "tool.calling", "tool terminal | write_file | patch"], "what is always there is shown as well");
	assert.equal(rows.length, 6);
	assert.ok(rows.every((row) => row.length === 9));
	assert.match(stderr, /The extension 'broken' is not loaded, and none of its hooks run: .*broken\.ts: its default export is 1, which was not made by defineExtension/);
	assert.equal(code, 1);
});

test("list --json is one JSON value with hooks and extensions", async () => {
	const { hooks: listed, extensions } = await json<{ hooks: { id: string; ifItFails: string }[]; extensions: { failed: { name: string }[]; disabled: string[]; loaded: { name: string; hooks: string[] }[] } }>("list");
	assert.deepEqual(listed.map(({ id }) => id).toSorted(), ["hookline/approvals", "watch/files", "watch/hello", "watch/later", "watch/no-made", "watch/told"]);
	assert.deepEqual(extensions.failed.map(({ name }) => name), ["broken"]);
	assert.deepEqual(extensions.disabled, ["sleeping"]);
	assert.deepEqual(extensions.loaded.map(({ name, hooks: own }) => [name, own.length]), [["watch", 5]]);
});

test("show: one hook with its place and its last run; a wrong name gets the nearest", async () => {
	const { code, stdout } = await hooks("show", "watch/no-made");
	assert.match(stdout, /^watch\/no-made\n {2}guard of tool\.calling: Before every tool call/);
	assert.match(stdout, /\n {2}where {7}\S+watch\.ts:3\n {2}last run {4}\d{4}-\S+Z: block, [\d.]+ ms\n$/);
	assert.equal(code, 0);
	const [shown] = await json<{ health: { failuresInARow: number } }[]>("show", "watch/no-made");
	assert.equal(shown?.health.failuresInARow, 0);
	const wrong = await hooks("show", "wacth/no-made");
	assert.match(wrong.stderr, /hookline: There is no hook 'wacth\/no-made'\. Did you mean 'watch\/no-made'\?/);
	assert.equal(wrong.code, 1);
});

test("events: every event with its kind and decisions, without loading anything", async () => {
	const { stdout, stderr } = await hooks("events");
	const rows = stdout.trimEnd().split("\n").map((line) => line.split("\t"));
	assert.deepEqual(rows.find(([name]) => name === "tool.calling")?.slice(0, 4), ["tool.calling", "about to happen", "rewrite, ask, allow, block", "30000 ms"]);
	assert.deepEqual(rows.find(([name]) => name === "tool.called")?.slice(1, 3), ["has happened", "-"]);
	assert.equal(rows.length, Object.keys(await json<object>("events")).length);
	assert.equal(stderr, "");
});

test("trace: what others wrote is made visible, not obeyed; filters narrow it; --json is one object a line", async () => {
	const { stdout } = await hooks("trace", "--event", "tool.calling");
	assert.match(stdout, /blocked by watch\/no-made: No \\u\{1b\}\[31mred\\u\{202e\} things\./);
	assert.doesNotMatch(stdout, /[\u001b\u202e]/);
	const all = await place.trace("--all");
	assert.deepEqual([...new Set(all.map(({ event }) => event))].toSorted(), ["tool.called", "tool.calling", "turn.starting"]);
	assert.deepEqual((await place.trace("--hook", "watch/told")).map(({ event }) => event), ["tool.called"]);
	const [session] = await place.sessions();
	assert.equal((await place.trace("--session", session?.id ?? "")).length, all.length);
	assert.deepEqual(await place.trace("--session", "nobody"), []);
	const wrong = await hooks("trace", "--event", "tool.caling");
	assert.match(wrong.stderr, /There is no event 'tool\.caling'\. Did you mean 'tool\.calling'\?/);
	assert.equal(wrong.code, 2);
	assert.equal((await hooks("trace", "--limit", "0")).code, 2);
});

test("explain: it ran; its matcher did not fit; it is of an extension that failed, or that is disabled", async () => {
	assert.match((await hooks("explain", "watch/no-made")).stdout, /^watch\/no-made at tool\.calling, last dispatched .*:\n {4}It ran\. It ran and answered block after [\d.]+ ms: No \\u\{1b\}\[31mred/);
	assert.match((await hooks("explain", "watch/files")).stdout, /It did not run\. Its matcher wants the tool 'write_file' or '\/patch\/', and this was 'terminal'\./);
	assert.match((await hooks("explain", "watch/told")).stdout, /It ran\./);
	const failed = await hooks("explain", "broken#1");
	assert.match(failed.stderr, /The hook 'broken#1' does not run: its extension is not loaded\. .*broken\.ts: its default export is 1/);
	assert.equal(failed.code, 1);
	const disabled = await hooks("explain", "sleeping");
	assert.match(disabled.stderr, /The hook 'sleeping' does not run: config\.yaml says extensions\.sleeping\.enabled: false\./);
	assert.equal(disabled.code, 1);
	const elsewhere = await hooks("explain", "watch/told", "--event", "tool.calling");
	assert.match(elsewhere.stderr, /watch\/told is not registered at tool\.calling/);
	assert.equal(elsewhere.code, 2);
});

test("explain: it was not reached, and it was not registered then", async () => {
	await place.run(["run", "stop here"]);
	const [reached] = await json<{ ran: boolean; why: string }[]>("explain", "watch/later");
	assert.deepEqual([reached?.ran, reached?.why], [false, "watch/hello answered block (Not today.), which ended the chain before it was reached."]);
	const file = place.extension("new.ts", extension(`hooks.guard("tool.calling", () => undefined); hooks.observe("session.reset", () => undefined);`));
	const [atCalling, atReset] = await json<{ ran: boolean; why: string }[]>("explain", "new");
	assert.match(atCalling?.why ?? "", /^It was not registered then/);
	assert.equal(atReset?.why, "session.reset was never dispatched while anything was hooked there.");
	writeFileSync(file, extension(""));
});

test("test: a sample, a payload, a payload from a file and from stdin go through the real hooks, and nothing runs", async () => {
	const sample = await hooks("test", "tool.calling");
	assert.match(sample.stdout, /tool\.calling terminal\b.*\n {4}watch\/no-made {2}guard {2}pass .*\n {4}hookline\/approvals {2}guard {2}pass .*\nOutcome: goes on\n$/);
	assert.equal(sample.code, 0);
	const payload = JSON.stringify({ args: { command: "touch made" } });
	const file = join(place.folder, "call.json");
	writeFileSync(file, payload);
	for (const [args, stdin] of [[["--payload", payload], ""], [["--payload-file", file], ""], [["--payload-file", "-"], payload]] as const) {
		const { code, stdout } = await place.run(["hooks", "test", "tool.calling", ...args], { stdin });
		assert.match(stdout, /Outcome: blocked by watch\/no-made: No \\u\{1b\}\[31mred\\u\{202e\} things\.\n$/);
		assert.equal(code, 0);
	}
	assert.ok(!place.made("made"));
	const { outcome } = await json<{ outcome: { kind: string; by: string } }>("test", "tool.calling", "--payload", payload);
	assert.deepEqual([outcome.kind, outcome.by], ["blocked", "watch/no-made"]);
	assert.match((await hooks("test", "tool.called")).stdout, /watch\/told {2}observe {2}told/);
	assert.match((await hooks("test", "command.running")).stdout, /^Nothing is hooked at command\.running\.\nOutcome: goes on\n$/);
});

const refused: readonly (readonly [args: readonly string[], says: RegExp])[] = [
	[["tool.caling"], /There is no event 'tool\.caling'\. Did you mean 'tool\.calling'\?/],
	[["tool.calling", "--payload", "{args"], /^hookline: The payload is not JSON: /m],
	[["tool.calling", "--payload", "[1]"], /The payload must be a JSON object/],
	[["tool.calling", "--payload-file", "nowhere.json"], /--payload-file nowhere\.json cannot be read: ENOENT/],
	[["tool.calling", "--payload", "{}", "--payload-file", "x"], /contradict each other/],
];
for (const [args, says] of refused) {
	test(`test ${args.join(" ")}: wrong usage`, async () => {
		const { code, stdout, stderr } = await hooks("test", ...args);
		assert.match(stderr, says);
		assert.doesNotMatch(stderr, /\n\s+at /);
		assert.deepEqual([code, stdout], [2, ""]);
	});
}

test("test: a hook that fails makes the exit code 1, and is named", async () => {
	await using fresh = new Place();
	fresh.extension("bad.ts", extension(`hooks.guard("tool.calling", () => { throw new Error("no idea"); });`));
	const { code, stdout } = await fresh.run(["hooks", "test", "tool.calling"]);
	assert.match(stdout, /bad#1 {2}guard {2}failed \(threw\) .*no idea/);
	assert.match(stdout, /Outcome: blocked by bad#1: Hook bad#1 failed \(threw\): .*no idea/);
	assert.equal(code, 1);
});

test("sessions: a line with tabs for each", async () => {
	const { stdout } = await place.run(["sessions"]);
	const [row] = stdout.trimEnd().split("\n").map((line) => line.split("\t"));
	assert.equal(row?.length, 8);
	assert.match(row?.[0] ?? "", /^\d{8}-\d{6}-\w{4}$/);
	await using fresh = new Place();
	assert.deepEqual(await fresh.run(["sessions"]), { code: 0, stdout: "", stderr: "There are no sessions yet.\n" });
	assert.deepEqual(await fresh.sessions(), []);
});
