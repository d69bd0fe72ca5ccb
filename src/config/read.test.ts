import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigError, readConfig } from "./read.ts";
import { configSchema } from "./schema.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-config-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "config.yaml");

const read = (text: string) => {
	writeFileSync(file, text);
	return readConfig(file);
};
const refused = (text: string, message: string | RegExp) => assert.rejects(read(text), (error) => error instanceof ConfigError && (typeof message === "string" ? error.message === `${file}:${message}` : message.test(error.message)));

test("all settings are read as they are written", async () => {
	assert.deepEqual(
		await read(`
model: {provider: openai-compatible, name: pelican, base_url: "http://127.0.0.1:1/v1", api_key_env: MY_KEY}
agent: {max_steps: 9, max_attempts: 2, retry_base_ms: 5, max_parallel_tools: 3}
approvals: {timeout: 60}
trace: {max_records: 1000}
extensions:
  one: {enabled: false}
  two: {required: true, host: node}
`),
		{
			model: { provider: "openai-compatible", name: "pelican", base_url: "http://127.0.0.1:1/v1", api_key_env: "MY_KEY" },
			agent: { max_steps: 9, max_attempts: 2, retry_base_ms: 5, max_parallel_tools: 3 },
			approvals: { timeout: 60 },
			trace: { max_records: 1000 },
			extensions: { one: { enabled: false }, two: { required: true, host: "node" } },
		},
	);
});

test("no file, no folder, an empty file and one of comments mean no settings", async () => {
	assert.deepEqual(await readConfig(join(folder, "none.yaml")), {});
	assert.deepEqual(await readConfig(join(folder, "no/folder/none.yaml")), {});
	for (const text of ["", " \n\n", "# nothing\n", "---\n...\n", "\ufeff# with a mark in front\n"]) assert.deepEqual(await read(text), {}, JSON.stringify(text));
});

test("a file that cannot be read is an error, not no settings", async () => {
	const instead = join(folder, "folder.yaml");
	mkdirSync(instead);
	await assert.rejects(readConfig(instead), (error) => error instanceof ConfigError && error.message.startsWith(`${instead}: the configuration cannot be read: `));
});

test("every mistake has its line and column and what is right", async () => {
	await refused("model:\n  provder: rehearsal\n", "2:3: 'model.provder' is unknown: did you mean 'provider' (known: provider, name, base_url, api_key_env, api_key_file, api_key_keychain, fallbacks, reasoning).");
	await refused("agent:\n    max_steps: 1.5\n", "2:5: 'agent.max_steps' must be integer, and is 1.5.");
	await refused("extensions:\n  a:\n    enabled: yes\n", "3:5: 'extensions.a.enabled' must be boolean, and is the string \"yes\".");
	await refused("extensions:\n  a: true\n", "2:3: 'extensions.a' must be object, and is true.");
	await refused("model: {api_key_env: 'sk-123 abc'}\n", /1:9: 'model\.api_key_env' must match pattern/);
	await refused("agent: {max_steps: 1\nmodel: {}\n", /^.*:\d+:\d+: this is not YAML: /);
	await refused("just words", "1:1: the whole must be object, and is the string \"just words\".");
	await refused("agent: !!js/function 'x'\n", /agent/);
});

test("a bomb of aliases is refused instead of eaten", async () => {
	const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 12 }, () => `*a${i}`).join(", ")}]`);
	await assert.rejects(read(`a0: &a0 [x]\n${levels.join("\n")}\n`), (error) => error instanceof ConfigError && error.message.startsWith(`${file}:`));
});

test("keys named after parts of JavaScript are keys like others", async () => {
	await refused("__proto__: {max_steps: 1}\n", /'__proto__' is unknown/);
	await refused("constructor: 1\n", /'constructor' is unknown/);
	const { extensions } = await read("extensions:\n  constructor: {required: true}\n");
	assert.deepEqual(Object.keys(extensions ?? {}), ["constructor"]);
});

test("every setting is described, for whoever reads the documentation made of it", () => {
	const sections = Object.entries(configSchema.properties) as [string, { readonly properties?: Record<string, { readonly description?: string }> }][];
	const undescribed = sections.flatMap(([section, { properties = {} }]) => Object.entries(properties).flatMap(([name, { description }]) => (description ? [] : [`${section}.${name}`])));
	assert.deepEqual(undescribed, []);
});
