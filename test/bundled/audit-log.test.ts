// The audit log, in a conversation, and in the hands of somebody who wants another past.
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { hook } from "../engine.ts";
import { type Bundled, type BundledPlace, openBundled } from "./open.ts";

const folderOf = ({ opened }: Bundled) => join(opened.home, "audit");
const filesIn = (folder: string) => readdirSync(folder).toSorted().map((name) => join(folder, name));
const linesOf = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n");

/** Of the fields of all records those that are looked into. */
interface Written {
	readonly [field: string]: unknown;
	readonly result: { readonly sha256: string };
	readonly args: { readonly begins: string; readonly chars: number; readonly sha256: string };
}
const recordsOf = (file: string) => linesOf(file).map((line) => JSON.parse(line) as Written);
const audited = (more: Pick<BundledPlace, "approver"> = {}) => openBundled({ extensions: { "audit-log": undefined }, ...more });

test("every call is written down before it runs, and how it came out, in a file for its user alone", async () => {
	await using place = await audited();
	place.opened.runtime.engine.register([hook("tool.calling", "guard", ({ args }) => (args["command"] === "false-friend" ? { kind: "block", reason: "no" } : undefined), { extension: "strict" })]);
	await place.call("terminal", { command: "echo hello" });
	await place.call("terminal", { command: "false-friend" });
	await place.opened.runtime.engine.idle();
	const [file, ...others] = filesIn(folderOf(place));
	assert.deepEqual(others, []);
	assert.equal(statSync(file!).mode & 0o777, 0o600);
	const records = recordsOf(file!);
	assert.deepEqual(records.map(({ n, what, tool, status, blockedBy }) => [n, what, tool, status, blockedBy].filter((field) => field !== undefined)), [[1, "opened"], [2, "tool.calling", "terminal"], [3, "tool.called", "terminal", "ok"], [4, "tool.calling", "terminal"], [5, "tool.called", "terminal", "blocked", "strict#1"]]);
	assert.deepEqual(records[1]!.args, { command: "echo hello" });
	assert.match(records[2]!.result.sha256, /^[0-9a-f]{64}$/);
	assert.deepEqual(records.slice(1).map(({ previous }) => previous), records.slice(0, -1).map(({ hash }) => hash));
	assert.match((await place.type("/audit")).text, /tool\.calling {2}tool=terminal args=\{"command":"echo hello"\}\n.*tool\.called {2}tool=terminal status=ok/);
});

test("questions, answers, failures of hooks and sessions are written down", async () => {
	await using place = await audited({ approver: { ask: async () => ({ approved: true, by: "person" }) } });
	place.opened.runtime.engine.register([
		hook("tool.calling", "guard", () => ({ kind: "ask", reason: "Really?" }), { extension: "careful" }),
		hook("tool.called", "observe", () => assert.fail("broken"), { extension: "clumsy" }),
	]);
	await place.call("terminal", { command: "true" });
	await place.type("/new");
	await place.opened.runtime.engine.idle();
	const records = recordsOf(filesIn(folderOf(place))[0]!);
	const of = (what: string) => records.find((record) => record["what"] === what)!;
	assert.deepEqual(of("approval.requested")["reasons"], [{ hook: "careful#1", reason: "Really?" }]);
	assert.deepEqual([of("approval.resolved")["approved"], of("approval.resolved")["by"], of("approval.resolved")["approvalId"]], [true, "person", of("approval.requested")["approvalId"]]);
	assert.deepEqual([of("hook.failed")["hook"], of("hook.failed")["event"]], ["clumsy#1", "tool.called"]);
	assert.equal(of("session.ended")["reason"], "reset");
	assert.equal(of("session.started")["resumed"], false);
});

test("what cannot be written down does not run", async () => {
	await using place = await audited();
	place.write("../home/audit", "a file where the folder should be");
	assert.match(await place.call("terminal", { command: "touch made" }), /Blocked by audit-log\/record.*(?:EEXIST|ENOTDIR)/);
	assert.ok(!existsSync(join(place.opened.work, "made")));
});

test("when its file is removed while it is written to, nothing runs any more", async () => {
	await using place = await audited();
	await place.call("terminal", { command: "touch first" });
	rmSync(filesIn(folderOf(place))[0]!);
	assert.match(await place.call("terminal", { command: "touch second" }), /The audit log of this process was removed/);
	assert.deepEqual(readdirSync(place.opened.work), ["first"]);
});

