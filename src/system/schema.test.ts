import assert from "node:assert/strict";
import { test } from "node:test";
import { mistakesIn, SchemaError } from "./schema.ts";

const schema = {
	type: "object",
	additionalProperties: false,
	required: ["path"],
	properties: {
		path: { type: "string", minLength: 1 },
		mode: { enum: ["fast", "slow"] },
		count: { type: "integer", minimum: 1 },
		edits: { type: "array", items: { type: "object", required: ["old"], properties: { old: { type: "string" }, "a/b": { type: "null" } } } },
	},
};
const said = (value: unknown) => mistakesIn(schema, value).map(({ message }) => message);

test("a value that fits has no mistakes", () => {
	assert.deepEqual(said({ path: "x", mode: "fast", count: 2, edits: [{ old: "" }] }), []);
});

test("each mistake names its place and what is right, all of them at once", () => {
	assert.deepEqual(said({}), ["'path' is missing"]);
	assert.deepEqual(said({ pth: "x", path: "y" }), ["'pth' is unknown: did you mean 'path' (known: path, mode, count, edits)"]);
	assert.deepEqual(said({ path: "x", mode: "fats", count: 0.5 }), ["'mode' must be one of fast, slow, and is the string \"fats\", did you mean 'fast'", "'count' must be integer, and is 0.5", "'count' must be >= 1, and is 0.5"]);
	assert.deepEqual(said({ path: "x", edits: [{ old: "" }, {}, { old: null, "a/b": 1 }] }), ["'edits[1].old' is missing", "'edits[2].old' must be string, and is null", "'edits[2].a/b' must be null, and is 1"]);
	assert.deepEqual(said([]), ["the whole must be object, and is an array"]);
	assert.deepEqual(said("x".repeat(100)), [`the whole must be object, and is the string "${"x".repeat(60)}"...`]);
});

test("the path leads to the mistake, and to an unknown property itself", () => {
	assert.deepEqual(mistakesIn(schema, { path: "x", edits: [{ old: "" }, { old: 1 }] }).map(({ path }) => path), [["edits", "1", "old"]]);
	assert.deepEqual(mistakesIn(schema, { path: "x", nope: 1 }).map(({ path }) => path), [["nope"]]);
	assert.deepEqual(mistakesIn(schema, {}).map(({ path }) => path), [[]]);
});

test("two schemas with one id do not meet", () => {
	assert.deepEqual(mistakesIn({ $id: "same", type: "string" }, "x"), []);
	assert.deepEqual(mistakesIn({ $id: "same", type: "number" }, 1), []);
});

test("schemas of older drafts work", () => {
	const tuple = { $schema: "http://json-schema.org/draft-07/schema#", type: "array", items: [{ type: "string" }], additionalItems: false };
	assert.deepEqual(mistakesIn(tuple, ["x"]), []);
	assert.equal(mistakesIn(tuple, ["x", 1]).length, 1);
	const newer = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "array", prefixItems: [{ type: "string" }], items: false };
	assert.equal(mistakesIn(newer, ["x", 1]).length, 1);
});

test("a schema that is broken is the schema's fault, each time it is used", () => {
	const broken = { type: "objekt" };
	for (const value of [{}, 1]) assert.throws(() => mistakesIn(broken, value), (error) => error instanceof SchemaError && error.about === "schema" && /objekt/.test(error.message));
	assert.throws(() => mistakesIn({ $ref: "#/nowhere" }, {}), (error) => error instanceof SchemaError && error.about === "schema");
});

test("a value so deep that it cannot be checked is the value's fault", () => {
	const recursive = { $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } }, $ref: "#/$defs/node" };
	let deep: object = {};
	for (let i = 0; i < 200_000; i++) deep = { next: deep };
	assert.throws(() => mistakesIn(recursive, deep), (error) => error instanceof SchemaError && error.about === "value");
});
