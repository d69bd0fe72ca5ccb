import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../events/payloads/facts.ts";
import { builtInTools } from "./built-in.ts";
import { checkArguments } from "./schema.ts";

const tool = {
	name: "edit",
	parameters: {
		type: "object",
		properties: {
			path: { type: "string" },
			count: { type: "integer", minimum: 1 },
			edits: {
				type: "array",
				items: { type: "object", properties: { mode: { enum: ["read", "write"] }, "a/b": { type: "string" } }, required: ["mode"], additionalProperties: false },
			},
		},
		required: ["path"],
		additionalProperties: false,
	},
};
const check = (args: unknown) => checkArguments(tool, args);
const broken = (parameters: JsonObject, args: unknown = {}) => checkArguments({ name: "third", parameters }, args);

test("arguments that fit are silent", () => {
	assert.equal(check({ path: "a", count: 2, edits: [{ mode: "read" }] }), undefined);
});

test("every mistake is named with its path, and an unknown name with the nearest known one", () => {
	assert.equal(
		check({ pth: "a", count: 0 }),
		"The arguments do not fit the tool 'edit': 'path' is missing; 'pth' is unknown: did you mean 'path' (known: path, count, edits); 'count' must be >= 1, and is 0.",
	);
	assert.equal(
		check({ path: 5, edits: [{ mode: "reed" }, { mod: 1, "a/b": [] }] }),
		"The arguments do not fit the tool 'edit': 'path' must be string, and is 5; 'edits[0].mode' must be one of read, write, and is the string \"reed\", did you mean 'read'; " +
			"'edits[1].mode' is missing; 'edits[1].mod' is unknown: did you mean 'mode' (known: mode, a/b); 'edits[1].a/b' must be string, and is an array.",
	);
});

test("what is no object at all is said to be so", () => {
	for (const [args, what] of [[null, "null"], [[], "an array"], ["x", 'the string "x"'], [undefined, "undefined"]] as const) {
		assert.equal(check(args), `The arguments do not fit the tool 'edit': the whole must be object, and is ${what}.`);
	}
	assert.match(check(JSON.parse('{"path":"a","__proto__":{}}')) ?? "", /'__proto__' is unknown/);
});

test("a hundred mistakes make one sentence of bearable length", () => {
	const sentence = check({ path: "a", ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`unknown${i}`, 1])) }) ?? "";
	assert.match(sentence, /; and 90 more\.$/);
	assert.ok(sentence.length < 1_500);
});

test("a broken schema gives a sentence that does not blame the arguments", () => {
	assert.equal(
		broken({ type: "objekt" }),
		"The tool 'third' cannot be called: its schema is broken (type must be JSONType or JSONType[]: objekt). That is a defect of the tool, to be mended by who made it, not of these arguments.",
	);
	for (const schema of [{ $ref: "http://127.0.0.1/none" }, { properties: 3 }, { properties: { a: { pattern: "(" } } }, { required: "a" }]) {
		assert.match(broken(schema) ?? "", /^The tool 'third' cannot be called: its schema is broken \(/);
	}
});

test("schemas of older drafts, of the same id and with unknown keywords work", () => {
	const tuple = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: { a: { items: [{ type: "string" }] } } };
	assert.equal(broken(tuple, { a: [1] }), "The arguments do not fit the tool 'third': 'a[0]' must be string, and is 1.");
	assert.equal(broken({ $schema: "https://json-schema.org/draft/2020-12/schema", $id: "same", type: "object" }), undefined);
	assert.equal(broken({ $id: "same", type: "object", "x-own": 1, properties: { a: { format: "email" } } }, { a: "no address" }), undefined);
});

test("arguments nested so deeply that they cannot be checked give a sentence too", () => {
	let deep: JsonObject = {};
	for (let i = 0; i < 100_000; i++) deep = { a: deep };
	const nested = { type: "object", properties: { a: { $ref: "#" } } };
	assert.match(broken(nested, deep) ?? "", /^The arguments of the tool 'third' could not be checked \(Maximum call stack size exceeded\)\. Make them simpler\.$/);
});

test("the built-in tools stand in one order, and their schemas hold what they promise", () => {
	assert.equal(builtInTools(), builtInTools());
	assert.deepEqual(builtInTools().map(({ name }) => name), ["terminal", "read_file", "write_file", "patch", "search_files", "web_extract", "web_search", "todo", "memory"]);
	const empty = builtInTools().map((one) => checkArguments(one, {})?.replace(/^.*?: /, ""));
	assert.deepEqual(empty, ["'command' is missing.", "'path' is missing.", "'path' is missing; 'content' is missing.", "'path' is missing; 'old' is missing; 'new' is missing.", "'pattern' is missing.", "'url' is missing.", "'query' is missing.", "'action' is missing.", "'action' is missing; 'scope' is missing."]);
	const terminal = builtInTools()[0]!;
	assert.match(checkArguments(terminal, { command: "x", timeout_s: 601 }) ?? "", /'timeout_s' must be <= 600, and is 601\.$/);
	assert.equal(checkArguments(terminal, { command: "x", timeout_s: 0.5, background: true, cwd: "/" }), undefined);
});