test("arguments that are long are written down by their beginning and their hash", async () => {
	await using place = await audited();
	await place.call("write_file", { path: "a.txt", content: "x".repeat(20_000) });
	const { args } = recordsOf(filesIn(folderOf(place))[0]!)[1]!;
	assert.deepEqual([args.begins.length, args.chars > 20_000, args.sha256.length], [1000, true, 64]);
});

test("a mistake in its settings lets nothing start", async () => {
	await assert.rejects(openBundled({ extensions: { "audit-log": { foldr: "/projects/a" } } }), /'audit-log' is required.*foldr/);
	await assert.rejects(openBundled({ extensions: { "audit-log": { folder: "audit" } } }), /'folder' must be an absolute path, and is "audit"/);
});

/** Three files: two processes that ended as they should, and this one. */
async function threeFiles(): Promise<{ readonly place: Bundled; readonly files: readonly string[] } & AsyncDisposable> {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-audit-")));
	const folder = join(root, "audit");
	const openOne = () => openBundled({ extensions: { "audit-log": { folder } } });
	for (const command of ["echo one", "echo two"]) {
		await using place = await openOne();
		await place.call("terminal", { command });
		await place.opened.runtime.engine.idle();
	}
	const place = await openOne();
	await place.call("terminal", { command: "echo three" });
	await place.opened.runtime.engine.idle();
	return {
		place,
		files: filesIn(folder),
		async [Symbol.asyncDispose]() {
			await place[Symbol.asyncDispose]();
			rmSync(root, { recursive: true, force: true });
		},
	};
}

test("a log nobody touched is whole, and says which file is still open", async () => {
	await using made = await threeFiles();
	const { text, worked } = await made.place.type("/audit verify");
	assert.equal(worked, true, text);
	assert.match(text, /^The audit log is whole: \d+ records in 3 files of .*\n\S+\.jsonl:3: still open: it is that of this process\.$/);
});

const forge = (change: (lines: string[]) => void) => (files: readonly string[]) => {
	const lines = linesOf(files[0]!);
	change(lines);
	writeFileSync(files[0]!, lines.map((line) => `${line}\n`).join(""));
};

/** What somebody does to the three files, and what is said then; `0:2` is line 2 of the first. */
const forgeries: readonly (readonly [sentence: string, act: (files: readonly string[]) => void, expected: RegExp])[] = [
	["a changed record", forge((lines) => (lines[1] = lines[1]!.replace("echo one", "echo uno"))), /0:2: record 2 was changed: its hash is that of another text\./],
	["a removed record", forge((lines) => lines.splice(1, 1)), /0:2: is record 3, and record 2 belongs here: one was removed, inserted or moved\./],
	["an inserted record", forge((lines) => lines.splice(2, 0, lines[1]!)), /0:3: is record 2, and record 3 belongs here/],
	["records in another order", forge((lines) => lines.splice(1, 2, lines[2]!, lines[1]!)), /0:2: is record 3, and record 2 belongs here/],
	["a line that is no record", forge((lines) => (lines[1] = "{}")), /0:2: is no record: it was changed\./],
	["a removed beginning", forge((lines) => lines.shift()), /0:1: is record 2, and record 1 belongs here/],
	["a record behind the last", forge((lines) => lines.push(lines.at(-1)!)), /0:5: is record 4, and record 5 belongs here/],
	["a cut end", forge((lines) => lines.pop()), /1:1: follows record 4 of .*, which has no such record any more: it was cut off or changed\.\n.*0:3: has no closing record: it is still open, its process was killed, or its end was cut off\./],
	["half a record at the end", (files) => writeFileSync(files[0]!, readFileSync(files[0]!).subarray(0, -20)), /0:4: ends in the middle of a record: it was cut off\./],
	["an empty file", (files) => writeFileSync(files[0]!, ""), /0:1: is empty: all of it was cut off\.\n.*1:1: follows record 4/],
	["a removed file", (files) => rmSync(files[1]!), /2:1: follows \S+, which is not there: it was removed\./],
	["the first file removed", (files) => rmSync(files[0]!), /1:1: follows \S+, which is not there: it was removed\./],
	["a file that is whole by itself in the place of another", (files) => copyFileSync(files[1]!, files[0]!), /1:1: follows record 4 of .*, which has no such record any more/],
];

for (const [sentence, act, expected] of forgeries) {
	test(`${sentence} is found, with file and line`, async () => {
		await using made = await threeFiles();
		act(made.files);
		const { text, worked } = await made.place.type("/audit verify");
		assert.equal(worked, false, text);
		const numbered = made.files.reduce((all, file, i) => all.replaceAll(file.split("/").at(-1)!, String(i)), text);
		assert.match(numbered, /^\/audit failed: the audit log was changed/);
		assert.match(numbered, expected);
	});
}
