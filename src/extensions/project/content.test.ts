import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { mostBytes, mostEntries, readContent } from "./content.ts";

let folder = "";
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-content-")))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, text = ""): string {
	const file = join(folder, ".hookline", path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
	return file;
}

test("everything below extensions and plugins and config.yaml are its content, and nothing else", () => {
	for (const path of ["extensions/b.ts", "extensions/a/index.ts", "extensions/a/data.json", "extensions/.hidden", "plugins/a/plugin.yaml", "config.yaml", "hooks/x.sh", "notes.md"]) put(path, path);
	const { files, problems } = readContent(folder);
	assert.deepEqual(files.map(({ path }) => path), ["config.yaml", "extensions/.hidden", "extensions/a/data.json", "extensions/a/index.ts", "extensions/b.ts", "plugins/a/plugin.yaml"]);
	assert.equal(files[4]?.bytes.toString(), "extensions/b.ts");
	assert.deepEqual(problems, []);
});

test("the hash changes with a byte, a name and a file more, and with nothing else", () => {
	const hash = () => readContent(folder).hash;
	const seen = [hash()];
	put("extensions/a.ts", "1");
	seen.push(hash());
	put("extensions/a.ts", "2");
	seen.push(hash());
	put("extensions/b.ts", "2");
	seen.push(hash());
	rmSync(join(folder, ".hookline/extensions/a.ts"));
	seen.push(hash());
	put("config.yaml", "");
	seen.push(hash());
	assert.equal(new Set(seen).size, seen.length);
	put("extensions/a.ts", "1");
	rmSync(join(folder, ".hookline/extensions/b.ts"));
	rmSync(join(folder, ".hookline/config.yaml"));
	put("hooks/x", "1");
	assert.equal(hash(), seen[1]);
});

test("a line break in a name cannot make two contents look the same", () => {
	put("extensions/a\n1", "x");
	const one = readContent(folder).hash;
	rmSync(join(folder, ".hookline/extensions"), { recursive: true });
	put("extensions/a", "x");
	put("extensions/1", "x");
	assert.notEqual(readContent(folder).hash, one);
});

for (const [what, link] of [["a file", "extensions/a.ts"], ["a folder", "extensions/inner"], ["the extensions", "extensions"], ["the settings", "config.yaml"], ["the whole", ""]] as const) {
	test(`a link in place of ${what} is named and not followed`, () => {
		const elsewhere = join(folder, "elsewhere");
		mkdirSync(elsewhere);
		writeFileSync(join(elsewhere, "secret"), "sesame");
		const place = join(folder, ".hookline", link);
		mkdirSync(dirname(place), { recursive: true });
		symlinkSync(what === "a file" || what === "the settings" ? join(elsewhere, "secret") : elsewhere, place.replace(/\/$/, ""));
		const { files, problems } = readContent(folder);
		assert.deepEqual(files, []);
		assert.deepEqual(problems, [`${place.replace(/\/$/, "")} is a symbolic link, and links are not followed.`]);
	});
}

test("a pipe, a folder for settings and a file for extensions are named", () => {
	put("config.yaml/x");
	put("extensions", "x");
	assert.deepEqual(readContent(folder).problems, [`${folder}/.hookline/extensions is a file, and should be a folder.`, `${folder}/.hookline/config.yaml is a folder, and should be a file.`]);
	rmSync(join(folder, ".hookline"), { recursive: true });
	mkdirSync(join(folder, ".hookline/extensions"), { recursive: true });
	assert.equal(spawnSync("mkfifo", [join(folder, ".hookline/extensions/a.ts")]).status, 0);
	assert.deepEqual(readContent(folder).problems, [`${folder}/.hookline/extensions/a.ts is no regular file.`]);
});

test("there is a most of files and of bytes", () => {
	put("extensions/a.ts", "x".repeat(mostBytes));
	assert.deepEqual(readContent(folder).problems, []);
	put("extensions/b.ts", "x");
	assert.deepEqual(readContent(folder).problems, [`${folder}/.hookline holds more than 8 MB, which nobody can look through.`]);
	rmSync(join(folder, ".hookline"), { recursive: true });
	for (let i = 0; i < mostEntries; i++) put(`extensions/${i}`);
	assert.deepEqual(readContent(folder).problems, []);
	put("extensions/inner/x");
	assert.deepEqual(readContent(folder).problems, [`${folder}/.hookline holds more than ${mostEntries} files and folders, which nobody can look through.`]);
});

test("a folder without any has none", () => {
	assert.deepEqual(readContent(folder).files, []);
	assert.deepEqual(readContent(join(folder, "nowhere")).problems, []);
});
