// What extensions say of themselves counts when they are loaded: order, versions, settings, grants.
import assert from "node:assert/strict";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Check } from "../../src/cli/doctor/check.ts";
import { guardPackage, sources, writeFiles } from "./package-source.ts";
import { extension, Place } from "./program.ts";

const says = (text: string) => extension(`	console.log(${JSON.stringify(text)});`);

/** An extension of the user's own. */
function own(place: Place, name: string, manifest: string, code = says(`${name} is here`)): void {
	writeFiles(join(place.home, "extensions", name), { "EXTENSION.yaml": `name: ${name}\n${manifest}`, "index.ts": code });
}

async function checks(place: Place): Promise<readonly string[]> {
	const { stdout } = await place.run(["extensions", "doctor", "--json"]);
	return (JSON.parse(stdout) as readonly Check[]).filter(({ name, state }) => state !== "ok" && name !== "permissions").map(({ name, state, message }) => `${name}, ${state}: ${message}`);
}

test("what an extension needs is loaded before it; what is missing, wrong, circular or failed keeps it out, and each says why", { timeout: 120_000 }, async () => {
	await using place = new Place();
	own(place, "a-first", "version: 1.0.0\ndependencies: { z-base: ^2.0.0 }\n");
	own(place, "b-old", "version: 1.0.0\ndependencies: { z-base: ^3.0.0 }\n");
	own(place, "c-lost", "version: 1.0.0\ndependencies: { nowhere: '*' }\n");
	own(place, "d-one", "version: 1.0.0\ndependencies: { e-two: '*' }\n");
	own(place, "e-two", "version: 1.0.0\ndependencies: { d-one: '*' }\n");
	own(place, "f-needs-broken", "version: 1.0.0\ndependencies: { y-broken: '*' }\n");
	own(place, "y-broken", "version: 1.0.0\n", extension(`	throw new Error("not today");`));
	own(place, "z-base", "version: 2.1.0\n", `await new Promise((resolve) => setTimeout(resolve, 100));\n${says("z-base is here")}`);
	const { code, stdout, stderr } = await place.run(["run", "hello"]);
	assert.deepEqual([code, stdout], [0, "ECHO: hello\n"]);
	const here = [...stderr.matchAll(/(\S+) is here/g)].map(([, name]) => name);
	assert.deepEqual(here, ["z-base", "a-first"]);
	const out = (name: string) => new RegExp(`The extension '${name}' is not loaded, and none of its hooks run: (.*)`).exec(stderr)?.[1];
	assert.equal(out("b-old"), "it needs the extension 'z-base' ^3.0.0, and what is there is 2.1.0.");
	assert.equal(out("c-lost"), "it needs the extension 'nowhere' *, and there is none. Install that.");
	assert.match(out("d-one") ?? "", /one of a circle .*: d-one → e-two → d-one\./);
	assert.match(out("e-two") ?? "", /one of a circle/);
	assert.match(out("f-needs-broken") ?? "", /it needs the extension 'y-broken', which is not loaded\.$/);
	assert.match(out("y-broken") ?? "", /not today/);
});

test("an extension in Python comes after those it needs, and is held to its manifest as well", { timeout: 120_000 }, async () => {
	await using place = new Place();
	own(place, "base", "version: 1.0.0\n");
	writeFiles(join(place.home, "extensions/snake"), { "EXTENSION.yaml": "name: snake\nversion: 1.0.0\ndependencies: { base: ^1.0.0, other: '*' }\n", "__init__.py": "" });
	assert.match((await place.run(["run", "hello"])).stderr, /The extension 'snake' is not loaded.*needs the extension 'other' \*, and there is none/);
	own(place, "other", "version: 1.0.0\n");
	assert.doesNotMatch((await place.run(["extensions", "list"])).stdout, /not loaded/);
	own(place, "base", "version: 1.0.0\n", extension(`	throw new Error("not today");`));
	assert.match((await place.run(["run", "hello"])).stderr, /The extension 'snake' is not loaded.*__init__\.py: it needs the extension 'base', which is not loaded\./);
});

test("settings are held against the manifest's schema, and its defaults fill them", { timeout: 120_000 }, async () => {
	await using place = new Place();
	const config = "config:\n  type: object\n  additionalProperties: false\n  properties:\n    limit: { type: integer, default: 5 }\n    deep: { type: object, properties: { on: { type: boolean, default: true } } }\n";
	own(place, "tidy", `version: 1.0.0\n${config}`);
	assert.deepEqual((JSON.parse((await place.run(["extensions", "info", "tidy", "--json"])).stdout) as { config: unknown }).config, { limit: 5, deep: { on: true } });
	place.config("extensions: { tidy: { config: { limit: 7 } } }\n");
	assert.deepEqual((JSON.parse((await place.run(["extensions", "info", "tidy", "--json"])).stdout) as { config: unknown }).config, { limit: 7, deep: { on: true } });
	place.config("extensions: { tidy: { required: true, config: { limit: many, limt: 3 } } }\n");
	const { code, stderr } = await place.run(["run", "hello"]);
	assert.equal(code, 1);
	assert.match(stderr, /The extension 'tidy' is required .* and did not load: its settings \(extensions\.tidy\.config in config\.yaml\) are not as it wants them: .*'limt' is unknown: did you mean 'limit'.*'limit' must be integer, and is the string "many"\./);
});

