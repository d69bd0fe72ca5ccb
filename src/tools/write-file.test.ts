import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { testContext } from "./test-context.ts";
import { writeFile } from "./write-file.ts";

/** Permissions do not bind root: as root, the work is done as nobody. */
async function bound<T>(work: () => Promise<T>): Promise<T> {
	if (process.geteuid?.() !== 0) return work();
	process.seteuid?.(65534);
	try {
		return await work();
	} finally {
		process.seteuid?.(0);
	}
}

test("a file is created with its folders, then replaced", async () => {
	await using context = await testContext();
	const first = await writeFile.run({ path: "a/b/c.txt", content: "h\u00e9llo\n" }, context);
	assert.deepEqual(first, { text: "Created 'a/b/c.txt' (7 bytes).", isError: false, details: { path: join(context.cwd, "a/b/c.txt"), bytes: 7, created: true } });
	const second = await writeFile.run({ path: "a/b/c.txt", content: "" }, context);
	assert.equal(second.text, "Replaced 'a/b/c.txt' (0 bytes, before 7 bytes).");
	assert.equal(await readFile(join(context.cwd, "a/b/c.txt"), "utf8"), "");
	assert.deepEqual(await readdir(join(context.cwd, "a/b")), ["c.txt"]);
});

test("an existing file keeps its mode, a new one has the usual", async () => {
	await using context = await testContext();
	const path = join(context.cwd, "run.sh");
	await writeFile.run({ path, content: "1" }, context);
	assert.equal((await stat(path)).mode & 0o777, 0o666 & ~process.umask());
	await chmod(path, 0o751);
	await writeFile.run({ path, content: "2" }, context);
	assert.equal((await stat(path)).mode & 0o777, 0o751);
});

test("a symbolic link stays a link, also when its target does not exist yet", async () => {
	await using context = await testContext();
	await mkdir(join(context.cwd, "real"));
	await symlink("real/target", join(context.cwd, "link"));
	const result = await writeFile.run({ path: "link", content: "through" }, context);
	assert.equal(result.details?.["path"], join(context.cwd, "real/target"));
	assert.equal(await readlink(join(context.cwd, "link")), "real/target");
	assert.equal(await readFile(join(context.cwd, "real/target"), "utf8"), "through");
});

test("what cannot be written is said, and nothing is left behind", async () => {
	await using context = await testContext();
	await mkdir(join(context.cwd, "folder"));
	await write(join(context.cwd, "file"), "old");
	const refused = async (path: string) => {
		const result = await writeFile.run({ path, content: "new" }, context);
		assert.equal(result.isError, true);
		return result.text;
	};
	assert.equal(await refused("folder"), "Nothing was written. 'folder' is a folder, not a file.");
	assert.equal(await refused("new/"), "'new/' names a folder. Give the path of a file; its folders are made when they are missing.");
	assert.equal(await refused("file/x/y"), `Nothing was written. 'file/x/y' cannot be there: ${context.cwd}/file is a file, not a folder.`);
	assert.match(await refused("x".repeat(300)), /^Nothing was written\. The name 'x+\.\.\.' is too long/);
	assert.match(await refused("a\0"), /NUL/);
	assert.deepEqual((await readdir(context.cwd)).sort(), ["file", "folder"]);
});

test("a folder and a file that are write-protected stay as they are", async () => {
	await using context = await testContext();
	const folder = join(context.cwd, "sealed");
	await mkdir(folder);
	await write(join(folder, "file"), "old");
	await chmod(context.cwd, 0o755);
	await chmod(folder, 0o555);
	const wish = (path: string) => writeFile.run({ path, content: "new" }, context);
	const text = await bound(async () => (await wish("sealed/new")).text);
	assert.equal(text, "Nothing was written. The system does not permit this for 'sealed/new' (EACCES). Use another place, or have the permissions changed.");
	await chmod(folder, 0o777);
	await chmod(join(folder, "file"), 0o444);
	assert.match(await bound(async () => (await wish("sealed/file")).text), /^Nothing was written\. The system does not permit this/);
	assert.equal(await readFile(join(folder, "file"), "utf8"), "old");
	assert.deepEqual(await readdir(folder), ["file"]);
});

test("writes to one file come one after the other, and nobody sees half of one", async () => {
	await using context = await testContext();
	const contents = Array.from({ length: 20 }, (_, i) => String.fromCharCode(97 + i).repeat(100_000));
	const writing = Promise.all(contents.map((content) => writeFile.run({ path: "a", content }, context)));
	for (let done = false; !done; ) {
		done = await Promise.race([writing.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
		const seen = await readFile(join(context.cwd, "a"), "utf8").catch(() => contents[0]!);
		assert.ok(contents.includes(seen), `${seen.length} characters`);
	}
	assert.equal(await readFile(join(context.cwd, "a"), "utf8"), contents.at(-1));
});

test("a stopped turn writes nothing", async () => {
	await using context = await testContext({ signal: AbortSignal.abort() });
	assert.equal((await writeFile.run({ path: "a", content: "" }, context)).text, "[interrupted] Nothing was written.");
	assert.deepEqual(await readdir(context.cwd), []);
});
