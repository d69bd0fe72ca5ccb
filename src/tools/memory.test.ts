import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { memory, memoryFile, mostMemoryBytes } from "./memory.ts";
import { testContext } from "./test-context.ts";

/** A memory in the context's own folder. */
async function opened() {
	const context = await testContext();
	const memoryFolder = join(context.cwd, "memory");
	const say = (args: Parameters<typeof memory.run>[0], cwd = "/projects/shop") => memory.run(args, { ...context, cwd, settings: { memoryFolder } });
	return { say, file: memoryFile(memoryFolder, "user", ""), folder: memoryFolder, [Symbol.asyncDispose]: () => context[Symbol.asyncDispose]() };
}

test("a note is added, replaced and removed by words that stand in it", async () => {
	await using notes = await opened();
	assert.equal((await notes.say({ action: "read", scope: "user" })).text, "There are no notes about the user yet.");
	assert.equal((await notes.say({ action: "add", scope: "user", text: "Likes\n short   answers." })).text, "1 note about the user:\n- Likes short answers.");
	await notes.say({ action: "add", scope: "user", text: "Works in Berlin." });
	const replaced = await notes.say({ action: "replace", scope: "user", old: "Berlin", text: "Works in Kyiv." });
	assert.equal(replaced.text, "2 notes about the user:\n- Likes short answers.\n- Works in Kyiv.");
	assert.equal((await notes.say({ action: "remove", scope: "user", old: "short" })).text, "1 note about the user:\n- Works in Kyiv.");
	assert.equal(await readFile(notes.file, "utf8"), "- Works in Kyiv.\n");
	assert.equal((await notes.say({ action: "remove", scope: "user", old: "Kyiv" })).text, "There are no notes about the user yet.");
});

test("each project has notes of its own, in a file named after its folder", async () => {
	await using notes = await opened();
	await notes.say({ action: "add", scope: "project", text: "Tests run with make." }, "/projects/my shop");
	assert.match((await notes.say({ action: "read", scope: "project" }, "/projects/my shop")).text, /Tests run with make/);
	for (const other of ["/other/my shop", "/projects/my-shop"]) assert.equal((await notes.say({ action: "read", scope: "project" }, other)).text, "There are no notes about this project yet.");
	assert.match((await readdir(join(notes.folder, "projects"))).join(), /^my-shop-[0-9a-f]{16}\.md$/);
	for (const odd of ["/", "/a/..", "/a/\u202e../x\n", `/${"x".repeat(300)}`, "/.hidden"]) {
		assert.match(memoryFile("/m", "project", odd), /^\/m\/projects\/\w[\w.-]{0,39}-[0-9a-f]{16}\.md$/, odd);
	}
});

test("the files are their user's alone", async () => {
	await using notes = await opened();
	await notes.say({ action: "add", scope: "user", text: "x" });
	assert.equal((await stat(notes.file)).mode & 0o777, 0o600);
	assert.equal((await stat(notes.folder)).mode & 0o777, 0o700);
	assert.deepEqual(await readdir(notes.folder), ["user.md"]);
});

test("words that stand in no note or in several, and what is missing, are told and change nothing", async () => {
	await using notes = await opened();
	for (const text of ["uses tabs", "uses tabs in Go", "uses vim"]) await notes.say({ action: "add", scope: "user", text });
	const mistake = async (args: Parameters<typeof memory.run>[0]) => {
		const { text, isError } = await notes.say(args);
		assert.ok(isError);
		return text;
	};
	assert.equal(await mistake({ action: "remove", scope: "user", old: "uses" }), "Nothing was changed. 'uses' stands in 3 notes. Take more words of the one that is meant.");
	assert.equal(await mistake({ action: "remove", scope: "user", old: "emacs" }), "Nothing was changed. 'emacs' stands in no note. 'read' shows them all.");
	assert.equal(await mistake({ action: "add", scope: "user", text: " uses  vim" }), "Nothing was changed. This note is there already.");
	assert.equal(await mistake({ action: "add", scope: "user" }), "'text' is missing: 'add' needs the note.");
	assert.equal(await mistake({ action: "replace", scope: "user", text: "x" }), "'old' is missing: 'replace' needs words of the note that is meant.");
	assert.equal(await mistake({ action: "remove", scope: "user", old: " \n" }), "'old' is missing: 'remove' needs words of the note that is meant.");
	assert.equal((await notes.say({ action: "remove", scope: "user", old: "uses tabs" })).text, "2 notes about the user:\n- uses tabs in Go\n- uses vim");
});

