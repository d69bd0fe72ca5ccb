import assert from "node:assert/strict";
import { test } from "node:test";
import { costOf, factsOf } from "./known.ts";

const price = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 };

test("a cost is the sum of what each kind of token costs", () => {
	assert.equal(costOf({ inputTokens: 1_000_000, outputTokens: 100_000 }, { price }), 4.5);
	const usage = { inputTokens: 1_000_000, cachedTokens: 500_000, cacheWriteTokens: 100_000, outputTokens: 0 };
	assert.ok(Math.abs((costOf(usage, { price }) ?? 0) - (1.2 + 0.15 + 0.375)) < 1e-9);
	assert.equal(costOf({ inputTokens: 0, outputTokens: 0 }, { price }), 0);
});

test("a figure or a price that is missing makes the cost unknown, not zero and not a guess", () => {
	assert.equal(costOf({ inputTokens: 5, outputTokens: 5 }, {}), undefined);
	assert.equal(costOf({ inputTokens: 5 }, { price }), undefined);
	assert.equal(costOf({ outputTokens: 5 }, { price }), undefined);
	const plain = { price: { input: 3, output: 15 } };
	assert.equal(costOf({ inputTokens: 5, outputTokens: 5, cachedTokens: 1 }, plain), undefined);
	assert.equal(costOf({ inputTokens: 5, outputTokens: 5, cacheWriteTokens: 1 }, plain), undefined);
	assert.ok(costOf({ inputTokens: 5, outputTokens: 5, cachedTokens: 0 }, plain));
});

test("reading the cache has its own price, and writing to it costs a quarter more", () => {
	assert.deepEqual(factsOf("anthropic:claude-opus-5-5").price, { input: 4, output: 20, cachedInput: 0.2, cacheWrite: 5 });
	assert.deepEqual(factsOf("anthropic:claude-opus-5").price, { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 });
});

test("where a price depends on more than tokens there is none", () => {
	for (const name of ["anthropic:claude-haiku-5-5", "google:gemini-2.5-pro"]) {
		assert.equal(factsOf(name).price, undefined);
		assert.equal(costOf({ inputTokens: 5, outputTokens: 5 }, factsOf(name)), undefined);
	}
});

test("a model with a date behind its name is that model, one with anything else is not", () => {
	assert.equal(factsOf("openai:gpt-5-2025-08-07").contextTokens, 400_000);
	assert.equal(factsOf("anthropic:claude-opus-4-5-20251101").price?.input, 5);
	for (const name of ["openai:gpt-5-turbo", "openai-compatible:gpt-5", "gpt-5", "constructor", "rehearsal"]) assert.deepEqual(factsOf(name), {}, name);
});
