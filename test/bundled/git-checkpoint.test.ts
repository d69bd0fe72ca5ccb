// Checkpoints, in real repositories, beside what is the person's own in them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noUi, type Ui } from "../../src/events/ui.ts";
import { type Bundled, openBundled } from "./open.ts";

function git({ opened: { work } }: Bundled, ...args: readonly string[]): string {
	const { status, stdout, stderr } = spawnSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: work, encoding: "utf8" });
	assert.equal(status, 0, `git ${args.join(" ")}: ${stderr}`);
	return stdout.trimEnd();
}

async function checkpointed({ config = {}, ui }: { readonly config?: Readonly<Record<string, unknown>>; readonly ui?: Ui } = {}): Promise<Bundled> {
	const place = await openBundled({ extensions: { "git-checkpoint": config }, ...(ui && { ui }) });
	git(place, "init", "-q", "-b", "main");
	place.write(".gitignore", "ignored/\n");
	place.write("a.txt", "one\n");
	place.write("sub/b.txt", "one\n");
	git(place, "add", ".");
	git(place, "commit", "-qm", "first");
	return place;
}

const read = ({ opened }: Bundled, path: string) => readFileSync(join(opened.work, path), "utf8");
const write = (place: Bundled, path: string, content: string) => place.call("write_file", { path, content });
/** All of the repository that is the person's own. */
const own = (place: Bundled) => [git(place, "rev-parse", "HEAD"), git(place, "symbolic-ref", "HEAD"), git(place, "for-each-ref", "refs/heads", "refs/tags", "refs/stash"), git(place, "ls-files", "--stage"), git(place, "status", "--porcelain")];

test("before each changing step the files are kept, the untracked too, and come back", async () => {
	await using place = await checkpointed();
	place.write("untracked.txt", "mine\n");
	place.write("ignored/big", "x");
	await write(place, "a.txt", "two\n");
	await place.call("terminal", { command: "rm untracked.txt sub/b.txt && echo three > a.txt && echo new > new.txt && echo y > ignored/big" });
	const { text } = await place.type("/checkpoints");
	assert.match(text, /^ {2}1 {2}\d\d:\d\d:\d\d {2}before terminal rm untracked\.txt .*\n {2}2 {2}\d\d:\d\d:\d\d {2}before write_file a\.txt$/);
	assert.deepEqual(await place.type("/undo 2 --yes"), { text: "4 files changed to what was there before 'write_file a.txt'. /undo takes that back.", worked: true });
	assert.deepEqual([read(place, "a.txt"), read(place, "untracked.txt"), read(place, "sub/b.txt"), existsSync(join(place.opened.work, "new.txt")), read(place, "ignored/big")], ["one\n", "mine\n", "one\n", false, "y\n"]);
	await place.type("/undo --yes");
	assert.deepEqual([read(place, "a.txt"), read(place, "new.txt"), existsSync(join(place.opened.work, "sub/b.txt"))], ["three\n", "new\n", false]);
});

test("index, branch, HEAD, stash and hooks of the repository are left alone", async () => {
	await using place = await checkpointed();
	for (const name of ["pre-commit", "reference-transaction", "post-index-change", "post-checkout"]) chmodSync(place.write(`.git/hooks/${name}`, `#!/bin/sh\ntouch "$PWD/hook-ran"\n`), 0o755);
	place.write("a.txt", "staged\n");
	spawnSync("git", ["-c", "core.hooksPath=/dev/null", "add", "a.txt"], { cwd: place.opened.work });
	place.write("a.txt", "staged and more\n");
	git(place, "config", "core.hooksPath", ".git/hooks");
	const before = own(place);
	rmSync(join(place.opened.work, "hook-ran"), { force: true });
	await write(place, "new.txt", "x");
	await place.type("/undo --yes");
	assert.ok(!existsSync(join(place.opened.work, "hook-ran")));
	assert.deepEqual(own(place), before);
	assert.equal(git(place, "diff", "--cached", "--name-only"), "a.txt");
});

test("a step that changes nothing makes no second checkpoint, and one that is refused makes none", async () => {
	await using place = await checkpointed();
	for (const command of ["true", "ls"]) await place.call("terminal", { command });
	assert.equal((await place.type("/checkpoints")).text.split("\n").length, 1);
	assert.deepEqual(await place.type("/undo --yes"), { text: "/undo failed: the files are as they were at the first checkpoint.", worked: false });
	place.write("a.txt", "by hand\n");
	assert.match(await place.call("terminal", { command: "rm -rf /" }), /Blocked/);
	assert.equal((await place.type("/checkpoints")).text.split("\n").length, 1);
});

