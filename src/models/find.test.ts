import assert from "node:assert/strict";
import { test } from "node:test";
import { findModel, ModelConfigError, type ModelSpec } from "./find.ts";

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
	assert.equal(refusalOf({ name: "gpt-4o" }), "There is no model provider 'gpt-4o'. A model is written rehearsal or openai-compatible:NAME.");
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

test("an address or key that can never work is refused without repeating a secret", () => {
	const name = "openai-compatible:m";
	assert.match(refusalOf({ name, baseUrl: "127.0.0.1:8080" }), /model\.base_url.*'127\.0\.0\.1:8080' is not an http or https address/);
	assert.match(refusalOf({ name, baseUrl: "file:///etc" }), /not an http or https address/);
	assert.match(refusalOf({ name, baseUrl: "http://h/v1?key=s3cret" }), /'\?' or '#'/);
	for (const bad of ["http://joe:s3cret@host/v1", "ftp://joe:s3cret@host/v1", "http://h/v1?key=s3cret"]) assert.doesNotMatch(refusalOf({ name, baseUrl: bad }), /s3cret/);
	assert.match(refusalOf({ name, baseUrl, apiKey: "sk-s3cret\nmore" }), /API key holds white space/);
	assert.doesNotMatch(refusalOf({ name, baseUrl, apiKey: "sk-s3cret\nmore" }), /s3cret/);
});
