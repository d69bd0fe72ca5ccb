import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { eventually } from "../../system/test-waiting.ts";
import { approvedFolder } from "./copy.ts";
import { allowListFile } from "./record.ts";
import { ConsentPlace } from "./test-hook.ts";

let place: ConsentPlace;
beforeEach(() => void (place = new ConsentPlace()));
afterEach(() => place[Symbol.dispose]());

const script = "#!/bin/sh\necho good\n";

async function reasonOf(consent: ReturnType<ConsentPlace["consent"]>, hook: ReturnType<ConsentPlace["hook"]>): Promise<string> {
	const consented = await consent.for(hook, place.folder);
	assert.equal(consented.kind, "unapproved");
	return consented.kind === "unapproved" ? consented.reason : "";
}

test("nothing runs before somebody said yes; then a private copy runs, with the interpreter that was approved", async () => {
	const file = place.file("guard.sh", script);
	const hook = place.hook([file, "--strict"]);
	const consent = place.consent();
	assert.equal(await reasonOf(consent, hook), `The hook shell/1 (${file} --strict) is not approved: nobody has said yes to it. 'hookline hooks allow shell/1' shows it and asks.`);
	await place.approve(hook);
	const consented = await consent.for(hook, place.folder);
	assert.ok(consented.kind === "approved");
	assert.equal(consented.file, "/bin/sh");
	assert.equal(consented.args.length, 2);
	assert.equal(consented.args[1], "--strict");
	const copy = consented.args[0]!;
	assert.ok(copy.startsWith(`${approvedFolder(place.home)}/`) && basename(copy) === "guard.sh", copy);
	assert.equal(readFileSync(copy, "utf8"), script);
	assert.deepEqual([statSync(approvedFolder(place.home)).mode & 0o777, statSync(dirname(copy)).mode & 0o777, statSync(copy).mode & 0o777], [0o700, 0o700, 0o500]);
	assert.equal(statSync(allowListFile(place.home)).mode & 0o777, 0o600);
});