test("a manifest with mistakes keeps its extension out, with line and column; one that is disabled may be as broken as it likes", { timeout: 120_000 }, async () => {
	await using place = new Place();
	own(place, "typo", "version: one\nhooks: []\n");
	own(place, "other-name", "version: 1.0.0\n");
	writeFiles(join(place.home, "extensions/other-name"), { "EXTENSION.yaml": "name: another\nversion: 1.0.0\n" });
	own(place, "tab", "version: 1.0.0\n\tevents: []\n");
	own(place, "asleep", "version: nonsense\n");
	place.config("extensions: { asleep: { enabled: false }, gone: { enabled: true } }\n");
	const file = (name: string) => join(place.home, "extensions", name, "EXTENSION.yaml");
	const found = await checks(place);
	assert.equal(found.length, 4, found.join("\n"));
	assert.match(found[0]!, /^extension other-name, problem: Not loaded: its EXTENSION\.yaml calls it 'another', and its folder is called 'other-name'\. Rename one of them\.$/);
	assert.ok(found[1]!.startsWith(`extension tab, problem: Not loaded: ${file("tab")}:3:1: this is not YAML: `), found[1]);
	assert.ok(found[2]!.startsWith(`extension typo, problem: Not loaded: ${file("typo")}:3:1: 'hooks' is unknown`), found[2]);
	assert.match(found[3]!, /^extension gone, warning: .* has settings for it, and there is none in/);
	const { stderr } = await place.run(["run", "hello"]);
	assert.doesNotMatch(stderr, /asleep/);
});

test("main names another file, and an extension needs no manifest", { timeout: 120_000 }, async () => {
	await using place = new Place();
	writeFiles(join(place.home, "extensions/elsewhere"), { "EXTENSION.yaml": "name: elsewhere\nversion: 1.0.0\nmain: src/start.ts\n", "src/start.ts": says("started elsewhere") });
	place.extension("single.ts", says("a single file"));
	const { stderr } = await place.run(["run", "hello"]);
	assert.match(stderr, /started elsewhere/);
	assert.match(stderr, /a single file/);
});

test("a lock file that is broken, or that others may write to, lets nothing with a manifest run, and nothing be installed", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await using author = await sources["folder"]!(place.folder);
	author.publish("1.0.0", guardPackage("1.0.0"));
	await place.run(["extensions", "install", author.source, "--yes"]);
	const lock = join(place.home, "extensions.lock.json");
	chmodSync(lock, 0o666);
	assert.match((await place.run(["run", "hello"])).stderr, /The extension 'calm' is not loaded.*extensions\.lock\.json, which says what was installed and granted, cannot be relied on: others may write to it\./);
	chmodSync(lock, 0o600);
	writeFileSync(lock, `{"version":1,"extensions":{"calm":{"version":"1.0.0"}}}`);
	assert.match((await place.run(["run", "hello"])).stderr, /cannot be relied on: what it says of 'calm' is not what 'hookline extensions' writes\./);
	const { code, stderr } = await place.run(["extensions", "install", author.source, "--yes"]);
	assert.equal(code, 1);
	assert.match(stderr, /cannot be relied on/);
});

test("an extension whose folder is gone is told of, can be brought back, and be forgotten", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await using author = await sources["folder"]!(place.folder);
	author.publish("1.0.0", guardPackage("1.0.0"));
	await place.run(["extensions", "install", author.source, "--yes"]);
	rmSync(join(place.home, "extensions/calm"), { recursive: true });
	assert.match((await place.run(["run", "hello"])).stderr, /The extension 'calm' is not loaded.*it was installed, and its folder is gone\. 'hookline extensions update calm' installs it again/);
	assert.equal((await place.run(["extensions", "update", "calm"])).code, 0);
	assert.deepEqual(await checks(place), []);
	rmSync(join(place.home, "extensions/calm"), { recursive: true });
	assert.equal((await place.run(["extensions", "remove", "calm"])).code, 0);
	assert.deepEqual(await checks(place), []);
});

test("one that others need is not removed, nor replaced by a version they do not work with", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await using author = await sources["folder"]!(place.folder);
	author.publish("1.0.0", guardPackage("1.0.0"));
	await place.run(["extensions", "install", author.source, "--yes"]);
	own(place, "needy", "version: 1.0.0\ndependencies: { calm: ^1.0.0 }\n");
	assert.match((await place.run(["extensions", "remove", "calm"])).stderr, /'calm' is needed by needy, so it is not removed\./);
	author.publish("2.0.0", guardPackage("2.0.0"));
	assert.match((await place.run(["extensions", "update", "calm"])).stderr, /'calm' 2\.0\.0 cannot be installed: the extension 'needy' needs 'calm' \^1\.0\.0\./);
	assert.match((await place.run(["extensions", "disable", "calm"])).stderr, /Not loaded without it: needy\./);
});
