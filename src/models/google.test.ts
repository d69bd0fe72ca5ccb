import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf, asking, modelErrorOf, user, withResults } from "../../test/contracts/model.ts";
import { chunk, parts, startGoogleServer } from "../../test/programs/google-server.ts";
import { type ModelServer, status, stream } from "../../test/programs/model-server.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import { googleModel } from "./google.ts";
import type { Model } from "./model.ts";
import type { ProviderSettings } from "./provider-model.ts";

function withServer(sentence: string, check: (server: ModelServer, model: Model) => Promise<void>, more: Partial<ProviderSettings> = {}): void {
	test(sentence, async () => {
		await using server = await startGoogleServer();
		await check(server, googleModel({ name: "google:gemini-2.5-pro", model: "gemini-2.5-pro", baseUrl: server.baseUrl, apiKey: "sk-test", ...more }));
	});
}

const contentsOf = (server: ModelServer, index: number) => server.requests[index]!.body["contents"] as readonly { role: string; parts: readonly JsonObject[] }[];

withServer("thoughts, text and parallel calls come as such; signatures go back on the parts they came with", async (server, model) => {
	const call = (id: string) => ({ functionCall: { id, name: "terminal", args: { command: "ls" } } });
	server.next(stream(parts([{ text: "Let me see.", thought: true }]), parts([{ text: "I " }]), parts([{ text: "look." }]), parts([{ ...call("a"), thoughtSignature: "sig-a" }, call("b")], "STOP")));
	const request = asking(user("look twice"));
	const answer = await answerOf(model, request);
	assert.equal(answer.reasoning, "Let me see.");
	assert.equal(answer.text, "I look.");
	assert.equal(answer.finish.reason, "tool-calls");
	assert.deepEqual(answer.calls, ["a", "b"].map((id) => ({ id, name: "terminal", arguments: '{"command":"ls"}' })));
	await answerOf(model, structuredClone(withResults(request, answer)));
	const [, said, results] = contentsOf(server, 1);
	assert.deepEqual(said, { role: "model", parts: [{ text: "I look." }, { ...call("a"), thoughtSignature: "sig-a" }, call("b")] });
	assert.deepEqual(results?.parts.map((part) => (part["functionResponse"] as JsonObject)["id"]), ["a", "b"]);
});

withServer("a signature on a text goes back with it, and one that stands alone goes back alone", async (server, model) => {
	const request = asking(user("x"));
	const onText = [parts([{ text: "Hi", thoughtSignature: "on-text" }], "STOP")];
	const alone = [parts([{ text: "Hi" }]), parts([{ text: "", thoughtSignature: "alone" }], "STOP")];
	for (const [index, signature, answered] of [[1, "on-text", onText], [3, "alone", alone]] as const) {
		server.next(stream(...answered));
		const answer = await answerOf(model, request);
		await answerOf(model, { ...request, messages: [...withResults(request, answer).messages, user("SAY ok")] });
		assert.deepEqual(contentsOf(server, index)[1]?.parts, [{ text: "Hi", thoughtSignature: signature }]);
	}
});

withServer("usage counts thoughts as output, and what was read from the cache", async (server, model) => {
	server.next(stream(parts([{ text: "Hi" }], "STOP", { promptTokenCount: 100, cachedContentTokenCount: 64, candidatesTokenCount: 2, thoughtsTokenCount: 5, totalTokenCount: 107 })));
	assert.deepEqual((await answerOf(model, asking(user("x")))).finish.usage, { inputTokens: 100, outputTokens: 7, cachedTokens: 64 });
});

withServer("an answer cut at the token limit or by a filter, and a request that was blocked, say so", async (server, model) => {
	server.next(stream(parts([{ text: "Hi" }], "MAX_TOKENS")), stream(parts([], "SAFETY")), stream(chunk({ promptFeedback: { blockReason: "SAFETY" } })));
	const reasons = [];
	for (let i = 0; i < 3; i++) reasons.push((await answerOf(model, asking(user("x")))).finish.reason);
	assert.deepEqual(reasons, ["length", "content-filter", "content-filter"]);
});

withServer("a wrong key is named as such though it comes as a bad request, and the wait is read from the details", async (server, model) => {
	const failure = (error: JsonObject) => JSON.stringify([{ error }]);
	server.next(
		status(400, { body: failure({ code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] }) }),
		status(429, { body: failure({ code: 429, message: "Quota exceeded", status: "RESOURCE_EXHAUSTED", details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17s" }] }) }),
	);
	assert.match((await modelErrorOf(model, asking(user("x")))).message, /does not accept the API key \(HTTP 400\): API key not valid\. Set GOOGLE_GENERATIVE_AI_API_KEY/);
	const { retryable, retryAfterMs } = await modelErrorOf(model, asking(user("x")));
	assert.deepEqual([retryable, retryAfterMs], [true, 17_000]);
});

withServer(
	"how hard to think and how much to say are asked for as the settings say",
	async (server, model) => {
		await answerOf(model, asking(user("SAY hi")));
		const { maxOutputTokens, thinkingConfig } = server.requests[0]!.body["generationConfig"] as { maxOutputTokens: number; thinkingConfig: { thinkingBudget: number } };
		assert.equal(maxOutputTokens, 9000);
		assert.ok(thinkingConfig.thinkingBudget > 0);
	},
	{ reasoning: "high", maxOutputTokens: 9000 },
);
