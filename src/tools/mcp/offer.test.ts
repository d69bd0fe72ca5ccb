import assert from "node:assert/strict";
import { test } from "node:test";
import { listed, offerOf } from "./offer.ts";

const schema = { type: "object" };

test("two long names that begin alike stay two, and each is the same at every start", () => {
	const names = [`${"a".repeat(80)}1`, `${"a".repeat(80)}2`];
	const offer = () => offerOf("s", names.map((name) => ({ name, inputSchema: schema })), undefined).tools.map(({ name }) => name);
	assert.equal(new Set(offer()).size, 2);
	assert.ok(offer().every((name) => name.length === 64));
	assert.deepEqual(offer(), offer());
});

test("a server that gives the same page for ever, no list, or no page, comes to an end", async () => {
	assert.deepEqual(await listed(async () => ({ tools: [1], nextCursor: "same" })), { found: [1, 1], notes: ["Its list of tools does not say how it goes on, so it ends there."] });
	assert.deepEqual(await listed(async () => ({ tools: [1], nextCursor: 7 })), { found: [1], notes: ["Its list of tools does not say how it goes on, so it ends there."] });
	assert.deepEqual(await listed(async (cursor) => (cursor === undefined ? { tools: [1], nextCursor: "2" } : null)), { found: [1], notes: ["Page 2 of its list of tools is none, so the list ends before it."] });
	assert.deepEqual(await listed(async () => ({ tools: Array.from({ length: 900 }) })), { found: Array.from({ length: 500 }), notes: ["Its list of tools goes on after 500 tools on 1 page; no more are taken."] });
});

test("a schema that is no plain data, or deeper than any that is meant, keeps its tool out", () => {
	let deep: object = { type: "object" };
	for (let i = 0; i < 100; i++) deep = { type: "object", properties: { a: deep } };
	const own = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as object;
	const { tools, notes } = offerOf("s", [{ name: "deep", inputSchema: deep }, { name: "own", inputSchema: own }], undefined);
	assert.deepEqual(tools, []);
	assert.match(notes[0]!, /^The tool 'deep' is left out: its input schema is no JSON Schema \(.* nested more than 64 levels deep/);
	assert.match(notes[1]!, /^The tool 'own' is left out: its input schema is no JSON Schema \(.* has a key '__proto__'\)\.$/);
});
