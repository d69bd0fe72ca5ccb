import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeOptions, encodeOptions, Lines, maxLine, readFromChild } from "./protocol.ts";

const hook = { event: "tool.calling", stage: "guard", options: {}, file: "/a.ts", line: 1 };
const brings = { tools: [], commands: [], shortcuts: [], flags: [], providers: [] };
for (const [sentence, message] of [
	["is empty", ""],
	["is no JSON", "{"],
	["is no object", "[1]"],
	["has no type", "{}"],
	["has a type of its own", '{"t":"eval"}'],
	["has the type of something every object has", '{"t":"constructor"}'],
	["answers without a number", '{"t":"answer","id":"1"}'],
	["fails in a way that does not exist", '{"t":"answer","id":1,"failure":{"kind":"bored","message":"","counts":true}}'],
	["fails with half a failure", '{"t":"answer","id":1,"failure":{"kind":"threw"}}'],
	["changes the turn's state with no key", '{"t":"answer","id":1,"turn":[[1,2]]}'],
	["registers at no stage", JSON.stringify({ t: "loaded", extension: 1, hooks: [{ ...hook, stage: "spy" }], brings })],
	["registers without options", JSON.stringify({ t: "loaded", extension: 1, hooks: [{ ...hook, options: null }], brings })],
	["brings what is no list", JSON.stringify({ t: "loaded", extension: 1, hooks: [], brings: { ...brings, tools: {} } })],
	["brings more than anybody needs", JSON.stringify({ t: "brings", extension: 1, brings: { ...brings, tools: Array.from({ length: 201 }, () => ({})) } })],
	["asks with a list", '{"t":"ask","extension":1,"ask":1,"what":"model","args":[]}'],
	["hears an event without a name", '{"t":"on","extension":1,"number":1}'],
	["logs an object", '{"t":"log","extension":1,"message":{}}'],
] as const) {
	test(`a line from a child that ${sentence} is none of ours`, () => assert.equal(readFromChild(message), undefined));
}

test("messages of a child are read as they were written", () => {
	for (const message of [{ t: "ready" }, { t: "loaded", extension: 1, hooks: [hook], brings }, { t: "ask", extension: 1, ask: 2, what: "model", args: {} }, { t: "answer", id: 1, answer: { kind: "pass" }, turn: [["a"], ["b", 1]] }, { t: "pong", ping: 3 }]) {
		assert.deepEqual(readFromChild(JSON.stringify(message)), message);
	}
});

test("regular expressions survive, alone and in lists, and so do names", () => {
	const options = { tool: [/a\/b+/iu, "patch"], session: /x/, platform: "telegram", priority: 5 };
	assert.deepEqual(decodeOptions(JSON.parse(JSON.stringify(encodeOptions(options))) as Record<string, unknown>), options);
});

test("lines come out whole however they were cut", () => {
	const text = "one\ntwo\n\nthree has more\nunfinished";
	for (let size = 1; size <= text.length; size++) {
		const lines = new Lines();
		const found: string[] = [];
		for (let at = 0; at < text.length; at += size) found.push(...lines.push(text.slice(at, at + size), assert.fail));
		assert.deepEqual(found, ["one", "two", "", "three has more"]);
	}
});

test("a line without an end is reported before it fills the memory", () => {
	const lines = new Lines();
	let tooLong = 0;
	for (let length = 0; length <= maxLine; length += 1024 * 1024) assert.deepEqual([...lines.push("x".repeat(1024 * 1024), () => tooLong++)], []);
	assert.equal(tooLong, 1);
});
