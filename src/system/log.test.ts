import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { promisify } from "node:util";
import { type LogEntry, LogFile, logFiles } from "./log.ts";
import { LogLines } from "./log-lines.ts";

let home: string;
let problems: string[];
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "hookline-log-"));
	problems = [];
});
afterEach(() => rmSync(home, { recursive: true }));

const open = (maxBytes?: number) => new LogFile(home, { onProblem: (message) => void problems.push(message), ...(maxBytes !== undefined && { maxBytes }) });
const file = () => logFiles(home)[0]!;
const all = () => true;

function last(limit: number, wanted: (entry: LogEntry) => boolean = all): readonly string[] {
	using lines = new LogLines(home);
	return lines.last(limit, wanted).map(({ entry }) => entry.message);
}

test("a line says when, how bad, from whom, what and from which process; folder and file are the user's alone", () => {
	const before = Date.now();
	open().write("warning", "gate/no-sudo", "two\nlines");
	const { at, ...rest } = JSON.parse(readFileSync(file(), "utf8")) as LogEntry;
	assert.ok(at >= before && at <= Date.now());
	assert.deepEqual(rest, { level: "warning", from: "gate/no-sudo", message: "two\nlines", pid: process.pid });
	assert.deepEqual([statSync(file()).mode & 0o777, statSync(join(home, "logs")).mode & 0o777], [0o600, 0o700]);
	chmodSync(file(), 0o644);
	open().write("info", "x", "more");
	assert.equal(statSync(file()).mode & 0o777, 0o600, "a file that others could read is tightened");
});

test("nothing is made before there is something to say", () => {
	open();
	assert.deepEqual(readdirSync(home), []);
});

test("secrets are left out by their shape, also where a line is cut through one", () => {
	const secret = `sk-${"a1".repeat(2000)}`;
	open().write("info", "x", `key ${secret} end`);
	open().write("info", "x", "-".repeat(60 * 1024) + ` ${secret}`.repeat(3));
	open().write("info", "x", ` ${secret}`.repeat(30));
	// Half of an address has no shape that tells the password in it.
	open().write("info", "x", ` https://me:${"a1".repeat(2000)}@host`.repeat(30));
	assert.ok(readFileSync(file(), "utf8").includes('"key [redacted] end"'));
	assert.doesNotMatch(readFileSync(file(), "utf8"), /a1a1/);
});

test("a line of more than 64 KB is cut, with a note, whatever its characters weigh", () => {
	for (const character of ["x", "€", "\u0001", "😀"]) open().write("info", "x", character.repeat(70_000));
	const lines = readFileSync(file(), "utf8").trimEnd().split("\n");
	assert.equal(lines.length, 4);
	for (const line of lines) {
		assert.ok(Buffer.byteLength(line) < 64 * 1024);
		assert.match((JSON.parse(line) as LogEntry).message, /… \[cut: (?:70000|140000) characters\]$/);
	}
});

test("a full file is moved, three of them are kept, and the last lines are found across them, the newest last", () => {
	const log = open(500);
	for (let i = 0; i < 60; i++) log.write("info", "x", `line ${i}`);
	assert.deepEqual(readdirSync(join(home, "logs")).toSorted(), ["hookline.log", "hookline.log.1", "hookline.log.2", "hookline.log.3"].slice(existsSync(file()) ? 0 : 1));
	for (const path of logFiles(home)) if (existsSync(path)) assert.ok(statSync(path).size < 1000, path);
	assert.deepEqual(last(12), Array.from({ length: 12 }, (_, i) => `line ${48 + i}`));
	assert.deepEqual(last(100, ({ message }) => /[05]$/.test(message)).at(-2), "line 50");
	assert.deepEqual(problems, []);
});

