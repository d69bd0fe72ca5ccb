import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { homeOf } from "../../system/home.ts";
import { candidatesFor } from "./find.ts";

let top = "";
beforeEach(() => void (top = realpathSync(mkdtempSync(join(tmpdir(), "hookline-find-")))));
afterEach(() => rmSync(top, { recursive: true, force: true }));

const folder = (path: string) => (mkdirSync(join(top, path), { recursive: true }), join(top, path));
const looked = (cwd: string, environment: Record<string, string> = { HOME: folder("user") }) => candidatesFor(cwd, homeOf(environment), environment).map((path) => relative(top, path));

test("from the working folder up to the one that holds a .git, and no further", () => {
	folder("a/.git");
	assert.deepEqual(looked(folder("a/b/c")), ["a/b/c", "a/b", "a"]);
});

test("outside of a repository only the working folder: what lies above may be anybody's", () => {
	assert.deepEqual(looked(folder("a/b")), ["a/b"]);
});

test("a .git that is a file or a link ends the way as well, and is not followed", () => {
	folder("other/.hookline");
	writeFileSync(join(folder("a/b"), ".git"), `gitdir: ${join(top, "other")}\n`);
	assert.deepEqual(looked(folder("a/b/c")), ["a/b/c", "a/b"]);
	symlinkSync(join(top, "nowhere"), join(folder("d"), ".git"));
	assert.deepEqual(looked(folder("d/e")), ["d/e", "d"]);
});

test("the user's home folder and Hookline's own are no project, also when they are in a repository", () => {
	folder("user/.git");
	folder("user/.hookline");
	assert.deepEqual(looked(join(top, "user")), []);
	assert.deepEqual(looked(folder("user/a/b")), ["user/a/b"]);
	const chosen = { HOME: folder("else"), HOOKLINE_HOME: folder("a/.hookline") };
	folder("a/.git");
	assert.deepEqual(looked(folder("a/b"), chosen), ["a/b"]);
	assert.deepEqual(looked(join(top, "a"), chosen), []);
	assert.deepEqual(looked(folder("a/.hookline/extensions"), chosen), ["a/.hookline/extensions"]);
});

test("a home that was chosen inside of a project leaves the project one", () => {
	folder("a/.git");
	assert.deepEqual(looked(join(top, "a"), { HOME: folder("else"), HOOKLINE_HOME: folder("a/own-home") }), ["a"]);
});

test("links on the way are resolved first, and a working folder that is gone has none", () => {
	folder("a/.git");
	symlinkSync(folder("a/b"), join(top, "link"));
	assert.deepEqual(looked(join(top, "link")), ["a/b", "a"]);
	assert.deepEqual(looked(join(dirname(top), "hookline-not-there")), []);
});