test("an undo is asked about where somebody is, and refused where nobody is", async () => {
	const asked: string[] = [];
	let answer = false;
	const ui: Ui = { ...noUi, can: (part) => part === "confirm", confirm: async (title, text) => (asked.push(`${title}\n${text}`), answer) };
	await using place = await checkpointed({ ui });
	await write(place, "a.txt", "two\n");
	assert.equal((await place.type("/undo")).text, "Nothing was changed.");
	assert.equal(read(place, "a.txt"), "two\n");
	answer = true;
	await place.type("/undo");
	assert.equal(read(place, "a.txt"), "one\n");
	assert.deepEqual(asked[0], "Bring back what was there before 'write_file a.txt'? 1 file will change.\nM\ta.txt");

	await using alone = await checkpointed();
	await write(alone, "a.txt", "two\n");
	assert.deepEqual(await alone.type("/undo 1"), { text: "/undo failed: nobody can be asked here. '/undo 1 --yes' does it without.", worked: false });
	assert.equal(read(alone, "a.txt"), "two\n");
	for (const args of ["x", "0", "1 2"]) assert.match((await alone.type(`/undo ${args}`)).text, /it is \/undo, \/undo 3 or \/undo 3 --yes/);
	assert.match((await alone.type("/undo 7 --yes")).text, /there are 1 checkpoints in this session, and no 7/);
});

test("what is ignored is never overwritten by an undo", async () => {
	await using place = await checkpointed();
	place.write("later", "kept\n");
	await place.call("terminal", { command: "rm later && echo later >> .gitignore" });
	await write(place, "a.txt", "two\n");
	place.write("later", "precious\n");
	const { worked, text } = await place.type("/undo 2 --yes");
	assert.equal(worked, false, text);
	assert.equal(text, "/undo failed: later is ignored, so it is in no checkpoint, and it would be overwritten. Move it away first; nothing was changed.");
	assert.equal(read(place, "later"), "precious\n");
	assert.match(read(place, ".gitignore"), /later/);
});

test("a repository without a commit is one, and so is one around the working folder", async () => {
	await using place = await openBundled({ extensions: { "git-checkpoint": undefined } });
	git(place, "init", "-q", "..");
	place.write("../.gitignore", "home/\n");
	place.write("../beside.txt", "one\n");
	await write(place, "a.txt", "one\n");
	await place.call("terminal", { command: "echo two > a.txt; echo two > ../beside.txt" });
	await place.type("/undo --yes");
	assert.deepEqual([read(place, "a.txt"), read(place, "../beside.txt")], ["one\n", "one\n"]);
	assert.equal(git(place, "ls-files", ".."), "");
});

test("without a repository nothing is done, and that is said once in the log", async () => {
	await using place = await openBundled({ extensions: { "git-checkpoint": undefined } });
	for (const content of ["one", "two"]) await write(place, "a.txt", content);
	assert.equal(read(place, "a.txt"), "two");
	assert.deepEqual(place.log, [`git-checkpoint: ${place.opened.work} is in no git repository. There are no checkpoints.`]);
	assert.deepEqual(readdirSync(place.opened.work), ["a.txt"]);
	assert.match((await place.type("/checkpoints")).text, /is in no git repository/);
});

test("a repository that takes too long, or that git cannot read, holds nothing up, and that is said", async () => {
	await using place = await checkpointed({ config: { time_limit_s: 0.001 } });
	for (const content of ["two\n", "three\n"]) await write(place, "a.txt", content);
	assert.equal(read(place, "a.txt"), "three\n");
	assert.equal(place.log.length, 1, place.log.join("\n"));
	assert.match(place.log[0]!, /No checkpoint could be made in \S+ within 0\.001 s; no more are tried: 'git' was still running/);

	await using broken = await checkpointed();
	writeFileSync(join(broken.opened.work, ".git/index"), "no index");
	await write(broken, "a.txt", "two\n");
	assert.equal(read(broken, "a.txt"), "two\n");
	assert.match(broken.log.join("\n"), /No checkpoint could be made in \S+: git add: fatal: /);
});
