import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { homeOf } from "../../system/home.ts";
import { readContent } from "./content.ts";
import { copiesFolder, copyOf, removeCopies } from "./copy.ts";

let folder = "";
let file = "";
const home = () => homeOf({ HOOKLINE_HOME: join(folder, "home") });
beforeEach(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-copy-")));
	mkdirSync(join(folder, ".hookline/extensions/inner"), { recursive: true });
	file = join(folder, ".hookline/extensions/a.ts");
	writeFileSync(file, "one");
	writeFileSync(join(folder, ".hookline/extensions/inner/b.ts"), "two");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function trusted() {
	const content = readContent(folder);
	return { content, hash: content.hash };
}

test("the copy holds what was read, not what lies there by now, for the user alone", () => {
	const content = trusted();
	writeFileSync(file, "swapped");
	const copy = copyOf(content, home());
	assert.equal(readFileSync(join(copy, ".hookline/extensions/a.ts"), "utf8"), "one");
	assert.equal(readFileSync(join(copy, ".hookline/extensions/inner/b.ts"), "utf8"), "two");
	assert.equal(statSync(copiesFolder(home())).mode & 0o777, 0o700);
	assert.equal(statSync(join(copy, ".hookline/extensions/a.ts")).mode & 0o777, 0o600);
	assert.equal(copyOf(content, home()), copy);
});

test("a copy that was changed, has a file more or a file less is made anew", () => {
	const content = trusted();
	const extensions = join(copyOf(content, home()), ".hookline/extensions");
	writeFileSync(join(extensions, "a.ts"), "swapped");
	copyOf(content, home());
	assert.equal(readFileSync(join(extensions, "a.ts"), "utf8"), "one");
	writeFileSync(join(extensions, "more.ts"), "");
	copyOf(content, home());
	assert.ok(!existsSync(join(extensions, "more.ts")));
	rmSync(join(extensions, "inner"), { recursive: true });
	copyOf(content, home());
	assert.ok(existsSync(join(extensions, "inner/b.ts")));
	assert.deepEqual(readdirSync(copiesFolder(home())), [content.hash]);
});

test("a folder of copies that others may write to is not used", () => {
	mkdirSync(copiesFolder(home()), { recursive: true });
	chmodSync(copiesFolder(home()), 0o777);
	assert.throws(() => copyOf(trusted(), home()), { name: "TrustError", message: /others may write to it/ });
});

test("copies nobody trusts any more are removed: what was revoked at once, the others when they are long unused", () => {
	const one = copyOf(trusted(), home());
	const old = readContent(folder).hash;
	writeFileSync(file, "two");
	const { hash } = readContent(folder);
	const two = copyOf(trusted(), home());
	removeCopies(home(), [hash]);
	assert.ok(existsSync(one));
	utimesSync(one, 0, 0);
	utimesSync(two, 0, 0);
	removeCopies(home(), [hash]);
	assert.deepEqual([existsSync(one), existsSync(two)], [false, true]);
	removeCopies(home(), [hash], hash);
	assert.ok(existsSync(two));
	removeCopies(home(), [old], hash);
	assert.ok(!existsSync(two));
	removeCopies(homeOf({ HOOKLINE_HOME: join(folder, "nowhere") }), []);
	writeFileSync(join(folder, "trusted"), "");
	assert.throws(() => removeCopies(homeOf({ HOOKLINE_HOME: folder }), []), { name: "TrustError", message: /cannot be removed \(ENOTDIR/ });
});
