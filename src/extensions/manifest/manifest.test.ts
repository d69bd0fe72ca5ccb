import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { noPermissions } from "../permissions.ts";
import { checkedConfig } from "./config.ts";
import { ManifestError, parseManifest } from "./read.ts";

const parse = (text: string) => parseManifest(Buffer.from(text), "EXTENSION.yaml");

async function mistakes(text: string | Buffer): Promise<string> {
	try {
		await parseManifest(Buffer.from(text), "EXTENSION.yaml");
	} catch (error) {
		assert.ok(error instanceof ManifestError, String(error));
		return error.message;
	}
	return "none";
}

test("the manifest in docs/extensions-install.md is one, and what it leaves out is asked for by nobody", async () => {
	const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(new URL("../../../docs/extensions-install.md", import.meta.url), "utf8"))!;
	const { name, permissions, dependencies, config } = await parse(yaml!);
	assert.deepEqual([name, dependencies], ["no-sudo", { "audit-log": "^1.0.0" }]);
	assert.deepEqual(permissions, { ...noPermissions, events: ["tool.calling", "tool.called"], tools: { register: ["request_root"], override: [] }, hosts: ["audit.example.com"], env: ["AUDIT_TOKEN"], exec: ["git"] });
	assert.deepEqual(checkedConfig(config, undefined).config, { words: ["sudo", "doas"] });
	assert.deepEqual((await parse("name: a\nversion: 1.0.0\n")).permissions, noPermissions);
});

/** A manifest, and what is said about it. */
const wrong: readonly (readonly [text: string | Buffer, says: RegExp])[] = [
	["", /^EXTENSION\.yaml:1:1: 'name' is missing\.\nEXTENSION\.yaml:1:1: 'version' is missing\.$/],
	["- name\n", /^EXTENSION\.yaml:1:1: the whole must be object/],
	["name: a b\nversion: 1.0.0\n", /^EXTENSION\.yaml:1:1: 'name' does not fit\. What it is called everywhere: letters, digits, '\.', '_' and '-'\.$/],
	["name: ../a\nversion: 1.0.0\n", /^EXTENSION\.yaml:1:1: 'name' does not fit\. What it is called everywhere: letters, digits, '\.', '_' and '-'\.$/],
	["name: a\nversion: 1.0\n", /^EXTENSION\.yaml:2:1: 'version' must be string, and is 1\.$/],
	["name: a\nversion: '1.0'\n", /^EXTENSION\.yaml:2:1: 'version' must be a version as semver has it \(1\.2\.0\), and is "1\.0"\.$/],
	["name: a\nversion: 1.0.0\nhookline: soon\n", /^EXTENSION\.yaml:3:1: 'hookline' must be a range/],
	["name: a\nversion: 1.0.0\ndependencies:\n  b: 1.x\n  c: newest\n", /^EXTENSION\.yaml:5:3: 'dependencies\.c' must be a range of versions as semver has it \(\^1\.2\.0\), and is "newest"\.$/],
	["name: a\nversion: 1.0.0\npermissions:\n  events: [tool.calling]\n", /^EXTENSION\.yaml:4:3: 'permissions\.events' is unknown: the events it hooks stand in 'events' at the top\.$/],
	["name: a\nversion: 1.0.0\npermissions:\n  paths: { read: [../up] }\n", /^EXTENSION\.yaml:4:19: 'permissions\.paths\.read\[0\]' does not fit\. Those it reads: `/],
	["name: a\nversion: 1.0.0\npermissions:\n  paths: { write: ['~/x/../..'] }\n", /'permissions\.paths\.write\[0\]' does not fit/],
	["name: a\nversion: 1.0.0\nconfig: { type: array }\n", /^EXTENSION\.yaml:3:1: 'config' must be a JSON Schema of type object\.$/],
	["name: a\nversion: 1.0.0\nconfig: { type: object, properties: { n: { type: nonsense } } }\n", /^EXTENSION\.yaml:3:1: 'config' is no JSON Schema: /],
	["name: a\nname: b\nversion: 1.0.0\n", /^EXTENSION\.yaml:2:1: this is not YAML: /],
	["name: &a [*a]\nversion: 1.0.0\n", /^EXTENSION\.yaml:/],
	[Buffer.from([0x6e, 0xff, 0xfe]), /^EXTENSION\.yaml: this is no text file\.$/],
	[`name: a\nversion: 1.0.0\n#${"x".repeat(300_000)}\n`, /^EXTENSION\.yaml: it is longer than 256 KB/],
	["manifest: 7\nmagic: 1\n", /^EXTENSION\.yaml:1:1: it has format 7, and 1 is what this Hookline knows/],
];

for (const [text, says] of wrong) {
	test(`a manifest is refused: ${says.source}`, async () => assert.match(await mistakes(text), says));
}

test("defaults fill settings as deep as they stand, and what was set stays", () => {
	const schema = { type: "object", additionalProperties: false, properties: { a: { type: "integer", default: 1 }, list: { type: "array", default: [1] }, deep: { type: "object", properties: { b: { type: "boolean", default: false }, c: { type: "string" } } }, none: { type: "object", properties: { d: {} } } } };
	const { config, mistakes: none } = checkedConfig(schema, { a: 2, deep: { c: "x" } });
	assert.deepEqual([config, none], [{ a: 2, list: [1], deep: { b: false, c: "x" } }, []]);
	(config as { list: number[] }).list.push(2);
	assert.deepEqual(checkedConfig(schema, {}).config, { a: 1, list: [1], deep: { b: false } }, "the schema's own default is nobody's to change");
	assert.deepEqual(checkedConfig(schema, { a: "two", whatever: 1 }).mistakes, [`'whatever' is unknown (known: a, list, deep, none).`, `'a' must be integer, and is the string "two".`]);
	assert.deepEqual(checkedConfig(undefined, { x: 1 }), { config: { x: 1 }, mistakes: [] });
});
