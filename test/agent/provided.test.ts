// Models of providers that extensions bring, as a conversation finds and asks them.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { openModels } from "../../src/agent/models.ts";
import { Provided } from "../../src/agent/provided.ts";
import type { Config } from "../../src/config/schema.ts";
import type { ExtensionProvider } from "../../src/events/providers.ts";
import { extensionModel } from "../../src/models/extension-model.ts";
import { type Model, ModelError, type ModelPiece, type ProviderRequest } from "../../src/models/model.ts";
import { redactText } from "../../src/system/redact.ts";
import { type ModelServer, startModelServer, status } from "../programs/model-server.ts";
import { startOAuthServer } from "../programs/oauth-server.ts";

let home: string;
let server: ModelServer;
let warnings: string[];
let provided: Provided;
beforeEach(async () => {
	home = realpathSync(mkdtempSync(join(tmpdir(), "hookline-provided-")));
	server = await startModelServer();
	warnings = [];
	provided = new Provided({ home, warn: (message) => void warnings.push(message) });
});
afterEach(async () => {
	await server[Symbol.asyncDispose]();
	rmSync(home, { recursive: true, force: true });
});

const signal = new AbortController().signal;
const facts = { contextTokens: 9000, price: { input: 1, output: 2 } };
const served = (more: Partial<ExtensionProvider> = {}): ExtensionProvider => ({ name: "acme", summary: "Acme.", models: [{ name: "large", ...facts }], baseUrl: server.baseUrl, ...more });
const answering = (complete: NonNullable<ExtensionProvider["complete"]>, more: Partial<ExtensionProvider> = {}): ExtensionProvider => ({ name: "acme", summary: "Acme.", models: [{ name: "large" }], complete, ...more });
const models = (asked: string | undefined, config: Config = {}, environment: Readonly<Record<string, string>> = {}) => openModels(asked, environment, config, (message) => void warnings.push(message), provided);

async function say(model: Model, text = "SAY hello there", onRequest?: (request: ProviderRequest) => ProviderRequest | undefined): Promise<{ readonly text: string; readonly pieces: readonly ModelPiece[] }> {
	const pieces: ModelPiece[] = [];
	for await (const piece of model.stream({ messages: [{ role: "system", text: "Be kind." }, { role: "user", text }], tools: [] }, { signal, ...(onRequest && { onRequest }) })) pieces.push(piece);
	return { pieces, text: pieces.map((piece) => (piece.kind === "text" ? piece.delta : "")).join("") };
}

const failsWith = (expected: RegExp) => (error: unknown) => error instanceof ModelError && expected.test(error.message) ? true : assert.fail(String(error));

test("a server of an extension is asked with its headers and the key of its variable, and its facts are known", async () => {
	provided.set("a", [served({ headers: { "x-team": "blue" }, keyVariable: "ACME_KEY" })]);
	const { current, list } = ((all) => ({ current: all.current, list: all.list() }))(models("acme:large", {}, { ACME_KEY: "sesame-1234" }));
	assert.equal((await say(current)).text, "hello there");
	const [request] = server.requests;
	assert.deepEqual([request?.headers["x-team"], request?.headers["authorization"], request?.body["model"]], ["blue", "Bearer sesame-1234", "large"]);
	assert.deepEqual(current.facts, facts);
	assert.deepEqual(list.find(({ name }) => name === "acme:large"), { name: "acme:large", provider: "acme", facts, keyIn: "ACME_KEY" });
});

test("config.yaml may name it, say where its key is and what it costs; a variable meant for another provider is not sent", async () => {
	provided.set("a", [served()]);
	const config: Config = { model: { provider: "acme", name: "large", api_key_env: "MINE" }, models: { "acme:large": { price: { input: 5, output: 6 } } } };
	const { current } = models(undefined, config, { MINE: "sesame-5678" });
	await say(current);
	assert.equal(server.requests[0]?.headers["authorization"], "Bearer sesame-5678");
	assert.equal(current.facts?.price?.input, 5);
	const rehearsed = models("rehearsal", {}, { HOOKLINE_API_KEY: "of-another-1" });
	await rehearsed.choose("acme:large");
	await say(rehearsed.current);
	assert.equal(server.requests[1]?.headers["authorization"], undefined);
});

