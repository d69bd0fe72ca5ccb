import assert from "node:assert/strict";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { patch } from "./patch.ts";
import { testContext } from "./test-context.ts";

/** Patches a file of this content; gives what was said and what stands there afterwards. */
async function patched(content: string | Buffer, args: { readonly old: string; readonly new: string; readonly all?: boolean }) {
	await using context = await testContext();
	const path = join(context.cwd, "file");
	await writeFile(path, content);
	const result = await patch.run({ path: "file", ...args }, context);
	return { text: result.text, isError: result.isError, after: await readFile(path, "utf8") };
}

const program = "function add(a, b) {\n\tconst sum = a + b;\n\treturn sum;\n}\n\nfunction sub(a, b) {\n\treturn a - b;\n}\n";

test("text that stands there once is replaced", async () => {
	const { text, isError, after } = await patched(program, { old: "\treturn a - b;\n", new: "\treturn a - b; // $& $1\n" });
	assert.equal(text, "Replaced 1 occurrence in 'file' (line 7).");
	assert.equal(isError, false);
	assert.equal(after, program.replace("a - b;", () => "a - b; // $& $1"));
	assert.equal((await patched("a b c", { old: " b", new: "" })).after, "a c");
});

test("text that stands there several times needs 'all'", async () => {
	const refused = await patched("x\ny\nx\nx x\n", { old: "x", new: "z" });
	assert.equal(refused.text, "'old' stands in 'file' 4 times (lines 1, 3, 4, 4), so nothing was changed. Take more of the lines around the one you mean, or set all to true.");
	assert.equal(refused.after, "x\ny\nx\nx x\n");
	const all = await patched("x\ny\nx\nx x\n", { old: "x", new: "xx", all: true });
	assert.equal(all.text, "Replaced 4 occurrences in 'file' (lines 1, 3, 4, 4).");
	assert.equal(all.after, "xx\ny\nxx\nxx xx\n");
});

test("when it is not found the nearest lines are shown, with the first difference", async () => {
	const { text, isError, after } = await patched(program, { old: "\tconst sum = a + b;\n\treturn summ;\n}", new: "" });
	assert.equal(isError, true);
	assert.equal(after, program);
	assert.match(text, /^'old' does not stand in 'file', so nothing was changed\. The nearest is lines 2 to 4 \(9\d % alike\), where the file has:\n/);
	assert.ok(text.endsWith("    2\t\tconst sum = a + b;\n    3\t\treturn sum;\n    4\t}\nThe first difference is in line 3, where 'old' has:\n\treturn summ;"));
});

test("when only white space differs that is said", async () => {
	const { text } = await patched(program, { old: "    const sum = a+b;\n    return sum;\n", new: "" });
	assert.equal(text, "'old' does not stand in 'file', so nothing was changed. Only white space differs at lines 2 to 3, where the file has:\n    2\t\tconst sum = a + b;\n    3\t\treturn sum;");
});

test("line numbers copied from read_file are recognised", async () => {
	const { text } = await patched(program, { old: "    2\t\tconst sum = a + b;\n    3\t\treturn sum;", new: "" });
	assert.match(text, /It has the line numbers that read_file shows; they are not part of the file\. Leave them out\.$/);
});

test("when nothing is like it, that is said, also of a large file and soon", async () => {
	assert.match((await patched(program, { old: "SELECT * FROM users", new: "" })).text, /Nothing in the file is like it\. Read the file first\.$/);
	const large = Array.from({ length: 40_000 }, (_, i) => `line ${i} of some file with words in it`).join("\n");
	const { text } = await patched(large, { old: "line 31234 of some file with wordz in it\nline 31235 of same file with words in it", new: "" });
	assert.match(text, /The nearest is lines 31235 to 31236 \(\d\d % alike\)/);
});

test("line endings, a byte order mark and a missing last line feed are kept", async () => {
	assert.equal((await patched("a\r\nb\r\nc", { old: "a\nb", new: "x\ny\nz" })).after, "x\r\ny\r\nz\r\nc");
	assert.equal((await patched("a\r\nb\r\nc", { old: "b", new: "b1\nb2" })).after, "a\r\nb1\r\nb2\r\nc");
	assert.equal((await patched("a\nb\n", { old: "a\r\nb", new: "x\r\ny" })).after, "x\ny\n");
	assert.equal((await patched("a\r\nb\nc\n", { old: "a\nb", new: "x\ny" })).after, "x\r\ny\nc\n");
	assert.equal((await patched("a\r\nb\nc\n", { old: "b\nc", new: "x\ny" })).after, "a\r\nx\ny\n");
	assert.equal((await patched("\uFEFFa\nb", { old: "a", new: "x" })).after, "\uFEFFx\nb");
});

test("an empty 'old', one that is the same as 'new', and what is no text change nothing", async () => {
	assert.equal((await patched("a", { old: "", new: "b" })).text, "'old' is empty, so nothing was changed. Give the text to replace; write_file creates a file.");
	assert.equal((await patched("a", { old: "a", new: "a" })).text, "'old' and 'new' are the same, so there is nothing to change.");
	assert.equal((await patched(Buffer.from([0x61, 0, 0xff]), { old: "a", new: "b" })).text, "'file' is no UTF-8 text (3 bytes), so nothing was changed.");
	assert.match((await patched("a\n\n\nb", { old: "\n\n\n\n", new: "" })).text, /It is only empty lines; take the lines around them as well\.$/);
});

test("a missing file and a folder are named", async () => {
	await using context = await testContext();
	await writeFile(join(context.cwd, "config.yaml"), "");
	const run = async (path: string) => (await patch.run({ path, old: "a", new: "b" }, context)).text;
	assert.equal(await run("config.yml"), "Nothing was changed. There is no 'config.yml'. In the same folder there is 'config.yaml'.");
	assert.equal(await run("."), "Nothing was changed. '.' is a folder, not a file.");
});

test("patches of one file in one step do not lose one another, and its mode stays", async () => {
	await using context = await testContext();
	const path = join(context.cwd, "file");
	await writeFile(path, Array.from({ length: 30 }, (_, i) => `<${i}>`).join("\n"));
	await chmod(path, 0o755);
	await Promise.all(Array.from({ length: 30 }, (_, i) => patch.run({ path: "file", old: `<${i}>`, new: `[${i}]` }, context)));
	assert.equal(await readFile(path, "utf8"), Array.from({ length: 30 }, (_, i) => `[${i}]`).join("\n"));
	assert.equal((await stat(path)).mode & 0o777, 0o755);
});
