// `hookline logs`, and what gets into the log: the program is run, and then asked what it remembers.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { callTerminal, extension, jsonLines, launcher, Place } from "./program.ts";

const secret = `sk-${"abcd1234".repeat(4)}`;
const gates = extension(`	hooks.guard("tool.calling", { name: "shaky" }, (call, context) => {
		context.log("judged \\u001b[31mred\\u001b[0m with ${secret}");
		if (String(call.args["command"]).includes("touch")) throw new Error("the list of rules is gone");
	});
	hooks.observe("tool.called", { name: "watch" }, () => { throw new Error("no ears"); });`);

const entry = (message: string, more: object = {}) => `${JSON.stringify({ at: Date.now(), level: "info", from: "gate/x", message, pid: 1, ...more })}\n`;

/** A log with these lines in it. */
function withLog(place: Place, text: string): string {
	mkdirSync(join(place.home, "logs"), { recursive: true });
	const file = join(place.home, "logs", "hookline.log");
	writeFileSync(file, text);
	return file;
}

describe("after a turn with a hook that fails", () => {
	const place = new Place();
	after(() => place[Symbol.asyncDispose]());
	before(async () => {
		place.extension("gate.ts", gates);
		place.extension("gatekeeper.ts", extension(`	hooks.observe("tool.called", { name: "w" }, (_, context) => context.log("another one"));`));
		await place.run(["run", callTerminal("touch made")]);
		await place.run(["run", callTerminal("true")]);
	});

	test("a line of a hook is information, a failure that blocks an error, one that passes a warning; the newest is last", async () => {
		const { code, stdout, stderr } = await place.run(["logs", "--hook", "gate"]);
		assert.deepEqual([code, stderr], [0, ""]);
		const lines = stdout.trimEnd().split("\n").map((line) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}(\w+) {1,6}(\S+) {2}(.*)$/.exec(line)?.slice(1) ?? line);
		const said = ["info", "gate/shaky", "judged \\u{1b}[31mred\\u{1b}[0m with [redacted]"];
		assert.deepEqual(lines.slice(0, 2), [said, ["error", "gate/shaky", "failed at tool.calling (threw): the list of rules is gone, which blocks it"]]);
		assert.deepEqual(lines.slice(-2), [said, ["warning", "gate/watch", "failed at tool.called (threw): no ears"]]);
		assert.doesNotMatch(readFileSync(join(place.home, "logs", "hookline.log"), "utf8"), /abcd1234/);
	});

	test("--level shows it and worse, --hook one hook or an extension, --limit the newest, --json the lines of the file", async () => {
		const messages = async (...args: readonly string[]) => jsonLines((await place.run(["logs", "--json", ...args])).stdout).map(({ level, from }) => `${String(level)} ${String(from)}`);
		assert.deepEqual([...new Set(await messages("--level", "error"))], ["error gate/shaky"]);
		assert.deepEqual(new Set(await messages("--level", "warning")), new Set(["error gate/shaky", "warning gate/watch"]));
		assert.deepEqual(new Set(await messages("--hook", "gate/watch")), new Set(["warning gate/watch"]));
		assert.ok((await messages("--hook", "gatekeeper")).every((line) => line === "info gatekeeper/w"));
		const every = await messages();
		assert.ok(every.includes("info gatekeeper/w"));
		assert.deepEqual(await messages("--limit", "2"), every.slice(-2));
		const file = join(place.home, "logs", "hookline.log");
		assert.equal((await place.run(["logs", "--json"])).stdout, readFileSync(file, "utf8"));
		assert.deepEqual([statSync(file).mode & 0o777, statSync(join(place.home, "logs")).mode & 0o777], [0o600, 0o700]);
	});

	test("a level or a limit that does not exist ends with a sentence and exit code 2", async () => {
		const level = await place.run(["logs", "--level", "warn"]);
		assert.deepEqual([level.code, level.stderr], [2, "hookline: There is no level 'warn'. Did you mean 'warning'? There are info, warning, error.\n"]);
		const limit = await place.run(["logs", "--limit", "0"]);
		assert.deepEqual([limit.code, limit.stderr], [2, "hookline: --limit must be a whole number from 1, not '0'.\n"]);
	});
});

test("a level may be written as Hermes Agent writes it, --since leaves out what is older, --grep what does not hold a text", async () => {
	await using place = new Place();
	const hourMs = 3600_000;
	withLog(place, entry("began", { from: "boot-md", at: Date.now() - 2 * hourMs }) + entry("Done", { from: "boot-md" }) + entry("other", { level: "warning" }));
	const messages = async (...args: readonly string[]) => jsonLines((await place.run(["logs", "--json", ...args])).stdout).map(({ message }) => message);
	assert.deepEqual(await messages("--level", "INFO"), ["began", "Done", "other"]);
	assert.deepEqual(await messages("--level", "Warning"), ["other"]);
	assert.deepEqual(await messages("--since", "1h"), ["Done", "other"]);
	assert.deepEqual(await messages("--since", new Date(Date.now() - 3 * hourMs).toISOString()), ["began", "Done", "other"]);
	assert.deepEqual(await messages("--grep", "BOOT-md", "--since", "1.5h"), ["Done"]);
	assert.deepEqual(await messages("--grep", "oth"), ["other"]);
	const { code, stderr } = await place.run(["logs", "--since", "yesterday"]);
	assert.deepEqual([code, stderr], [2, "hookline: --since takes a time ago such as 90s, 15m, 1h or 2d, or a date such as 2030-01-31T12:00, not 'yesterday'.\n"]);
});