test("an edited script is noticed at the next call, in a process that runs, also when its size and times are as before", async () => {
	const file = place.file("guard.sh", script);
	const hook = place.hook([file]);
	const consent = place.consent();
	await place.approve(hook, consent);
	assert.equal((await consent.for(hook, place.folder)).kind, "approved");
	const { atime, mtime } = statSync(file);
	writeFileSync(file, script.replace("good", "evil"));
	utimesSync(file, atime, mtime);
	assert.match(await reasonOf(consent, hook), /is not what was approved: the script .*guard\.sh has changed\. 'hookline hooks allow/);
	writeFileSync(file, script);
	assert.equal((await consent.for(hook, place.folder)).kind, "approved");
});

test("a yes is bound to the whole definition, and the reason names what is another now", async () => {
	const file = place.file("guard.sh", script);
	const hook = place.hook([file], { matcher: "terminal" });
	await place.approve(hook);
	const consent = place.consent();
	for (const [change, says] of [
		[{ timeoutMs: 5_000 }, "time-out was 60000 and is 5000"],
		[{ failClosed: true }, "what happens when it fails was false and is true"],
		[{ env: ["TOKEN"] }, `environment names was [] and is ["TOKEN"]`],
		[{ matcher: "terminal|patch" }, `matcher was "terminal" and is "terminal|patch"`],
		[{ priority: 5 }, "priority was not set and is 5"],
		[{ async: true }, "whether it is waited for was false and is true"],
		[{ sandbox: "required" }, `sandbox was "off" and is "required"`],
		[{ mode: "faithful" }, `mode was "strict" and is "faithful"`],
		[{ trust: "project" }, `whose it is was "user" and is "project"`],
	] as const) assert.ok((await reasonOf(consent, { ...hook, ...change })).includes(`is not what was approved: ${says}.`), says);
	assert.match(await reasonOf(consent, { ...hook, written: "post_tool_call", event: "tool.called" }), /nobody has said yes/);
	// Where it stands in the file is not part of it.
	assert.equal((await consent.for({ ...hook, id: "shell/9", line: 80 }, place.folder)).kind, "approved");
});

test("an interpreter that changes asks again, and it is said that it was the interpreter", async () => {
	const interpreter = place.file("bin/runs", "#!/bin/sh\nexec sh \"$@\"\n");
	const file = place.file("guard.py", "#!/usr/bin/env runs\necho good\n");
	const hook = place.hook([file]);
	await place.approve(hook);
	const consented = await place.consent().for(hook, place.folder);
	assert.ok(consented.kind === "approved" && consented.file === interpreter);
	writeFileSync(interpreter, "#!/bin/sh\nexec sh -e \"$@\"\n");
	assert.ok((await reasonOf(place.consent(), hook)).includes(`the interpreter ${interpreter} has changed, as an update of the system does.`));
	rmSync(interpreter);
	assert.ok((await reasonOf(place.consent(), hook)).includes(`cannot be started: The interpreter that the first line of ${file} names is missing: There is no program 'runs' on PATH.`));
});

test("a script behind its interpreter, and the files it is given, are hashed and copied; the interpreter runs in its place", async () => {
	const file = place.file("guard", "echo good\n", 0o644);
	const rules = place.file("rules.json", "{}", 0o600);
	const hook = place.hook(["sh", `${place.folder}/guard`, "rules.json", "--rules=rules.json", "/dev/null", "terminal"]);
	await place.approve(hook);
	const consent = place.consent();
	const consented = await consent.for(hook, place.folder);
	assert.ok(consented.kind === "approved");
	assert.match(consented.file, /^\/.*\/sh$/);
	const [script0, rules0, ...rest] = consented.args;
	assert.deepEqual(rest, ["--rules=rules.json", "/dev/null", "terminal"]);
	assert.equal(dirname(script0!), dirname(rules0!));
	assert.deepEqual([readFileSync(script0!, "utf8"), readFileSync(rules0!, "utf8")], ["echo good\n", "{}"]);
	writeFileSync(rules, `{"all":true}`);
	assert.ok((await reasonOf(consent, hook)).includes(`the file ${rules} has changed.`));
	writeFileSync(rules, "{}");
	renameSync(file, `${file}2`);
	assert.ok((await reasonOf(consent, hook)).includes(`the file ${file} is not used any more.`));
});

test("what lies in the folder of a hook belongs to it, but for hidden files", async () => {
	const file = place.file("home/hooks/guard/guard.sh", `#!/bin/sh\n. "$(dirname "$0")/lib/more.sh"\n`);
	const more = place.file("home/hooks/guard/lib/more.sh", "echo good\n", 0o644);
	place.file("home/hooks/guard/.swp", "x");
	place.file("home/hooks/other/other.sh", "x");
	const hook = place.hook([file]);
	await place.approve(hook);
	const consent = place.consent();
	const consented = await consent.for(hook, place.folder);
	assert.ok(consented.kind === "approved");
	const folder = dirname(consented.args[0]!);
	assert.deepEqual(readdirSync(folder, { recursive: true }).toSorted(), ["guard.sh", "lib", "lib/more.sh"]);
	writeFileSync(more, "echo evil\n");
	assert.ok((await reasonOf(consent, hook)).includes(`the file ${more} has changed.`));
	writeFileSync(more, "echo good\n");
	const added = place.file("home/hooks/guard/lib/new.sh", "");
	assert.ok((await reasonOf(consent, hook)).includes(`the file ${added} is new.`));
	rmSync(added);
	symlinkSync(more, added);
	assert.ok((await reasonOf(consent, hook)).includes(`${added} is a symbolic link, and links are not followed`));
});

test("a link to a script is followed once, and keeps its name; where it leads may not change", async () => {
	const one = place.file("v1.sh", script);
	const two = place.file("v2.sh", script.replace("good", "evil"));
	const link = join(place.folder, "guard.sh");
	symlinkSync(one, link);
	const hook = place.hook([link]);
	await place.approve(hook);
	const consent = place.consent();
	const consented = await consent.for(hook, place.folder);
	assert.ok(consented.kind === "approved" && basename(consented.args[0]!) === "guard.sh");
	rmSync(link);
	symlinkSync(two, link);
	assert.match(await reasonOf(consent, hook), /the script .* has changed/);
});

for (const [what, make, says] of [
	["is not there", () => join(place.folder, "none.sh"), /cannot be started: There is no .*none\.sh\./],
	["is not executable", () => place.file("x.sh", script, 0o644), /x\.sh is not executable\. Make it so: chmod \+x/],
	["is a folder", () => place.folder, /cannot be read: it is no regular file/],
	["names an interpreter that is not there", () => place.file("x.sh", "#!/nowhere/sh\n"), /The interpreter that the first line of .* names is missing: There is no \/nowhere\/sh\./],
	["names its interpreter without a path", () => place.file("x.sh", "#!sh\n"), /names no interpreter by its whole path: '#!sh'/],
	["has lines as on Windows", () => place.file("x.sh", "#!/bin/sh\r\necho\r\n"), /Its lines end as on Windows.*Unix line ends/],
	["is not on PATH", () => "no-such-program-here", /There is no program 'no-such-program-here' on PATH\./],
] as const) {
	test(`a command that ${what} is named as what it is`, async () => {
		const hook = place.hook([make()]);
		assert.match(await reasonOf(place.consent(), hook), says);
		assert.equal(place.consent().examine(hook, place.folder).state, "not-runnable");
	});
}

test("a program named by its path is copied, one found on PATH runs in its place", async () => {
	const own = place.file("own", "\u007fELF not really");
	const tool = place.file("bin/tool", "\u007fELF not really");
	for (const word of [own, "tool"]) await place.approve(place.hook([word]));
	const [copied, inPlace] = await Promise.all([own, "tool"].map((word) => place.consent().for(place.hook([word]), place.folder)));
	assert.ok(copied?.kind === "approved" && copied.file.startsWith(approvedFolder(place.home)));
	assert.ok(inPlace?.kind === "approved" && inPlace.file === tool);
	writeFileSync(tool, "another");
	assert.match(await reasonOf(place.consent(), place.hook(["tool"])), /the program .*\/bin\/tool has changed/);
});

test("revoking reaches a process that runs, and removes the copy; another hook's approval stays", async () => {
	const one = place.hook([place.file("one.sh", script)]);
	const two = place.hook([place.file("two.sh", `${script}# two\n`)]);
	const consent = place.consent();
	for (const hook of [one, two]) await place.approve(hook);
	const before = await consent.for(one, place.folder);
	assert.ok(before.kind === "approved");
	const removed = await place.consent().revoke(({ command }) => command === one.command);
	assert.equal(removed.length, 1);
	assert.match(await reasonOf(consent, one), /nobody has said yes/);
	assert.ok(!existsSync(before.args[0]!));
	assert.equal((await consent.for(two, place.folder)).kind, "approved");
	assert.deepEqual(await place.consent().revoke(({ command }) => command === one.command), []);
});

test("a copy that was tampered with is made anew before it runs", async () => {
	const hook = place.hook([place.file("guard.sh", script)]);
	const consent = place.consent();
	await place.approve(hook, consent);
	const first = await consent.for(hook, place.folder);
	assert.ok(first.kind === "approved");
	const [copy] = first.args;
	chmodSync(copy!, 0o700);
	writeFileSync(copy!, "#!/bin/sh\necho evil\n");
	const second = await consent.for(hook, place.folder);
	assert.ok(second.kind === "approved" && second.args[0] === copy);
	assert.equal(readFileSync(copy!, "utf8"), script);
	rmSync(copy!);
	await consent.for(hook, place.folder);
	assert.equal(readFileSync(copy!, "utf8"), script);
});

test("an older script that is put back asks again, as the newer one was approved in its stead", async () => {
	const file = place.file("guard.sh", script);
	const hook = place.hook([file]);
	await place.approve(hook);
	writeFileSync(file, `${script}# newer\n`);
	await place.approve(hook);
	writeFileSync(file, script);
	assert.match(await reasonOf(place.consent(), hook), /the script .* has changed/);
	assert.equal(place.consent().approvals().length, 1);
});

test("two hooks of one command at one event keep an approval each", async () => {
	const file = place.file("guard.sh", script);
	const hooks = [place.hook([file], { matcher: "terminal" }), place.hook([file], { matcher: "patch" })];
	for (const hook of hooks) await place.approve(hook);
	for (const hook of hooks) assert.equal((await place.consent().for(hook, place.folder)).kind, "approved");
});

test("a relative command means the file of its working folder, and is approved there alone", async () => {
	place.file("a/guard.sh", script);
	place.file("b/guard.sh", script);
	const hook = place.hook(["./guard.sh"]);
	const consent = place.consent();
	const { program } = consent.examine(hook, join(place.folder, "a"));
	assert.ok(program);
	const { take } = await import("./copy.ts");
	await consent.approve(hook, take(program));
	assert.equal((await consent.for(hook, join(place.folder, "a"))).kind, "approved");
	assert.equal((await consent.for(hook, join(place.folder, "b"))).kind, "unapproved");
});

test("where nothing was new for a while, an edit, a damaged copy and a file beside it count at once all the same", async () => {
	const hook = place.hook([place.file("home/hooks/guard/check.sh", "#!/bin/sh\necho one\n")]);
	const consent = place.consent();
	await place.approve(hook, consent);
	const started = async (): Promise<string> => {
		const consented = await consent.for(hook, place.folder);
		return consented.kind === "approved" ? consented.args.at(-1)! : consented.reason;
	};
	// Until a file could not have been written twice with the same times, it is hashed each time.
	await eventually(() => Date.now() - statSync(allowListFile(place.home)).ctimeMs > 2_100, "what was written is old enough");
	const copy = await started();
	assert.equal(await started(), copy);
	chmodSync(copy, 0o700);
	writeFileSync(copy, "#!/bin/sh\necho damaged\n");
	assert.equal(readFileSync(await started(), "utf8"), "#!/bin/sh\necho one\n");
	const beside = join(dirname(copy), "more.sh");
	writeFileSync(beside, "");
	assert.equal(await started(), copy);
	assert.ok(!existsSync(beside));
	place.file("home/hooks/guard/check.sh", "#!/bin/sh\necho two\n");
	assert.match(await started(), /is not what was approved: the script .*check\.sh has changed/);
	place.file("home/hooks/guard/check.sh", "#!/bin/sh\necho one\n");
	assert.equal(await started(), copy);
	place.file("home/hooks/guard/lib.sh", "");
	assert.match(await started(), /is not what was approved: the file .*lib\.sh is new/);
});
