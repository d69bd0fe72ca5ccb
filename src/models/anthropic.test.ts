import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf, asking, modelErrorOf, user, withResults } from "../../test/contracts/model.ts";
import { block, ending, event, opening, startAnthropicServer } from "../../test/programs/anthropic-server.ts";
import { type ModelServer, status, stream } from "../../test/programs/model-server.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import { anthropicModel } from "./anthropic.ts";
import type { Model } from "./model.ts";
import type { ProviderSettings } from "./provider-model.ts";

function withServer(sentence: string, check: (server: ModelServer, model: Model) => Promise<void>, more: Partial<ProviderSettings> = {}): void {
	test(sentence, async () => {
		await using server = await startAnthropicServer();
		await check(server, anthropicModel({ name: "anthropic:claude-opus-4-5", model: "claude-opus-4-5", baseUrl: server.baseUrl, apiKey: "sk-test", ...more }));
	});
}

type Content = readonly JsonObject[];
const sentBy = (server: ModelServer, index: number) => server.requests[index]!.body as unknown as { readonly system: Content; readonly messages: readonly { role: string; content: Content }[] };
const cache_control = { type: "ephemeral" };

const call = (index: number, id: string) => block(index, { type: "tool_use", id, name: "terminal", input: {} }, { type: "input_json_delta", partial_json: '{"command":' }, { type: "input_json_delta", partial_json: '"ls"}' });
/** Thinks, says something, thinks again in secret, and calls twice. */
const thoughtful = [
	opening(),
	block(0, { type: "thinking", thinking: "", signature: "" }, { type: "thinking_delta", thinking: "Let me " }, { type: "thinking_delta", thinking: "see." }, { type: "signature_delta", signature: "sig-1" }),
	block(1, { type: "text", text: "" }, { type: "text_delta", text: "I look." }),
	block(2, { type: "redacted_thinking", data: "hidden" }),
	call(3, "toolu_a"),
	call(4, "toolu_b"),
	ending("tool_use"),
];

withServer("reasoning, text and parallel calls come as such; reasoning goes back signed, where it stood", async (server, model) => {
	server.next(stream(...thoughtful));
	const request = asking(user("look twice"));
	const answer = await answerOf(model, request);
	assert.equal(answer.reasoning, "Let me see.");
	assert.equal(answer.text, "I look.");
	assert.equal(answer.finish.reason, "tool-calls");
	assert.deepEqual(answer.calls, ["toolu_a", "toolu_b"].map((id) => ({ id, name: "terminal", arguments: '{"command":"ls"}' })));
	// As the store gives it back after a restart.
	const later = structuredClone(withResults(request, answer));
	await answerOf(model, later);
	const { messages } = sentBy(server, 1);
	const use = (id: string) => ({ type: "tool_use", id, name: "terminal", input: { command: "ls" } });
	assert.deepEqual(messages[1], {
		role: "assistant",
		content: [{ type: "thinking", thinking: "Let me see.", signature: "sig-1" }, { type: "text", text: "I look." }, { type: "redacted_thinking", data: "hidden" }, use("toolu_a"), use("toolu_b")],
	});
	assert.deepEqual(messages[2], {
		role: "user",
		content: [
			{ type: "tool_result", tool_use_id: "toolu_a", content: "ok" },
			{ type: "tool_result", tool_use_id: "toolu_b", content: "ok", cache_control },
		],
	});
});

withServer("the prompt is cached up to the system prompt, the request before and the request itself", async (server, model) => {
	let request = asking(user('LOOP 2 terminal {"command":"true"}'));
	for (let step = 0; step < 3; step++) {
		const answer = await answerOf(model, request);
		request = withResults(request, answer);
	}
	const marksOf = (index: number) => sentBy(server, index).messages.map(({ content }) => content.filter((part) => "cache_control" in part).length);
	assert.deepEqual([0, 1, 2].map(marksOf), [[1], [1, 0, 1], [0, 0, 1, 0, 1]]);
	for (const index of [0, 1, 2]) assert.deepEqual(sentBy(server, index).system.map((part) => part["cache_control"]), [cache_control]);
	// But for the marks, each request begins with the one before.
	const bare = server.requests.map(({ body }) => JSON.stringify(body["messages"]).replaceAll(',"cache_control":{"type":"ephemeral"}', "").slice(0, -1));
	assert.ok(bare[1]!.startsWith(bare[0]!) && bare[2]!.startsWith(bare[1]!));
});

withServer("usage counts what was read from the cache and written to it as input", async (server, model) => {
	const usage = { input_tokens: 10, cache_read_input_tokens: 200, cache_creation_input_tokens: 30, output_tokens: 1 };
	server.next(stream(opening(usage), block(0, { type: "text", text: "" }, { type: "text_delta", text: "Hi" }), ending("end_turn", { output_tokens: 7 })));
	assert.deepEqual((await answerOf(model, asking(user("x")))).finish.usage, { inputTokens: 240, outputTokens: 7, cachedTokens: 200, cacheWriteTokens: 30 });
});

withServer("results that are mistakes are marked as such", async (server, model) => {
	const calls = [{ id: "toolu_a", name: "terminal", arguments: "{}" }];
	await answerOf(model, asking(user("x"), { role: "assistant", text: "", toolCalls: calls }, { role: "tool", callId: "toolu_a", name: "terminal", text: "no such file", isError: true }, user("SAY so")));
	assert.equal(sentBy(server, 0).messages[2]!.content[0]!["is_error"], true);
});

withServer("at the token limit a cut call is dropped, and so is a refusal's reason told apart", async (server, model) => {
	const cut = event("content_block_start", { index: 0, content_block: { type: "tool_use", id: "toolu_a", name: "terminal", input: {} } }) + event("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: '{"comm' } }) + event("content_block_stop", { index: 0 });
	server.next(stream(opening(), cut, ending("max_tokens")), stream(opening(), ending("refusal")));
	const limited = await answerOf(model, asking(user("x")));
	assert.deepEqual([limited.calls, limited.finish.reason], [[], "length"]);
	assert.equal((await answerOf(model, asking(user("x")))).finish.reason, "content-filter");
});

withServer("an overloaded server is worth another try", async (server, model) => {
	server.next(status(529, { headers: { "retry-after": "3" }, body: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' }));
	const { status: code, retryable, retryAfterMs, message } = await modelErrorOf(model, asking(user("x")));
	assert.deepEqual([code, retryable, retryAfterMs], [529, true, 3000]);
	assert.match(message, /: Overloaded$/);
});

withServer(
	"how hard to think and how much to say are asked for as the settings say",
	async (server, model) => {
		await answerOf(model, asking(user("SAY hi")));
		const { max_tokens, thinking } = server.requests[0]!.body as { max_tokens: number; thinking: { type: string } };
		assert.equal(thinking.type, "enabled");
		assert.ok(max_tokens >= 9000, String(max_tokens));
	},
	{ reasoning: "high", maxOutputTokens: 9000 },
);