test("logs --follow --level INFO | grep boot-md shows lines as they come, and ends with its reader", async () => {
	await using place = new Place();
	const file = withLog(place, entry("nothing of it"));
	const following = place.start([], { program: ["sh", "-c", `'${launcher}' logs --follow --level INFO | grep -m 1 boot-md`] });
	const writing = setInterval(() => appendFileSync(file, entry("one step", { from: "boot-md" })), 50);
	const { stdout } = await following.ended.finally(() => clearInterval(writing));
	assert.match(stdout, /^\S+ \S+ {2}info {5}boot-md {2}one step\n$/);
});

test("warnings of Hookline itself are kept as well, and those about an extension outside of any call are its own", async () => {
	await using place = new Place();
	place.extension("stray.ts", extension(`	hooks.guard("tool.calling", () => { setTimeout(() => { throw new Error("lost"); }, 0); return new Promise((resolve) => setTimeout(resolve, 200)); });`));
	place.extension("broken.ts", "throw new Error('no start');\n");
	const { stderr } = await place.run(["run", callTerminal("true")]);
	assert.match(stderr, /The extension 'stray' failed outside of any call/);
	const kept = jsonLines((await place.run(["logs", "--json", "--level", "warning"])).stdout).map(({ from, message }) => `${String(from)}: ${String(message)}`);
	assert.ok(kept.some((line) => line.startsWith("hookline: The extension 'broken' is not loaded")), kept.join("\n"));
	assert.ok(kept.some((line) => line.startsWith("stray: The extension 'stray' failed outside of any call")), kept.join("\n"));
});

test("no log yet: a note and exit code 0; a log that cannot be read: a sentence and exit code 1", async () => {
	await using place = new Place();
	const none = await place.run(["logs"]);
	assert.deepEqual([none.code, none.stdout, none.stderr], [0, "", "The log has no such line.\n"]);
	writeFileSync(join(place.home, "logs"), "no folder");
	const { code, stderr } = await place.run(["logs"]);
	assert.equal(code, 1);
	assert.match(stderr, /^hookline: The log .*hookline\.log cannot be read \(ENOTDIR: .*\)\.\n$/);
	await using other = new Place();
	mkdirSync(join(other.home, "logs", "hookline.log"), { recursive: true });
	const folder = await other.run(["logs", "--follow"]);
	assert.equal(folder.code, 1);
	assert.match(folder.stderr, /^hookline: The log .*hookline\.log cannot be read: it is no file\. Move it away; a new one is made\.\n$/);
});

test("a log that cannot be written: one warning, and the turn runs", async () => {
	await using place = new Place();
	place.extension("gate.ts", gates);
	writeFileSync(join(place.home, "logs"), "no folder");
	const { code, stdout, stderr } = await place.run(["run", callTerminal("true")]);
	assert.deepEqual([code, stdout], [0, "DONE\n"]);
	assert.equal(stderr.match(/hookline: The log .* cannot be written/g)?.length, 1, stderr);
});

test("--follow waits for the file, shows lines as they come, goes on when the file is moved, and ends on Ctrl-C with exit code 0", async () => {
	await using place = new Place();
	const following = place.start(["logs", "--follow", "--level", "warning", "--json"]);
	const file = withLog(place, entry("unseen") + entry("one", { level: "warning" }));
	await following.shows('"one"');
	appendFileSync(file, entry("two", { level: "error" }).slice(0, 20));
	appendFileSync(file, entry("two", { level: "error" }).slice(20));
	await following.shows('"two"');
	renameSync(file, `${file}.1`);
	appendFileSync(`${file}.1`, entry("three", { level: "error" }));
	writeFileSync(file, entry("four", { level: "error" }));
	await following.shows('"four"');
	following.signal("SIGINT");
	const { code, stdout, stderr } = await following.ended;
	assert.deepEqual([code, stderr], [0, ""]);
	assert.deepEqual(jsonLines(stdout).map(({ message }) => message), ["one", "two", "three", "four"]);
});

test("--follow begins with the last lines, hears another process, and ends when nobody reads", async () => {
	await using place = new Place();
	place.extension("gate.ts", gates);
	const file = withLog(place, entry("old") + entry("newer"));
	const following = place.start(["logs", "--follow", "--limit", "1"]);
	await following.shows("newer");
	await place.run(["run", callTerminal("true")]);
	await following.shows("failed at tool.called");
	assert.doesNotMatch(following.stdout, /old/);
	following.stopReading();
	appendFileSync(file, entry("nobody reads this"));
	assert.equal((await following.ended).code, 0);
});