test("8 KB is the most, and the notes stay as they were", async () => {
	await using notes = await opened();
	for (let i = 0; i < 8; i++) await notes.say({ action: "add", scope: "user", text: `${i}${"ü".repeat(499)}` });
	const before = await readFile(notes.file);
	const refused = await notes.say({ action: "add", scope: "user", text: "ü".repeat(499) });
	assert.match(refused.text, /^Nothing was changed: the notes \(user\) would have \d+ bytes, and 8192 is the most\. Remove what is not needed any more, or say it shorter\.$/);
	assert.deepEqual(await readFile(notes.file), before);
	await writeFile(notes.file, `- one\n- ${"x".repeat(mostMemoryBytes * 2)}\n`);
	assert.match((await notes.say({ action: "read", scope: "user" })).text, /the file is larger than 8192 bytes; the rest is not shown\]$/);
	assert.equal((await notes.say({ action: "remove", scope: "user", old: "one" })).isError, false);
});

test("what would move a cursor or cannot be seen is made visible, also when somebody else wrote it", async () => {
	await using notes = await opened();
	await notes.say({ action: "add", scope: "user", text: "a\u001b[2J\u202eb\u200b" });
	assert.equal(await readFile(notes.file, "utf8"), "- a\\u{1b}[2J\\u{202e}b\\u{200b}\n");
	await writeFile(notes.file, "- \u001b]0;x\u0007\n");
	assert.equal((await notes.say({ action: "read", scope: "user" })).text, "1 note about the user:\n- \\u{1b}]0;x\\u{7}");
});

test("what a person wrote around the notes stays", async () => {
	await using notes = await opened();
	await mkdir(notes.folder);
	await writeFile(notes.file, "# About me\r\n\r\n- likes tea\r\n\r\nAsk before you travel.\r\n");
	assert.equal((await notes.say({ action: "add", scope: "user", text: "likes cake" })).text, "2 notes about the user:\n# About me\n\n- likes tea\n\nAsk before you travel.\n- likes cake");
	assert.match((await notes.say({ action: "remove", scope: "user", old: "travel" })).text, /stands in no note/);
});

test("a file that is no text, or cannot be read, is left alone and named", async () => {
	await using notes = await opened();
	await mkdir(notes.folder);
	for (const content of [Buffer.from([0xff, 0xfe, 0x41]), Buffer.from("a\0b")]) {
		await writeFile(notes.file, content);
		const { text, isError } = await notes.say({ action: "add", scope: "user", text: "x" });
		assert.ok(isError);
		assert.match(text, /user\.md is no UTF-8 text/);
		assert.deepEqual(await readFile(notes.file), content);
	}
	await mkdir(join(notes.folder, "projects"));
	await mkdir(memoryFile(notes.folder, "project", "/p"));
	assert.match((await notes.say({ action: "read", scope: "project" }, "/p")).text, /^The notes could not be read: EISDIR.* Tell the user\.$/);
	await using context = await testContext();
	assert.match((await memory.run({ action: "read", scope: "user" }, context)).text, /^There is no place to keep notes here/);
});

test("calls that run together lose no note", async () => {
	await using notes = await opened();
	await Promise.all(Array.from({ length: 20 }, (_, i) => notes.say({ action: "add", scope: "user", text: `note ${i}` })));
	assert.match((await notes.say({ action: "read", scope: "user" })).text, /^20 notes/);
});
