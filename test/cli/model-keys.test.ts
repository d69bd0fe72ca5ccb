// Which key and which address a model is given: through the program, seen by a server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startAnthropicServer } from "../programs/anthropic-server.ts";
import type { ModelServer } from "../programs/model-server.ts";
import { Place } from "./program.ts";

let place: Place;
let server: ModelServer;
before(async () => {
	place = new Place();
	server = await startAnthropicServer();
});
after(async () => {
	await place[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});

/** The key the server saw. */
async function keySent(env: Readonly<Record<string, string>>): Promise<unknown> {
	const { stdout, stderr } = await place.run(["run", "--model", "anthropic:m1", "SAY hi"], { env: { HOOKLINE_BASE_URL: server.baseUrl, ...env } });
	assert.equal(stdout, "hi\n", stderr);
	return server.requests.at(-1)?.headers["x-api-key"];
}

test("the key is HOOKLINE_API_KEY, else the variable that config.yaml names, else the provider's usual one", async () => {
	place.config("model: {provider: anthropic, name: m1, api_key_env: MY_KEY}");
	const usual = { ANTHROPIC_API_KEY: "sk-usual" };
	assert.equal(await keySent(usual), "sk-usual");
	assert.equal(await keySent({ ...usual, MY_KEY: "sk-named" }), "sk-named");
	assert.equal(await keySent({ ...usual, MY_KEY: "sk-named", HOOKLINE_API_KEY: "sk-own" }), "sk-own");
	assert.equal(await keySent({}), undefined);
});

test("key and address that config.yaml gives for one provider are not used for another", async () => {
	place.config(`model: {provider: openai-compatible, name: m1, api_key_env: MY_KEY, base_url: ${server.baseUrl}}`);
	assert.equal(await keySent({ MY_KEY: "sk-of-another" }), undefined);
	// Without an address of its own it would have been asked at the other's.
	const { code, stderr } = await place.run(["run", "--model", "anthropic:m1", "SAY hi"], { env: { MY_KEY: "sk-of-another" } });
	assert.deepEqual([code, stderr], [1, "hookline: anthropic:m1 needs an API key. Set ANTHROPIC_API_KEY or HOOKLINE_API_KEY, or name the variable that holds the key as model.api_key_env in config.yaml.\n"]);
});

test("prices and effort of config.yaml are checked, with line and column", async () => {
	const file = place.config("model: {reasoning: hard}\nmodels:\n  anthropic:m1:\n    price: {input: free}\n");
	const { code, stderr } = await place.run(["run", "SAY hi"]);
	assert.equal(code, 1);
	for (const at of ["1:9", "4:", "none"]) assert.ok(stderr.includes(at === "none" ? at : `${file}:${at}`), `${at} in ${stderr}`);
});
