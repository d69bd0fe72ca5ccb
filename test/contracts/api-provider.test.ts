// Model providers that extensions bring, in whatever host their code runs.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Channel, ExtensionProvider, ModelAsked } from "../../src/events/providers.ts";
import { LoadError } from "../../src/hosts/host.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { type Opened, open } from "./opened.ts";

const answering = (complete: string, more = "") => `hookline.registerProvider({ name: "acme", summary: "Acme's models.", models: [{ name: "large", contextTokens: 1000, price: { input: 1, output: 2 } }], ${more} complete: ${complete} });`;
const served = (more: string) => `hookline.registerProvider({ name: "acme", summary: "Acme.", models: [], kind: "openai-compatible", ${more} } as never);`;

const refused: readonly (readonly [sentence: string, body: string, expected: RegExp])[] = [
	["a provider that does nothing", 'hookline.registerProvider({ name: "acme", summary: "A.", models: [] } as never);', /^\/a\.ts:3: a: registerProvider\('acme'\): 'complete' must be a function, not undefined; or say kind: 'openai-compatible' and its 'baseUrl'\.$/],
	["a provider with a server and a function", served("baseUrl: 'https://models.example.com', complete: () => ({})"), /it is either \{ kind: 'openai-compatible', baseUrl \} or has a function 'complete', and one of the two\./],
	["a provider of a kind there is not", 'hookline.registerProvider({ name: "acme", summary: "A.", models: [], kind: "grpc" } as never);', /'kind' is 'openai-compatible' or left out\./],
	["a server whose address has a password", served("baseUrl: 'https://me:secret@models.example.com'"), /'baseUrl' must be an http or https address without name, password/],
	["a header that breaks the request", served("baseUrl: 'https://models.example.com', headers: { 'x-a': 'b\\n' }"), /'headers' must be at most 32 names and texts\./],
	["a provider with a capital letter", answering("() => ({})").replace('"acme"', '"Acme"'), /'name' must be 1 to 32 lower-case letters, digits or '-'\./],
	["two models of one name", answering("() => ({})").replace("}], ", "} }, { name: 'large' }], ".replace("} }", "}")), /two of its models have the same name\./],
	["a price below nothing", answering("() => ({})").replace("input: 1", "input: -1"), /'price' of model 1 must be \{ input, output/],
	["tokens by a page without https", answering("() => ({})", "login: { kind: 'oauth', clientId: 'x', tokenUrl: 'http://acme.example.com/token', deviceUrl: 'https://acme.example.com' },"), /'tokenUrl' of its login must be an https address, or one of this machine\./],
	["a login that leads nowhere", answering("() => ({})", "login: { kind: 'oauth', clientId: 'x', tokenUrl: 'https://acme.example.com/token' },"), /its login needs an 'authorizeUrl' or a 'deviceUrl'\./],
];

const asked: ModelAsked = { model: "large", messages: [{ role: "user", text: "hello" }], tools: [] };
const never = new AbortController().signal;

async function providerIn(opened: Opened, body: string): Promise<ExtensionProvider> {
	await opened.load("a", body);
	return opened.brings().providers?.[0] ?? assert.fail("no provider was brought");
}

async function answerOf(provider: ExtensionProvider, { signal = never, key }: { readonly signal?: AbortSignal; readonly key?: string } = {}) {
	const deltas: [string, Channel][] = [];
	const answer = await provider.complete!(asked, { signal, key, onDelta: (delta, channel) => void deltas.push([delta, channel]) });
	return { answer, deltas };
}

for (const kind of ["inline", "node"] as const) {
	describe(`a model provider in the ${kind} host`, () => {
		for (const [sentence, body, expected] of refused) {
			test(`${sentence} is refused with its place, and the extension is not loaded`, async () => {
				await using opened = await open(kind);
				await assert.rejects(opened.load("a", body), (error) => error instanceof LoadError && expected.test(error.message.replaceAll(opened.path, "")) ? true : assert.fail(String(error)));
			});
		}

		test("it is told with its models and its login, and answers with its key in pieces of text and reasoning", async () => {
			await using opened = await open(kind);
			const provider = await providerIn(opened, answering("async ({ model, messages }, { key, onDelta }) => { onDelta({ reasoning: 'hm' }); await null; onDelta('Hel'); onDelta('lo'); return { text: `Hello ${model} ${messages[0]?.text} ${key}`, toolCalls: [{ id: '1', name: 'x', arguments: '{}' }], usage: { inputTokens: 3 } }; }", "login: { kind: 'key', help: 'Ask Acme.' }, keyVariable: 'ACME_KEY',"));
			const { complete: _, ...told } = provider;
			assert.deepEqual(told, { name: "acme", summary: "Acme's models.", models: [{ name: "large", contextTokens: 1000, price: { input: 1, output: 2 } }], keyVariable: "ACME_KEY", login: { kind: "key", help: "Ask Acme." } });
			assert.deepEqual(await answerOf(provider, { key: "sesame" }), {
				answer: { text: "Hello large hello sesame", toolCalls: [{ id: "1", name: "x", arguments: "{}" }], usage: { inputTokens: 3 } },
				deltas: [["hm", "reasoning"], ["Hel", "text"], ["lo", "text"]],
			});
		});

		test("a piece that is longer than a message arrives whole", async () => {
			await using opened = await open(kind);
			const provider = await providerIn(opened, answering("(_, { onDelta }) => { onDelta('é'.repeat(200_000)); return {}; }"));
			const { deltas } = await answerOf(provider);
			assert.equal(deltas.map(([delta]) => delta).join(""), "é".repeat(200_000));
		});

		test("what is no answer, and what is thrown, is told in words", async () => {
			await using opened = await open(kind);
			await opened.load("a", [answering("() => 5 as never"), answering("() => ({ toolCalls: [{}] }) as never").replace('"acme"', '"calls"'), answering("() => { throw new Error('no disk'); }").replace('"acme"', '"throws"'), answering("(_, { onDelta }) => { onDelta(5 as never); return {}; }").replace('"acme"', '"delta"')].join("\n"));
			const [number, calls, throws, delta] = opened.brings().providers!;
			await assert.rejects(answerOf(number!), /it gave 5, and a model gives \{ text, toolCalls, finish, usage \}/);
			await assert.rejects(answerOf(calls!), /'toolCalls' of the answer it gave is a list/);
			await assert.rejects(answerOf(throws!), /no disk/);
			await assert.rejects(answerOf(delta!), /onDelta\(\) takes a text or \{ reasoning \}, not 5/);
		});

		test("one that is stopped has its signal aborted", async () => {
			await using opened = await open(kind);
			const provider = await providerIn(opened, answering("(_, { signal, onDelta }) => { onDelta('begun'); return new Promise(() => signal.addEventListener('abort', () => hookline.log('stopped'))); }"));
			const stop = new AbortController();
			const running = provider.complete!(asked, { signal: stop.signal, onDelta: () => void setImmediate(() => stop.abort(new Error("the user stopped it"))) });
			running.catch(() => {});
			await eventually(() => opened.logged.includes("a: stopped"), "the provider heard of it");
		});

		test("it can be taken back, and leaves with its extension", async () => {
			await using opened = await open(kind);
			await opened.load("a", `const acme = ${answering("() => ({ text: 'x' })")}\nhookline.registerCommand({ name: "drop", summary: "drops", run() { acme[Symbol.dispose](); } });`);
			assert.equal(opened.brings().providers?.length, 1);
			await opened.brings().commands[0]!.run("", { signal: never, cwd: "/projects/a", sessionId: "s1" });
			await eventually(() => opened.brings().providers === undefined, "the change was told");
		});
	});
}
