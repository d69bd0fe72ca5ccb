import assert from "node:assert/strict";
import { test } from "node:test";
import { HookFailure } from "../../events/failure.ts";
import type { Payloads } from "../../events/payloads/all.ts";
import { samplePayload } from "../../events/samples.ts";
import { events, type ExtensionHook } from "./events.ts";
import { argumentsOf, decisionIn, gives } from "./wire.ts";

const place = { cwd: "/projects/one", at: 0, eventId: "e" };
const sample = (hook: ExtensionHook, more: object = {}) => ({ ...samplePayload(events[hook], place), ...more });
const hooks = Object.keys(events) as readonly ExtensionHook[];

test("each hook is given exactly the arguments it is said to be given", () => {
	for (const hook of hooks) assert.deepEqual(Object.keys(argumentsOf(hook, sample(hook), {})).toSorted(), [...gives[hook]].toSorted(), hook);
});

const facts = { session_id: "20260101-120000-test", platform: "cli", user_id: "", chat_id: "", thread_id: "", chat_type: "", surface: "test", cwd: "/projects/one", metadata: { seen: 1 } };

test("an input is its text and who it came from", () => {
	const payload = sample("transform_user_input", { platform: "slack", userId: "7", chatId: "8", threadId: "9", chatType: "dm" });
	assert.deepEqual(argumentsOf("transform_user_input", payload, { seen: 1 }), { ...facts, turn_id: null, user_message: "List the files here.", platform: "slack", user_id: "7", chat_id: "8", thread_id: "9", chat_type: "dm" });
});

test("a model call has its messages as chat completions write them, the system prompt apart", () => {
	const messages: Payloads["model.calling"]["messages"] = [
		{ role: "system", text: "Be brief." },
		{ role: "user", text: "List." },
		{ role: "assistant", text: "", toolCalls: [{ id: "c1", name: "terminal", arguments: '{"command":"ls"}' }] },
		{ role: "tool", callId: "c1", name: "terminal", text: "a b" },
		{ role: "assistant", text: "Two." },
	];
	const expected = [
		{ role: "user", content: "List." },
		{ role: "assistant", content: "", tool_calls: [{ id: "c1", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } }] },
		{ role: "tool", tool_call_id: "c1", name: "terminal", content: "a b" },
		{ role: "assistant", content: "Two." },
	];
	const given = argumentsOf("before_llm_call", sample("before_llm_call", { messages }), { seen: 1 });
	assert.deepEqual(given, { ...facts, turn_id: "t_sample", messages: expected, system_prompt: "Be brief.", task_id: facts.session_id, model: "rehearsal", tool_names: ["terminal", "read_file"] });
});

test("a tool call has its arguments under our names and theirs", () => {
	const payload = sample("intercept_tool_call", { toolName: "patch", args: { path: "a", old: "x", new: "y" } });
	const given = argumentsOf("intercept_tool_call", payload, { seen: 1 });
	assert.deepEqual(given, { ...facts, turn_id: "t_sample", tool_name: "patch", tool_args: { path: "a", old: "x", new: "y", old_string: "x", new_string: "y" }, task_id: facts.session_id, tool_call_id: "call_sample" });
});

const answer = (action: unknown, value: unknown = null, metadata: unknown = {}) => ({ action, value, metadata });
const call = { toolName: "patch", args: { path: "a", old: "x", new: "y", all: true } };

for (const [sentence, hook, given, expected] of [
	["nothing decides nothing", "intercept_tool_call", null, undefined],
	["a pass decides nothing", "transform_user_input", answer("pass"), undefined],
	["a pass hands its notes on", "transform_user_input", answer("pass", null, { plan: true }), { kind: "pass", metadata: { plan: true } }],
	["a rewritten input is another text", "transform_user_input", answer("rewrite", "/plan it", { by: "me" }), { kind: "rewrite", value: "/plan it", metadata: { by: "me" } }],
	["a block says its value", "transform_user_input", answer("block", "Plan first."), { kind: "block", reason: "Plan first." }],
	["a no in another spelling is a no", "intercept_tool_call", answer("deny", "Plan first."), { kind: "block", reason: "Plan first." }],
	["a block without a value is a block", "intercept_tool_call", answer("block"), { kind: "block", reason: "" }],
	["a block with a value that is no text is a block", "intercept_tool_call", answer("block", { error: "no" }), { kind: "block", reason: '{"error":"no"}' }],
	["text for the system prompt", "before_llm_call", answer("inject_system", "Follow TDD."), { kind: "inject", text: "Follow TDD.", as: "system" }],
	["text as if the user had said it", "before_llm_call", answer("inject_user", "Plan first."), { kind: "inject", text: "Plan first.", as: "user" }],
	["no text adds nothing", "before_llm_call", answer("inject_user", " "), undefined],
	["rewritten arguments take the place of all: what they leave out is gone", "intercept_tool_call", answer("rewrite", { path: "b", old: "x", new: "y" }), { kind: "rewrite", value: { path: "b", old: "x", new: "y" } }],
	["either name of an argument keeps it", "intercept_tool_call", answer("rewrite", { path: "a", old_string: "x", new_string: "z", replace_all: true }), { kind: "rewrite", value: { path: "a", old: "x", new: "z", all: true } }],
	["arguments given back as they were change nothing", "intercept_tool_call", answer("rewrite", argumentsOf("intercept_tool_call", sample("intercept_tool_call", call), {})["tool_args"]), undefined],
] as const) {
	test(sentence, () => assert.deepEqual(decisionIn(hook, given, sample(hook, hook === "intercept_tool_call" ? call : {})), expected));
}

for (const [sentence, hook, given, expected] of [
	["an action that is none", "intercept_tool_call", answer("rewrit", {}), `answered with the action "rewrit". Did you mean 'rewrite'?`],
	["an action of another hook", "before_llm_call", answer("rewrite", []), `answered with the action "rewrite". before_llm_call takes pass, inject_system, inject_user, block.`],
	["an action that is no text", "transform_user_input", answer(7), "answered with the action 7. transform_user_input takes pass, rewrite, block."],
	["an input rewritten to what is no text", "transform_user_input", answer("rewrite", { a: 1 }), `answered 'rewrite' with a value that is no text: {"a":1}`],
	["arguments rewritten to what is no dict", "intercept_tool_call", answer("rewrite", ["ls"]), `answered 'rewrite' with a value that is no dict of arguments: ["ls"]`],
] as const) {
	test(`${sentence} is a failure that names it`, () => assert.throws(() => decisionIn(hook, given, sample(hook, call)), (error) => error instanceof HookFailure && (assert.deepEqual([error.kind, error.message], ["bad-answer", expected]), true)));
}