test("a name that is taken becomes <extension>.<name>, is reported, and stays when the other one leaves", () => {
	provided.set("a", [served()]);
	provided.set("project:b", [served(), { ...served(), name: "openai" }]);
	assert.deepEqual(provided.names, ["acme:large", "project.b.acme:large", "project.b.openai:large"]);
	assert.deepEqual(warnings, ["There is a model provider 'acme' already, so the one of the extension 'project:b' is called 'project.b.acme'.", "There is a model provider 'openai' already, so the one of the extension 'project:b' is called 'project.b.openai'."]);
	provided.delete("a");
	provided.set("project:b", [served()]);
	assert.deepEqual(provided.names, ["project.b.acme:large"]);
});

test("the model of an extension that has left fails in words, and never becomes another extension's", async () => {
	provided.set("a", [served()]);
	const { current } = models("acme:large");
	provided.delete("a");
	const gone = failsWith(/^acme:large is not there any more: the extension 'a', which brought it, has left or brings it no longer\. Choose another model with \/model\.$/);
	await assert.rejects(say(current), gone);
	provided.set("b", [served()]);
	await assert.rejects(say(current), gone);
	assert.equal(server.requests.length, 0);
	provided.delete("b");
	assert.throws(() => models("acme:large"), /There is no model provider 'acme'/);
	provided.set("a", [served()]);
	assert.throws(() => models("acmee:large"), /There is no model provider 'acmee'\. Did you mean 'acme'\?/);
	assert.equal((await say(current)).text, "hello there", "a newer version of the same extension is asked");
});

test("the function of an extension streams text and reasoning, adds what it did not stream, and asks for tools", async () => {
	const asked: unknown[] = [];
	provided.set("a", [answering(async (request, { onDelta }) => {
		asked.push(request);
		onDelta("hm", "reasoning");
		onDelta("Hel", "text");
		await Promise.resolve();
		onDelta("lo", "text");
		return { text: "Hello you", toolCalls: [{ id: "1", name: "x", arguments: "{}" }], usage: { inputTokens: 3 } };
	})]);
	const { pieces } = await say(models("acme:large").current, "hi");
	assert.deepEqual(pieces, [
		{ kind: "reasoning", delta: "hm" },
		{ kind: "text", delta: "Hel" },
		{ kind: "text", delta: "lo" },
		{ kind: "text", delta: " you" },
		{ kind: "tool-call", call: { id: "1", name: "x", arguments: "{}" } },
		{ kind: "finish", reason: "tool-calls", usage: { inputTokens: 3 } },
	]);
	assert.deepEqual(asked, [{ model: "large", messages: [{ role: "system", text: "Be kind." }, { role: "user", text: "hi" }], tools: [] }]);
});

test("hooks of model.requesting see what a function is asked, without a key, and may change it", async () => {
	let model = "";
	provided.set("a", [answering(async (request, { key }) => ((model = request.model), { text: key ?? "none" }), { keyVariable: "ACME_KEY" })]);
	const seen: ProviderRequest[] = [];
	const { text } = await say(models("acme:large", {}, { ACME_KEY: "sesame-1234" }).current, "hi", (request) => (seen.push(request), { ...request, body: { ...request.body, model: "small" } }));
	assert.deepEqual([text, model, seen[0]?.url], ["sesame-1234", "small", "extension:a/acme"]);
	assert.ok(!JSON.stringify(seen).includes("sesame"));
	await assert.rejects(say(models("acme:large").current, "hi", (request) => ({ ...request, body: {} })), failsWith(/has no messages or no tools/));
});

