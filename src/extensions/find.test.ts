import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { findPackages } from "../dialects/hermes-extension/settings.ts";
import { findExtensions } from "./find.ts";

let folder = "";
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "hookline-find-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(...names: readonly string[]): void {
	for (const name of names) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), "");
	}
}
const names = () => findExtensions(folder).found.map(({ name }) => name);
const problems = () => findExtensions(folder).problems.map(({ name, message }) => `${name}: ${message}`);

test("files and folders are extensions, in the order of their names whatever the system says", () => {
	put("b.js", "c.mjs", "a.ts", "e/index.mjs", "d/index.ts", "Z.mts", "dotted.name.ts");
	assert.deepEqual(names(), ["Z", "a", "b", "c", "d", "dotted.name", "e"]);
	assert.deepEqual(problems(), []);
	assert.equal(findExtensions(folder).found[4]?.file, join(folder, "d/index.ts"));
});

test("types, tests, notes, hidden things and installed packages are not", () => {
	put("a.d.ts", "a.test.ts", "b.test.mjs", "README.md", ".hidden.ts", "_draft.ts", "node_modules/x/index.js", "package.json", "data.json");
	assert.deepEqual([names(), problems()], [[], []]);
});

test("a link to a file or a folder counts; one that leads nowhere is not an extension that quietly is not there", () => {
	put("real/own.ts", "real/index.ts");
	symlinkSync(join(folder, "real/own.ts"), join(folder, "file.ts"));
	symlinkSync(join(folder, "real"), join(folder, "linked"));
	symlinkSync(join(folder, "nowhere.ts"), join(folder, "lost.ts"));
	// Loading it says that there is no such file.
	assert.deepEqual(names(), ["file", "linked", "lost", "real"]);
});

test("what looks like an extension and is none is a problem, not silence", () => {
	put("empty/readme.md", "with space.ts", "ünïcode.ts");
	assert.deepEqual(problems(), [
		"empty: the folder has no index.ts, index.mts, index.js, index.mjs, so there is nothing to load. If it is not meant to be an extension, begin its name with '_'.",
		"with space: the name of an extension is letters, digits, '.', '_' and '-' only. Rename the file.",
		"ünïcode: the name of an extension is letters, digits, '.', '_' and '-' only. Rename the file.",
	]);
});

test("a package in Python is its dialect's, unless it has an index file of ours", () => {
	put("guard/__init__.py", "both/__init__.py", "both/index.ts");
	assert.deepEqual([names(), problems()], [["both"], []]);
	assert.deepEqual(findPackages(folder), { found: [{ name: "guard", file: join(folder, "guard/__init__.py") }], problems: [] });
});

test("packages are sorted by name; hidden ones, files and other folders are none, and a name that no extension can have is a problem", () => {
	put("b/__init__.py", "A/__init__.py", ".c/__init__.py", "_d/__init__.py", "e.py", "f/main.py", "node_modules/__init__.py", "with space/__init__.py");
	const { found, problems: said } = findPackages(folder);
	assert.deepEqual(found.map(({ name }) => name), ["A", "b"]);
	assert.deepEqual(said.map(({ name, message }) => `${name}: ${message}`), ["with space: the name of an extension is letters, digits, '.', '_' and '-' only. Rename the folder."]);
	for (const none of ["none", "e.py"]) assert.deepEqual(findPackages(join(folder, none)), { found: [], problems: [] });
});

test("of two with one name the first is taken, and the other is a problem", () => {
	put("a.js", "a.ts", "a/index.ts");
	assert.equal(findExtensions(folder).found.length, 1);
	const [first] = findExtensions(folder).found;
	assert.deepEqual(findExtensions(folder).problems.map(({ name, message }) => [name, message]), [
		["a", `there is another extension of that name, ${first?.file}; only that one is loaded. Rename one of them.`],
		["a", `there is another extension of that name, ${first?.file}; only that one is loaded. Rename one of them.`],
	]);
});

test("a folder that is not there has no extensions; a file in its place is a problem", () => {
	assert.deepEqual(findExtensions(join(folder, "none")), { found: [], problems: [] });
	put("file");
	const { found, problems: said } = findExtensions(join(folder, "file"));
	assert.deepEqual(found, []);
	assert.match(said[0]?.message ?? "", /^the folder of extensions cannot be read: ENOTDIR/);
});
