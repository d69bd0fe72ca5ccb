import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, beforeEach, test } from "node:test";
import type { Config } from "../config/schema.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import type { ExtensionFailed } from "../events/payloads/house.ts";
import { inlineHost } from "../hosts/inline.ts";
import { newId } from "../system/ids.ts";
import { type ExtensionSet, loadExtensions, type LoadedExtensions, RequiredExtensionError, userExtensions } from "./load.ts";
import { userPackages } from "./python.ts";

const host = inlineHost({ onStray: () => {} });
after(() => host[Symbol.asyncDispose]());

let folder = "";
let engine: Engine;
let warnings: string[];
let kinds: string[];
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "hookline-load-"));
	engine = createEngine();
	warnings = [];
	kinds = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, body: string) => writeFileSync(join(folder, name), body);
const extension = (body: string) => `import { defineExtension, block } from "hookline";\nexport default defineExtension(async (hooks) => {\n${body}\n});\n`;
const load = (config: Config = {}): Promise<LoadedExtensions> => loadSet(userExtensions(folder, config.extensions ?? {}, "config.yaml"));
const loadSet = (set: ExtensionSet): Promise<LoadedExtensions> =>
	loadExtensions(set, {
		engine,
		host: async (kind) => (kinds.push(kind), host),
		facts: () => ({ eventId: newId("e"), at: Date.now(), surface: "test", cwd: folder, profile: "default" }),
		warn: (message) => warnings.push(message),
	});

test("hooks are registered in the order of the names, also when an earlier one loads slowly", async () => {
	put("a.ts", extension(`\tawait new Promise((resolve) => setTimeout(resolve, 100));\n\thooks.guard("tool.calling", () => undefined);`));
	put("b.ts", extension(`\thooks.guard("tool.calling", () => undefined);\n\thooks.guard("tool.calling", { priority: 1 }, () => undefined);`));
	const { loaded } = await load();
	assert.deepEqual(loaded.map(({ name, hooks }) => [name, ...hooks]), [["a", "a#1"], ["b", "b#1", "b#2"]]);
	assert.deepEqual(engine.hooks("tool.calling").map(({ id }) => id), ["b#2", "a#1", "b#1"]);
	assert.deepEqual(warnings, []);
});

test("an extension loads in the host its settings name; inline is the default", async () => {
	put("a.ts", extension(""));
	put("b.ts", extension(""));
	const { loaded } = await load({ extensions: { b: { host: "node" } } });
	assert.deepEqual(kinds, ["inline", "node"]);
	assert.deepEqual(loaded.map(({ host: kind }) => kind), ["inline", "node"]);
});

test("CommonJS is as good, also beside another", async () => {
	for (const name of ["a.js", "b.js", "c.js"]) put(name, `const { defineExtension } = require("hookline");\nmodule.exports = defineExtension((hooks) => { hooks.guard("tool.calling", () => undefined); });\n`);
	const { loaded, failed } = await load();
	assert.deepEqual(failed, []);
	assert.deepEqual(loaded.map(({ name }) => name), ["a", "b", "c"]);
});

test("one that is refused registers nothing, and observers are told", async () => {
	put("bad.ts", extension(`\thooks.guard("tool.calling", () => undefined);\n\thooks.guard("tool.caling", () => undefined);`));
	put("good.ts", extension(`\thooks.guard("tool.calling", () => undefined);`));
	const told: ExtensionFailed[] = [];
	engine.register([{ event: "extension.failed", stage: "observe", options: {}, host: "inline", source: { extension: "test", trust: "bundled", dialect: "native", rank: 0 }, handler: (failure: ExtensionFailed) => void told.push(failure) }]);
	const { loaded, failed } = await load();
	assert.deepEqual(loaded.map(({ name }) => name), ["good"]);
	assert.deepEqual(engine.hooks("tool.calling").map(({ id }) => id), ["good#1"]);
	assert.equal(failed.length, 1);
	assert.equal(failed[0]?.line, 4);
	await engine.idle();
	assert.deepEqual(told.map(({ extension: name, line, during }) => [name, line, during]), [["bad", 4, "load"]]);
	assert.match(warnings[0] ?? "", /^The extension 'bad' is not loaded, and none of its hooks run: .*bad\.ts:4: /);
});

test("one that is disabled is not even read", async () => {
	put("a.ts", `throw new Error("read");\n`);
	assert.deepEqual(await load({ extensions: { a: { enabled: false } } }), { loaded: [], failed: [], disabled: ["a"] });
	assert.deepEqual(warnings, []);
});

test("a required one that fails, is missing or is disabled stops the start; all of them are named", async () => {
	put("a.ts", "export default 1;\n");
	put("c.ts", extension(""));
	await assert.rejects(load({ extensions: { a: { required: true }, b: { required: true }, c: { required: true, enabled: false } } }), (error) => {
		assert.ok(error instanceof RequiredExtensionError);
		const lines = error.message.split("\n").filter((line) => line.startsWith("The extension"));
		assert.deepEqual(lines.map((line) => /'(\w)'/.exec(line)?.[1]).toSorted(), ["a", "b", "c"]);
		return true;
	});
});

test("a required one that loads is no trouble", async () => {
	put("a.ts", extension(""));
	assert.equal((await load({ extensions: { a: { required: true } } })).loaded.length, 1);
});

test("a set may have a host of its own, which settings cannot change", async () => {
	put("a.ts", extension(`\thooks.guard("tool.calling", () => undefined);`));
	const set = userExtensions(folder, { a: { host: "node" } }, "config.yaml");
	const { loaded } = await loadSet({ ...set, host: { name: "python", open: async () => host } });
	assert.deepEqual([kinds, loaded.map(({ name, host: kind }) => [name, kind])], [[], [["a", "inline"]]]);
	assert.deepEqual(warnings, ["config.yaml says 'host: node' of the extension 'a', which is written in Python and has a host of its own. Remove the line."]);
});

test("settings for one in Python are no trouble where the others are loaded, and the other way round", async () => {
	put("a.ts", extension(""));
	mkdirSync(join(folder, "guard"));
	put("guard/__init__.py", "");
	const settings = { a: {}, guard: { config: { plan: "x" } } };
	await load({ extensions: { ...settings, gaurd: {} } });
	assert.deepEqual(warnings.splice(0), [`config.yaml has settings for an extension 'gaurd', and there is none in ${folder}. Did you mean 'guard'?`]);
	const python = () => Promise.reject(new Error("there is no Python"));
	const { failed } = await loadSet(userPackages(folder, { ...settings, gaurd: {} }, "config.yaml", python));
	assert.deepEqual(failed.map(({ name, message }) => [name, message]), [["guard", `${join(folder, "guard/__init__.py")}: there is no Python`]]);
	assert.deepEqual(warnings, [`The extension 'guard' is not loaded, and none of its hooks run: ${join(folder, "guard/__init__.py")}: there is no Python`]);
});

test("settings for one that is not there are a warning with the nearest name", async () => {
	put("safety-gate.ts", extension(""));
	await load({ extensions: { "safty-gate": {} } });
	assert.match(warnings[0] ?? "", /^config\.yaml has settings for an extension 'safty-gate', and there is none in .*\. Did you mean 'safety-gate'\?$/);
});
