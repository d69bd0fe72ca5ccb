import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fits, type Manifest, readManifest } from "./manifest.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-manifest-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const read = (text: string) => {
	const file = join(folder, "plugin.yaml");
	writeFileSync(file, text);
	return readManifest(file, "folder");
};

const mistakesIn = async (text: string) => ((await read(text)) as Manifest).mistakes;

test("a version is in a range, or not, or the range cannot be read", () => {
	const ranges: readonly (readonly [string, boolean | undefined])[] = [
		[">=0.20", true], [">=0.21.5", true], [">=0.21.6", false], [">0.21.5", false], ["<1", true], [">=0.20,<0.21", false], ["<=0.21.5", true],
		["==0.21", true], ["0.21.*", true], ["0.20", false], ["!=0.21", false], ["~=0.21.3", true], ["~=0.20.3", false], ["^0.4", true], ["v0.21.5", true],
		["newest", undefined], [">=0.21 or so", undefined], ["", undefined],
	];
	for (const [range, expected] of ranges) assert.equal(fits("0.21.5", range), expected, range);
});

test("numbers of a version are compared as numbers", () => assert.equal(fits("0.21.5", ">=0.9"), true));

test("a manifest that is empty is one, and takes its name from the folder", async () => {
	const manifest = await read("");
	assert.deepEqual(manifest, { name: "folder", requiresEnv: [], optionalEnv: [], requiresPlugins: [], dependencies: [], mistakes: [] });
});

test("lists may hold texts and maps, and one text stands for a list of it", async () => {
	const manifest = await read("name: one\nversion: 1.2\nrequires_env: [A, {name: B, description: of the service}]\noptional_env: C\nrequires_plugins: [{id: two, version_range: '>=1'}]\npython_dependencies: ['requests>=2']\n");
	assert.deepEqual(manifest, { name: "one", version: "1.2", requiresEnv: [{ name: "A" }, { name: "B", description: "of the service" }], optionalEnv: [{ name: "C" }], requiresPlugins: ["two"], dependencies: ["requests>=2"], mistakes: [] });
});

test("an unknown field is a mistake in version 2 alone, and names the nearest", async () => {
	assert.deepEqual(await mistakesIn("manifest: 1\nrequires_evn: A\n"), []);
	assert.deepEqual(await mistakesIn("manifest_version: 2\nrequires_evn: A\n"), ["'requires_evn' is no field of a plugin.yaml and means nothing. Did you mean 'requires_env'?"]);
});

test("what is no map is refused, and an entry of the wrong kind is left out and named", async () => {
	assert.deepEqual(await read("- one\n"), { mistake: "it must be a map, such as 'name: folder', not a list." });
	assert.deepEqual(await mistakesIn("requires_env: [A, 3]\n"), ["an entry of 'requires_env' is 3 and was left out; it must be a text or a map with 'name'."]);
});
