import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf, asking, modelErrorOf, user, withResults } from "../../test/contracts/model.ts";
import { type ModelServer, status, stream } from "../../test/programs/model-server.ts";
import { added, called, done, ending, event, opening, said, startOpenAiServer } from "../../test/programs/openai-server.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { Model } from "./model.ts";
import { openAiModel } from "./openai.ts";
import type { ProviderSettings } from "./provider-model.ts";

function withServer(sentence: string, check: (server: ModelServer, model: Model) => Promise<void>, more: Partial<ProviderSettings> = {}): void {
	test(sentence, async () => {
		await using server = await startOpenAiServer();
		await check(server, openAiModel({ name: "openai:gpt-5", model: "gpt-5", baseUrl: server.baseUrl, apiKey: "sk-test", ...more }));
	});
}

const inputOf = (server: ModelServer, index: number) => server.requests[index]!.body["input"] as readonly JsonObject[];

const summary = (text: string) => ({ type: "summary_text", text });
const thought = { id: "rs_1", type: "reasoning" };
const reasoning = [
	added(0, { ...thought, summary: [], encrypted_content: "early" }),
	event("response.reasoning_summary_part.added", { item_id: "rs_1", output_index: 0, summary_index: 0 }),
	event("response.reasoning_summary_text.delta", { item_id: "rs_1", output_index: 0, summary_index: 0, delta: "First " }),
	event("response.reasoning_summary_text.delta", { item_id: "rs_1", output_index: 0, summary_index: 0, delta: "this." }),
	event("response.reasoning_summary_part.done", { item_id: "rs_1", output_index: 0, summary_index: 0 }),
	event("response.reasoning_summary_part.added", { item_id: "rs_1", output_index: 0, summary_index: 1 }),
	event("response.reasoning_summary_text.delta", { item_id: "rs_1", output_index: 0, summary_index: 1, delta: "Then that." }),
	event("response.reasoning_summary_part.done", { item_id: "rs_1", output_index: 0, summary_index: 1 }),
	done(0, { ...thought, summary: [summary("First this."), summary("Then that.")], encrypted_content: "sealed" }),
];
const args = '{ "command" :"ls"}';

withServer("reasoning, text and parallel calls come as such; reasoning goes back sealed, and arguments to the byte", async (server, model) => {
	server.next(stream(opening(), ...reasoning, said(1, "I ", "look."), ...called(2, "call_a", "terminal", args), ...called(3, "call_b", "terminal", args), ending()));
	const request = asking(user("look twice"));
	const answer = await answerOf(model, request);
	assert.equal(answer.reasoning, "First this.Then that.");
	assert.equal(answer.text, "I look.");
	assert.equal(answer.finish.reason, "tool-calls");
	assert.deepEqual(answer.calls.map(({ id, arguments: text }) => [id, text]), [["call_a", args], ["call_b", args]]);
	await answerOf(model, structuredClone(withResults(request, answer)));
	const plain = inputOf(server, 1).slice(2).map((item) => (item["type"] === "reasoning" ? { ...item, summary: (item["summary"] as JsonObject[]).map(({ text }) => text) } : item));
	assert.deepEqual(plain, [
		{ type: "reasoning", id: "rs_1", encrypted_content: "sealed", summary: ["First this.", "Then that."] },
		{ role: "assistant", content: "I look." },
		{ type: "function_call", call_id: "call_a", name: "terminal", arguments: args },
		{ type: "function_call", call_id: "call_b", name: "terminal", arguments: args },
		{ type: "function_call_output", call_id: "call_a", output: "ok" },
		{ type: "function_call_output", call_id: "call_b", output: "ok" },
	]);
});

withServer("nothing is stored over there, so the reasoning is asked for in sealed form", async (server, model) => {
	await answerOf(model, asking(user("SAY hi")));
	const { store, include } = server.requests[0]!.body as { store: boolean; include: readonly string[] };
	assert.equal(store, false);
	assert.deepEqual(include, ["reasoning.encrypted_content"]);
});

withServer("usage counts what was read from the cache", async (server, model) => {
	server.next(stream(opening(), said(0, "Hi"), ending({ input_tokens: 100, input_tokens_details: { cached_tokens: 64 }, output_tokens: 7, output_tokens_details: { reasoning_tokens: 5 } })));
	assert.deepEqual((await answerOf(model, asking(user("x")))).finish.usage, { inputTokens: 100, outputTokens: 7, cachedTokens: 64 });
});

withServer("an answer cut at the token limit, or by the filter, says so", async (server, model) => {
	const cut = (reason: string) => stream(opening(), said(0, "Hi"), event("response.incomplete", { response: { incomplete_details: { reason }, usage: { input_tokens: 1, output_tokens: 1 } } }));
	server.next(cut("max_output_tokens"), cut("content_filter"));
	assert.equal((await answerOf(model, asking(user("x")))).finish.reason, "length");
	assert.equal((await answerOf(model, asking(user("x")))).finish.reason, "content-filter");
});

withServer("an account without credit is not worth another try, wherever it is said; a failed answer is", async (server, model) => {
	const failed = (code: string) => stream(opening(), said(0, "Hello"), event("response.failed", { response: { error: { code, message: "so it is" } } }));
	const early = stream(opening(), event("error", { error: { type: "insufficient_quota", code: "insufficient_quota", message: "so it is", param: null } }));
	server.next(failed("insufficient_quota"), early, status(429, { body: '{"error":{"message":"so it is","code":"insufficient_quota"}}' }), failed("server_error"));
	const errors = [];
	for (let i = 0; i < 4; i++) errors.push(await modelErrorOf(model, asking(user("x"))));
	for (const { message } of errors) assert.match(message, /: so it is$/);
	assert.deepEqual(errors.map(({ retryable }) => retryable), [false, false, false, true]);
});

withServer("a server that asks for fewer requests says when to come back", async (server, model) => {
	server.next(status(429, { headers: { "retry-after-ms": "1500" }, body: '{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}' }));
	const { retryable, retryAfterMs } = await modelErrorOf(model, asking(user("x")));
	assert.deepEqual([retryable, retryAfterMs], [true, 1500]);
});

withServer(
	"how hard to think and how much to say are asked for as the settings say",
	async (server, model) => {
		await answerOf(model, asking(user("SAY hi")));
		const { max_output_tokens, reasoning: asked } = server.requests[0]!.body as { max_output_tokens: number; reasoning: { effort: string } };
		assert.deepEqual([max_output_tokens, asked.effort], [9000, "high"]);
	},
	{ reasoning: "high", maxOutputTokens: 9000 },
);
