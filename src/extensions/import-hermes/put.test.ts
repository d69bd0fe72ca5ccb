import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { putFile, putFolder } from "./put.ts";
import type { TreeFile } from "./tree.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "hookline-put-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (path: string, text = path): TreeFile => ({ path, bytes: Buffer.from(text), mode: 0o600 });
const now = { dryRun: false, signal: new AbortController().signal };

test("an abort half way leaves nothing behind", async () => {
	const controller = new AbortController();
	// The second file is only read for writing when the first is there.
	const last = { ...file("b"), get bytes() {
		assert.equal(readdirSync(join(folder, "guards")).length, 1);
		controller.abort(new Error("enough"));
		return Buffer.from("b");
	} };
	await assert.rejects(putFolder(join(folder, "guards/one"), [file("a"), last, file("c")], { dryRun: false, signal: controller.signal }), /enough/);
	assert.deepEqual(readdirSync(join(folder, "guards")), []);
});

test("what came in the meantime is not overwritten, and no half copy stays", async () => {
	const target = join(folder, "one");
	const meanwhile = (make: () => void): TreeFile => ({ ...file("a"), get bytes() {
		make();
		return Buffer.from("a");
	} });
	await assert.rejects(putFolder(target, [meanwhile(() => (mkdirSync(target), writeFileSync(join(target, "mine"), "mine")))], now));
	assert.deepEqual(readdirSync(folder, { recursive: true }).toSorted(), ["one", "one/mine"]);
	const script = join(folder, "two");
	const both = await Promise.allSettled([putFile(script, file("a", "first"), now), putFile(script, file("a", "second"), now)]);
	assert.deepEqual(both.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
	assert.equal(readFileSync(script, "utf8"), both[0].status === "fulfilled" ? "first" : "second");
	assert.deepEqual(readdirSync(folder).toSorted(), ["one", "two"]);
});

test("the same is present with whatever lies beside it, and what differs is named", async () => {
	const target = join(folder, "one");
	assert.equal(await putFolder(target, [file("a"), file("deep/b")], now), "copied");
	writeFileSync(join(target, "activity.txt"), "grown here");
	assert.equal(await putFolder(target, [file("a"), file("deep/b")], now), "present");
	assert.deepEqual(await putFolder(target, [file("a", "other"), file("deep/b"), file("c")], now), { differs: ["a", "c"] });
	symlinkSync(join(target, "a"), join(folder, "link"));
	assert.deepEqual(await putFile(join(folder, "link"), file("a"), now), { differs: ["link"] });
	symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
	assert.deepEqual(await putFolder(join(folder, "dangling"), [file("a")], now), { differs: ["dangling"] });
	assert.equal(await putFile(join(target, "a"), file("a"), now), "present");
});

test("a dry run says what would become of it and writes nothing", async () => {
	assert.equal(await putFolder(join(folder, "x/one"), [file("a")], { ...now, dryRun: true }), "copied");
	assert.equal(await putFile(join(folder, "x/two"), file("a"), { ...now, dryRun: true }), "copied");
	assert.deepEqual(readdirSync(folder), []);
});
