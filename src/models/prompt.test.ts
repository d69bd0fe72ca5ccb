import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../events/payloads/model.ts";
import { promptWriter } from "./prompt.ts";

type Assistant = Extract<Message, { role: "assistant" }>;
const shape = { name: "p:m", namespace: "p", args: "parsed" } as const;
const call = { id: "c1", name: "terminal", arguments: '{"command":"ls"}' };
const callPart = { type: "tool-call", toolCallId: "c1", toolName: "terminal", input: { command: "ls" } };
const data = { signature: "s" };
const signed = { providerOptions: { p: data } };

/** An answer as this model gave it: thought, said, thought again, called. */
const answer: Assistant = {
	role: "assistant",
	text: "I look.",
	reasoning: "Where?Here.",
	toolCalls: [call],
	providerData: {
		model: "p:m",
		parts: [
			{ kind: "reasoning", length: 6, data },
			{ kind: "text", length: 7 },
			{ kind: "reasoning", length: 5, data },
			{ kind: "call", id: "c1", data },
		],
	},
};

const contentOf = (message: Assistant, of: Parameters<typeof promptWriter>[0] = shape) => promptWriter(of)([message])[0]?.content;

test("an answer goes back in the order and with the signatures it came with", () => {
	assert.deepEqual(contentOf(answer), [{ type: "reasoning", text: "Where?", ...signed }, { type: "text", text: "I look." }, { type: "reasoning", text: "Here.", ...signed }, { ...callPart, ...signed }]);
	// As the store gives it back.
	assert.deepEqual(contentOf(structuredClone(answer)), contentOf(answer));
});

test("another model is given the text and the calls, but no reasoning it cannot know", () => {
	assert.deepEqual(contentOf(answer, { ...shape, name: "p:other" }), [{ type: "text", text: "I look." }, callPart]);
	assert.deepEqual(contentOf({ role: "assistant", text: "Hi", reasoning: "unsigned" }), [{ type: "text", text: "Hi" }]);
});

test("a text that a hook changed is sent as it is, in its place, the reasoning unchanged around it", () => {
	const types = (message: Assistant) => (contentOf(message) as { type: string; text?: string }[]).map(({ type, text }) => [type, text]);
	assert.deepEqual(types({ ...answer, text: "[removed]" }), [["reasoning", "Where?"], ["text", "[removed]"], ["reasoning", "Here."], ["tool-call", undefined]]);
	assert.deepEqual(types({ ...answer, text: "" }), [["reasoning", "Where?"], ["reasoning", "Here."], ["tool-call", undefined]]);
});

test("when its calls were changed, or what was kept is damaged, the answer is sent without it", () => {
	const other = { ...call, id: "c2" };
	assert.deepEqual(contentOf({ ...answer, reasoning: "Where?" }), [{ type: "text", text: "I look." }, callPart]);
	assert.deepEqual(contentOf({ ...answer, toolCalls: [other] }), [{ type: "text", text: "I look." }, { ...callPart, toolCallId: "c2" }]);
	for (const parts of ["x", [{ kind: "reasoning" }], [null], [{ kind: "call", id: 1 }], [{ kind: "text", length: 7, data: "x" }], [{ kind: "text", length: 7 }]]) {
		assert.deepEqual(contentOf({ ...answer, providerData: { model: "p:m", parts } }), [{ type: "text", text: "I look." }, callPart], JSON.stringify(parts));
	}
});

test("results of one answer stand together, and mistakes are marked", () => {
	const result = (callId: string, isError: boolean): Message => ({ role: "tool", callId, name: "t", text: callId, isError });
	const part = (toolCallId: string, type: string) => ({ type: "tool-result", toolCallId, toolName: "t", output: { type, value: toolCallId } });
	const messages: Message[] = [{ role: "user", text: "u" }, result("1", false), result("2", true), { role: "user", text: "v" }, result("3", false)];
	const write = promptWriter(shape);
	for (const prompt of [write(messages), write(messages)]) {
		assert.deepEqual(prompt.map(({ role, content }) => [role, content]), [
			["user", [{ type: "text", text: "u" }]],
			["tool", [part("1", "text"), part("2", "error-text")]],
			["user", [{ type: "text", text: "v" }]],
			["tool", [part("3", "text")]],
		]);
	}
});

test("an answer in which nothing is left to say is left out", () => {
	assert.deepEqual(promptWriter(shape)([{ role: "assistant", text: " \n" }]), []);
});

test("arguments go out as text to the byte, or as what they mean; broken ones in an object that shows them", () => {
	const odd = { ...call, arguments: '{ "command" :"ls"}' };
	const inputOf = (args: "text" | "parsed", one = odd) => (contentOf({ role: "assistant", text: "", toolCalls: [one] }, { ...shape, args }) as { input: unknown }[])[0]?.input;
	assert.equal(inputOf("text"), odd.arguments);
	assert.deepEqual(inputOf("parsed"), { command: "ls" });
	assert.deepEqual(inputOf("parsed", { ...call, arguments: "ls -la" }), { invalid_arguments: "ls -la" });
});
