import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../events/payloads/model.ts";
import { chatBody, chatMessages, ConversationBytes, readChatBody, wireArguments } from "./chat-body.ts";

test("arguments that are an object go out to the byte as the model wrote them", () => {
	for (const text of ['{"b": 1,\n "a":  "\\u00e9"}', "{}", '{"__proto__": {"x": 1}}', '{"n": 12345678901234567890}']) assert.equal(wireArguments(text), text);
});

test("arguments that are no object go out as an object that shows them", () => {
	for (const text of ['{"command": "ec', "ls -la", "[1]", '"text"', "null"]) assert.deepEqual(JSON.parse(wireArguments(text)), { invalid_arguments: text });
	assert.equal(wireArguments(""), "{}");
	assert.equal(wireArguments(" \n"), "{}");
});

test("a message is translated once and cannot be changed by who is shown it", () => {
	const message: Message = { role: "assistant", text: "", reasoning: "hm", toolCalls: [{ id: "1", name: "terminal", arguments: "{}" }] };
	const [first] = chatMessages([message]);
	assert.equal(chatMessages([{ role: "user", text: "before" }, message])[1], first);
	assert.throws(() => Object.assign((first as { tool_calls: { function: object }[] }).tool_calls[0]!.function, { arguments: "{rm}" }), TypeError);
});

test("every role has its shape on the wire", () => {
	const calls = [{ id: "c1", name: "terminal", arguments: '{"command":"ls"}' }];
	const messages: Message[] = [
		{ role: "system", text: "s" },
		{ role: "user", text: "u" },
		{ role: "assistant", text: "", reasoning: "because", toolCalls: calls },
		{ role: "tool", callId: "c1", name: "terminal", text: "no such file", isError: true },
		{ role: "assistant", text: "a", toolCalls: [] },
	];
	assert.deepEqual(chatMessages(messages), [
		{ role: "system", content: "s" },
		{ role: "user", content: "u" },
		{ role: "assistant", content: null, reasoning_content: "because", tool_calls: [{ id: "c1", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } }] },
		{ role: "tool", tool_call_id: "c1", content: "no such file" },
		{ role: "assistant", content: "a" },
	]);
});

test("a body is read back as it was meant, and one without messages is not", () => {
	const request = { messages: [{ role: "user", text: "hi" }], tools: [{ name: "t", description: "", parameters: {} }] } as const;
	assert.deepEqual(readChatBody(chatBody("m", request)), { messages: [{ role: "user", text: "hi", toolCalls: [] }], toolNames: ["t"] });
	assert.deepEqual(readChatBody({ messages: [{ role: "user", content: ["a", { text: "b" }, { image: 1 }] }, 7] }), {
		messages: [
			{ role: "user", text: "a\nb\n", toolCalls: [] },
			{ role: "undefined", text: "", toolCalls: [] },
		],
		toolNames: [],
	});
	assert.equal(readChatBody({ prompt: "hi" }), undefined);
});

test("a conversation that goes on, is cut or is changed is written as if it were written anew", () => {
	const bytes = new ConversationBytes();
	const turn = (n: number): Message[] => [
		{ role: "user", text: `question ${n} "ä\n` },
		{ role: "assistant", text: "", toolCalls: [{ id: `c${n}`, name: "terminal", arguments: `{"command":"echo ${n}"}` }] },
		{ role: "tool", callId: `c${n}`, name: "terminal", text: `${n}` },
	];
	const system = (): Message => ({ role: "system", text: "Be brief." });
	const [one, two, three] = [turn(1), turn(2), turn(3)];
	const added: Message = { role: "user", text: "for this call only" };
	const conversations = [[system()], [system(), ...one], [system(), ...one, added], [system(), ...one, ...two, added], [system(), ...one, ...two, ...three], [{ role: "system", text: "Be long." } as const, ...one], [system(), ...three, ...one], []];
	for (const messages of conversations) assert.equal(`[${Buffer.from(bytes.of(messages)).toString()}]`, JSON.stringify(chatMessages(messages)));
});
