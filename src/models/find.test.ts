import assert from "node:assert/strict";
import { test } from "node:test";
import { findModel, ModelConfigError, type ModelSpec, usualOf } from "./find.ts";

const baseUrl = "http://127.0.0.1:1/v1";
const refusalOf = (spec: ModelSpec): string => {
	try {
		findModel(spec);
	} catch (error) {
		assert.ok(error instanceof ModelConfigError, String(error));
		return error.message;
	}
	return assert.fail(`${spec.name} was found`);
};

test("a model is known by the name the user wrote", () => {
	assert.equal(findModel({ name: "rehearsal" }).name, "rehearsal");
	assert.equal(findModel({ name: "openai-compatible:qwen3:8b", baseUrl, apiKey: undefined }).name, "openai-compatible:qwen3:8b");
});

test("an unknown provider is refused with the nearest, or with how models are written", () => {
	assert.equal(refusalOf({ name: "rehersal" }), "There is no model provider 'rehersal'. Did you mean 'rehearsal'?");
	assert.equal(refusalOf({ name: "openai-compatable:x", baseUrl }), "There is no model provider 'openai-compatable'. Did you mean 'openai-compatible'?");
	assert.equal(refusalOf({ name: "gpt-4o" }), "There is no model provider 'gpt-4o'. A model is written rehearsal, anthropic:NAME, openai:NAME, google:NAME or openai-compatible:NAME.");
	assert.match(refusalOf({ name: "" }), /no model provider ''/);
	assert.match(refusalOf({ name: "constructor" }), /no model provider/);
});

test("what is missing is named with where to set it", () => {
	assert.equal(
		refusalOf({ name: "openai-compatible:m" }),
		"openai-compatible:m needs the address of its server. Set HOOKLINE_BASE_URL, or model.base_url in config.yaml, for example http://127.0.0.1:8080/v1.",
	);
	assert.match(refusalOf({ name: "openai-compatible:", baseUrl }), /names no model\. Write openai-compatible:NAME/);
	assert.match(refusalOf({ name: "openai-compatible", baseUrl }), /names no model/);
	assert.match(refusalOf({ name: "rehearsal:x" }), /no name behind it/);
});

test("a provider with an address of its own needs only a key, and at another address not even that", () => {
	assert.equal(
		refusalOf({ name: "anthropic:claude-opus-4-5" }),
		"anthropic:claude-opus-4-5 needs an API key. Set ANTHROPIC_API_KEY or HOOKLINE_API_KEY, or name the variable that holds the key as model.api_key_env in config.yaml.",
	);
	assert.match(refusalOf({ name: "openai:gpt-5", apiKey: " " }), /^openai:gpt-5 needs an API key\. Set OPENAI_API_KEY or/);
	assert.match(refusalOf({ name: "google:gemini-2.5-pro" }), /Set GOOGLE_GENERATIVE_AI_API_KEY or/);
	for (const name of ["anthropic:claude-opus-4-5", "openai:gpt-5", "google:gemini-2.5-pro"]) {
		assert.equal(findModel({ name, apiKey: "k" }).name, name);
		assert.equal(findModel({ name, baseUrl }).name, name);
		assert.match(refusalOf({ name: `${name.split(":")[0]}:`, apiKey: "k" }), /names no model/);
	}
	assert.equal(usualOf("google:x")?.keyVariable, "GOOGLE_GENERATIVE_AI_API_KEY");
	for (const name of ["rehearsal", "openai-compatible:x", "constructor:x", ""]) assert.equal(usualOf(name), undefined);
});

test("what is known of a model comes with it, and what the settings say of it comes first", () => {
	const name = "anthropic:claude-haiku-4-5-20251001";
	assert.deepEqual(findModel({ name, apiKey: "k" }).facts, { contextTokens: 200_000, maxOutputTokens: 64_000, price: { input: 1, output: 5, cachedInput: 0.1, cacheWrite: 1.25 } });
	assert.deepEqual(findModel({ name, apiKey: "k", facts: { maxOutputTokens: 7, price: { input: 9, output: 9 } } }).facts, { contextTokens: 200_000, maxOutputTokens: 7, price: { input: 9, output: 9 } });
	assert.deepEqual(findModel({ name: "anthropic:claude-of-tomorrow", apiKey: "k" }).facts, {});
});

test("an address or key that can never work is refused without repeating a secret", () => {
	const name = "openai-compatible:m";
	assert.match(refusalOf({ name, baseUrl: "127.0.0.1:8080" }), /model\.base_url.*'127\.0\.0\.1:8080' is not an http or https address/);
	assert.match(refusalOf({ name, baseUrl: "file:///etc" }), /not an http or https address/);
	assert.match(refusalOf({ name, baseUrl: "http://h/v1?key=s3cret" }), /'\?' or '#'/);
	for (const bad of ["http://joe:s3cret@host/v1", "ftp://joe:s3cret@host/v1", "http://h/v1?key=s3cret"]) assert.doesNotMatch(refusalOf({ name, baseUrl: bad }), /s3cret/);
	assert.match(refusalOf({ name, baseUrl, apiKey: "sk-s3cret\nmore" }), /API key holds white space/);
	assert.doesNotMatch(refusalOf({ name, baseUrl, apiKey: "sk-s3cret\nmore" }), /s3cret/);
});
