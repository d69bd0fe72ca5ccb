import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../events/payloads/model.ts";
import { asChatMessage, messagesFrom } from "./chat-messages.ts";

const conversation: readonly Message[] = [
	{ role: "system", text: "Be brief." },
	{ role: "user", text: "hello" },
	{ role: "assistant", text: "", toolCalls: [{ id: "c1", name: "terminal", arguments: '{"command":"ls"}' }, { id: "c2", name: "todo", arguments: "no JSON" }] },
	{ role: "tool", callId: "c1", name: "terminal", text: "a b" },
	{ role: "tool", callId: "c2", name: "todo", text: "" },
	{ role: "assistant", text: "two files" },
];

test("a conversation that is written as theirs is read as it was", () => {
	const theirs = conversation.map(asChatMessage);
	assert.deepEqual(theirs[2], { role: "assistant", content: "", tool_calls: [{ id: "c1", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } }, { id: "c2", type: "function", function: { name: "todo", arguments: "no JSON" } }] });
	assert.deepEqual(messagesFrom(theirs, "history"), conversation);
});

test("a result finds the name of its tool in the call, content may come in parts or be none, and who develops is the system", () => {
	const calls = [{ id: "c1", function: { name: "terminal", arguments: "{}" } }];
	const theirs = [{ role: "developer", content: [{ type: "text", text: "a" }, { type: "image_url" }, { text: "b" }] }, { role: "assistant", content: null, tool_calls: calls }, { role: "tool", tool_call_id: "c1", content: "x" }];
	assert.deepEqual(messagesFrom(theirs, "history"), [
		{ role: "system", text: "a\nb" },
		{ role: "assistant", text: "", toolCalls: [{ id: "c1", name: "terminal", arguments: "{}" }] },
		{ role: "tool", callId: "c1", name: "terminal", text: "x" },
	]);
});

const mistakes: readonly (readonly [unknown, string])[] = [
	["hello", `'history' must be a list of messages, each {"role": …, "content": …}.`],
	[["hello"], `history[0] must be a message: {"role": …, "content": …}.`],
	[[{ role: "user", content: 1 }], "history[0]: 'content' must be a text or a list of parts."],
	[[{ role: "assistant", content: "", tool_calls: {} }], "history[0]: 'tool_calls' must be a list."],
	[[{ role: "assistant", content: "", tool_calls: [{ id: "c" }] }], `history[0].tool_calls[0] must be {"id": …, "type": "function", "function": {"name": …, "arguments": "JSON as text"}}.`],
];

test("what is no message is refused with its place", () => {
	for (const [list, message] of mistakes) assert.throws(() => messagesFrom(list, "history"), { message });
});
