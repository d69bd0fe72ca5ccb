import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { writeAtomically } from "./files.ts";

const folder = await mkdtemp(join(tmpdir(), "hookline-files-"));
after(() => rm(folder, { recursive: true }));
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe("writing a file in one step", () => {
	it("a new file is private, a replaced one keeps its permissions, and both can be told otherwise", async () => {
		const path = join(folder, "new");
		await writeAtomically(path, "one");
		assert.deepEqual([await readFile(path, "utf8"), await modeOf(path)], ["one", 0o600]);
		await chmod(path, 0o666);
		await writeAtomically(path, new TextEncoder().encode("two"), { until: "disk" });
		assert.deepEqual([await readFile(path, "utf8"), await modeOf(path)], ["two", 0o666]);
		await writeAtomically(path, "three", { mode: 0o640 });
		assert.equal(await modeOf(path), 0o640);
	});

	it("a reader never finds half a file, whatever writes at the same time", async () => {
		const path = join(folder, "busy");
		const contents = ["a", "b", "c"].map((letter) => letter.repeat(200_000));
		await writeAtomically(path, contents[0]!);
		const writers = contents.map(async (content) => {
			for (let i = 0; i < 10; i++) await writeAtomically(path, content);
		});
		let isDone = false;
		const allWritten = Promise.all(writers).then(() => (isDone = true));
		while (!isDone) assert.ok(contents.includes(await readFile(path, "utf8")));
		await allWritten;
	});

	it("a link stays a link and its target is replaced", async () => {
		await writeFile(join(folder, "target"), "old");
		await symlink("target", join(folder, "link"));
		await writeAtomically(join(folder, "link"), "new");
		assert.equal(await readlink(join(folder, "link")), "target");
		assert.equal(await readFile(join(folder, "target"), "utf8"), "new");
	});

	it("when it fails, nothing is left beside the old file", async () => {
		const inner = join(folder, "inner");
		await mkdir(join(inner, "taken", "full"), { recursive: true });
		await assert.rejects(writeAtomically(join(inner, "taken"), "x"), { code: "EISDIR" });
		assert.deepEqual(await readdir(inner), ["taken"]);
		await assert.rejects(writeAtomically(join(folder, "nowhere", "x"), "x"), { code: "ENOENT" });
	});
});