const failures: readonly (readonly [sentence: string, complete: NonNullable<ExtensionProvider["complete"]>, expected: RegExp, retryable: boolean])[] = [
	["what it throws, without the key in it", async (_, { key }) => { throw new Error(`no luck with ${key}`); }, /^acme:large \(of the extension 'a'\) failed: threw Error: no luck with \[redacted\]$|^acme:large \(of the extension 'a'\) failed: .*no luck with \[redacted\]$/, false],
	["what it says has failed", async () => ({ failed: { message: "too many", status: 429, retryable: true, retryAfterMs: 5 } }), /failed: too many$/, true],
	["an answer that is another than it streamed", async (_, { onDelta }) => (onDelta("yes", "text"), { text: "no" }), /the text it gave is another one than it streamed\./, false],
	["silence", () => new Promise(() => {}), /nothing came for 0\.05 s\./, true],
	["an answer without end", async (_, { signal: stop, onDelta }) => { while (!stop.aborted) onDelta("x".repeat(1024 * 1024), "text"); return {}; }, /its answer is longer than 16 million characters\./, false],
];
for (const [sentence, complete, expected, retryable] of failures) {
	test(`${sentence} is a failure of the model, in words`, async () => {
		const provider = answering(complete);
		const model = extensionModel({ name: "acme:large", model: "large", extension: "a", provider: () => provider, key: async () => "pelican-99", facts: {}, timeoutMs: 50 });
		await assert.rejects(say(model), (error) => failsWith(expected)(error) && (error as ModelError).retryable === retryable);
	});
}

test("a stop ends it at once, whatever the function does", async () => {
	const stop = new AbortController();
	let told: AbortSignal | undefined;
	provided.set("a", [answering((_, call) => ((told = call.signal), call.onDelta("begun", "text"), new Promise(() => {})))]);
	await assert.rejects(async () => {
		for await (const { kind } of models("acme:large").current.stream({ messages: [], tools: [] }, { signal: stop.signal })) stop.abort(new Error(`the user stopped it at its ${kind}`));
	}, /the user stopped it at its text/);
	assert.equal(told?.aborted, true);
});

test("who has to log in is told how, before anything is sent; a token the server refuses is renewed once", async () => {
	await using oauth = await startOAuthServer();
	const provider = served({ login: { kind: "oauth", clientId: "hookline", tokenUrl: `${oauth.url}/token`, deviceUrl: `${oauth.url}/device` } });
	provided.set("a", [provider]);
	const all = models("rehearsal");
	assert.match(all.list().find(({ name }) => name === "acme:large")?.missing ?? "", /^acme:large needs a login\. Run: hookline models login acme$/);
	await assert.rejects(all.choose("acme:large"), failsWith(/^You are not logged in for acme:large\. Run: hookline models login acme$/));
	await assert.rejects(say(models("acme:large").current), failsWith(/You are not logged in/));
	assert.equal(server.requests.length, 0);

	const form = { grant_type: "urn:ietf:params:oauth:grant-type:device_code" };
	const { access_token: access, refresh_token: refresh } = (await (await fetch(`${oauth.url}/token`, { method: "POST", body: new URLSearchParams(form) })).json()) as { readonly access_token: string; readonly refresh_token: string };
	await provided.logins.write("a", provider, { kind: "oauth", access, refresh });
	await all.choose("acme:large");
	assert.equal(all.list().find(({ name }) => name === "acme:large")?.keyIn, "your login");
	server.next(status(401, { body: `{"error":"${access} is over"}` }));
	assert.equal((await say(all.current)).text, "hello there");
	const sent = server.requests.map(({ headers }) => headers["authorization"]);
	assert.deepEqual(sent, [`Bearer ${access}`, `Bearer ${oauth.secrets.at(-2)}`]);
	server.next(status(401), status(401, { body: `{"error":"no ${oauth.secrets.at(-2)}"}` }));
	await assert.rejects(say(all.current), (error) => {
		assert.ok(!oauth.secrets.some((secret) => String(error).includes(secret)));
		return failsWith(/does not accept the API key \(HTTP 401\).*Run: hookline models login acme$/s)(error);
	});
	assert.equal(redactText(`Bearer: ${access}`).includes(access), false);
});
