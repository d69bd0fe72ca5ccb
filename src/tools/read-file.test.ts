import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { readFile } from "./read-file.ts";
import { testContext } from "./test-context.ts";

test("a file comes with numbered lines", async () => {
	await using context = await testContext();
	await writeFile(join(context.cwd, "a.txt"), "one\r\ntwo\n\nfour");
	const result = await readFile.run({ path: "a.txt" }, context);
	assert.deepEqual(result, {
		text: "    1\tone\n    2\ttwo\n    3\t\n    4\tfour",
		isError: false,
		details: { path: join(context.cwd, "a.txt"), from: 1, to: 4, totalLines: 4 },
	});
	await writeFile(join(context.cwd, "empty"), "");
	assert.equal((await readFile.run({ path: "empty" }, context)).text, "'empty' is empty.");
});

test("a window is read, with a note how to go on", async () => {
	await using context = await testContext();
	await writeFile(join(context.cwd, "a"), Array.from({ length: 5000 }, (_, i) => `line ${i + 1}\n`).join(""));
	const read = async (args: object) => (await readFile.run({ path: "a", ...args }, context)).text;
	assert.equal(await read({ offset: 10, limit: 2 }), "   10\tline 10\n   11\tline 11\n[lines 10 to 11, of 5000; read on with offset 12]");
	assert.equal(await read({ offset: 5000 }), " 5000\tline 5000");
	assert.equal(await read({ offset: 5001 }), "'a' has only 5,000 lines, so there is no line 5001.");
	assert.match(await read({}), /\n 2000\tline 2000\n\[lines 1 to 2000, of 5000; read on with offset 2001\]$/);
});

test("long lines are cut and long files end at 50 KB, on a whole line", async () => {
	await using context = await testContext();
	await writeFile(join(context.cwd, "wide"), `${"x".repeat(5000)}\nnext\n`);
	const wide = (await readFile.run({ path: "wide" }, context)).text;
	assert.equal(wide, `    1\t${"x".repeat(2000)} [... 3,000 characters of this line left out]\n    2\tnext`);
	await writeFile(join(context.cwd, "many"), `${"y".repeat(1000)}\n`.repeat(100));
	const { text, details } = await readFile.run({ path: "many" }, context);
	assert.ok(text.length < 51 * 1024 && text.length > 48 * 1024);
	assert.match(text, /y\n\[lines 1 to 50, of 100; read on with offset 51\]$/);
	assert.equal(details?.["to"], 50);
});

test("a character on the border of two reads is whole", async () => {
	await using context = await testContext();
	await writeFile(join(context.cwd, "a"), `${"\u20ac\n".repeat(200_000)}`);
	const { text } = await readFile.run({ path: "a", offset: 65_530, limit: 20 }, context);
	assert.ok(!text.includes("\uFFFD") && text.startsWith("65530\t\u20ac\n"));
});

test("of a very large file only the window is read", async () => {
	await using context = await testContext();
	await writeFile(join(context.cwd, "large"), `${"z".repeat(99)}\n`.repeat(200_000));
	const { text } = await readFile.run({ path: "large", limit: 1 }, context);
	assert.equal(text, `    1\t${"z".repeat(99)}\n[lines 1 to 1, more follow; read on with offset 2]`);
});

test("what is no text is refused and named", async () => {
	await using context = await testContext();
	const refused = async (content: Buffer) => {
		await writeFile(join(context.cwd, "a"), content);
		const result = await readFile.run({ path: "a" }, context);
		assert.equal(result.isError, true);
		return result.text;
	};
	assert.equal(
		await refused(Buffer.from("\x89PNG\r\n\x1a\n\0", "latin1")),
		"'a' is no UTF-8 text but a PNG image (9 bytes). Use a program that knows the format, through the terminal tool.",
	);
	assert.match(await refused(Buffer.from("caf\xe9", "latin1")), /is no UTF-8 text but text in another encoding, or binary data \(4 bytes\)/);
	assert.match(await refused(Buffer.from("\uFEFFhi", "utf16le")), /but UTF-16 text \(iconv/);
	assert.match(await refused(Buffer.alloc(3_000_000)), /but binary data \(2\.9 MB\)/);
});

test("a folder, a missing file, a pipe and a path that is none are told apart", async () => {
	await using context = await testContext();
	await mkdir(join(context.cwd, "src"));
	await writeFile(join(context.cwd, "src", "server.ts"), "");
	await writeFile(join(context.cwd, "src", "server.test.ts"), "");
	await symlink("loop", join(context.cwd, "loop"));
	spawnSync("mkfifo", [join(context.cwd, "pipe")]);
	const read = async (path: string) => (await readFile.run({ path }, context)).text;
	assert.equal(await read("src"), "'src' is a folder, with 2 entries: server.test.ts, server.ts. Use search_files with mode 'files' to list what is in it.");
	assert.equal(await read("src/server.js"), "There is no 'src/server.js'. In the same folder there is 'server.ts', 'server.test.ts'.");
	assert.equal(await read("src/zebra"), "There is no 'src/zebra'. Look for it with search_files, mode 'files'.");
	assert.equal(await read("lib/deep/x"), `There is no 'lib/deep/x': the folder ${context.cwd}/lib does not exist.`);
	assert.equal(await read("src/server.ts/x"), `'src/server.ts/x' cannot be there: ${context.cwd}/src/server.ts is a file, not a folder.`);
	assert.equal(await read("loop"), "'loop' is a symbolic link that leads back to itself. Name the real file.");
	assert.equal(await read("pipe"), "'pipe' is no regular file but a device, a pipe or a socket, which cannot be read as text.");
	assert.equal(await read(""), "The path is empty. Give the path of a file.");
	assert.match(await read("a\0b"), /^The path holds a NUL character \(at position 2\)/);
	assert.match(await read("x".repeat(300)), /is too long for the file system/);
});

test("a leading tilde is the home folder", async () => {
	await using context = await testContext();
	await writeFile(join(context.cwd, "a"), "mine");
	const path = `~/${relative(homedir(), join(context.cwd, "a"))}`;
	assert.equal((await readFile.run({ path }, context)).text, "    1\tmine");
});