test("several processes write and move at once: each line is whole, and none is lost while there is room", async () => {
	const lines = 150;
	const program = `import { LogFile } from ${JSON.stringify(join(import.meta.dirname, "log.ts"))};
const log = new LogFile(${JSON.stringify(home)}, { maxBytes: 20_000, onProblem: (message) => { console.error(message); process.exit(1); } });
for (let i = 0; i < ${lines}; i++) log.write("info", process.argv[1], "n".repeat(20) + i);`;
	const started = ["a", "b", "c"].map((name) => promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program, name]));
	for (const { stderr } of await Promise.all(started)) assert.equal(stderr, "");
	using read = new LogLines(home);
	const found = read.last(10_000, all);
	assert.equal(found.length, 3 * lines);
	for (const name of ["a", "b", "c"]) assert.equal(new Set(found.filter(({ entry }) => entry.from === name).map(({ entry }) => entry.message)).size, lines);
	assert.ok(existsSync(logFiles(home)[1]!), "it was moved at least once");
});

test("a lock left by a process that died is nobody's after a while, and until then the file goes on", () => {
	const lock = join(home, "logs", ".moving");
	mkdirSync(join(home, "logs"));
	writeFileSync(lock, "");
	const log = open(100);
	log.write("info", "x", "y".repeat(100));
	log.write("info", "x", "z");
	assert.equal(readFileSync(file(), "utf8").split("\n").length, 3);
	utimesSync(lock, 1, 1);
	log.write("info", "x", "frees the lock");
	log.write("info", "x", "moves the file");
	assert.ok(!existsSync(lock));
	assert.ok(existsSync(logFiles(home)[1]!));
	assert.deepEqual(last(2), ["frees the lock", "moves the file"]);
});

test("a log that cannot be written is told once, with what to do; no home at all is not the log's to tell", () => {
	writeFileSync(join(home, "logs"), "no folder");
	const log = open();
	log.write("info", "x", "a");
	log.write("info", "x", "b");
	assert.equal(problems.length, 1);
	assert.match(problems[0]!, /^The log .*logs\/hookline\.log cannot be written \(ENOTDIR.*\)\. Make it and its folder writable; until then what hooks say is not kept\.$/);
	new LogFile(join(home, "logs"), { onProblem: (message) => void problems.push(message) }).write("info", "x", "a");
	new LogFile(join(home, "none"), { onProblem: (message) => void problems.push(message) }).write("info", "x", "a");
	assert.equal(problems.length, 1);
});

test("what is no line of ours, or only half of one, is left out", () => {
	open().write("info", "x", "first");
	writeFileSync(file(), '{"at":1,"lev\nnull\n[]\n{"at":1,"level":"loud","from":"x","message":"m","pid":1}\n\n', { flag: "a" });
	open().write("info", "x", "last");
	writeFileSync(file(), '{"at":1,"level":"info","from":"x","mess', { flag: "a" });
	assert.deepEqual(last(10), ["first", "last"]);
});

test("news: from no file on, across files that are moved, and through one that is emptied", () => {
	using lines = new LogLines(home);
	const heard: string[] = [];
	const listen = () => heard.push(...lines.news().map(({ entry }) => entry.message));
	assert.deepEqual(lines.last(10, all), []);
	listen();
	const log = open(300);
	const wrote = Array.from({ length: 40 }, (_, i) => `line ${i}`);
	for (const [i, message] of wrote.entries()) {
		log.write("info", "x", message);
		// Sometimes more than one file is filled between two looks.
		if (i % 5 === 0 || i < 5) listen();
	}
	listen();
	listen();
	assert.deepEqual(heard, wrote);
	const calm = open();
	calm.write("info", "x", "before");
	listen();
	listen();
	truncateSync(file());
	listen();
	calm.write("info", "x", "after");
	listen();
	assert.deepEqual(heard.slice(-2), ["before", "after"]);
});

test("news: a line that was on its way while the file was moved comes before those of the next file", () => {
	const log = open();
	log.write("info", "x", "first");
	using lines = new LogLines(home);
	assert.equal(lines.last(10, all).length, 1);
	const moved = logFiles(home)[1]!;
	renameSync(file(), moved);
	log.write("info", "x", "in the next file");
	assert.deepEqual(lines.news(), []);
	writeFileSync(moved, readFileSync(moved, "utf8").replace("first", "late"), { flag: "a" });
	assert.deepEqual(lines.news().map(({ entry }) => entry.message), ["late", "in the next file"]);
});
