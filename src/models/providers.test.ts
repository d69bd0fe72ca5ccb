// What holds for every provider that has an address of its own: whose key, which sentence, what is the same in each request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf, asking, failureOf, modelErrorOf, user, withResults } from "../../test/contracts/model.ts";
import * as anthropic from "../../test/programs/anthropic-server.ts";
import * as google from "../../test/programs/google-server.ts";
import { page, silence, status, stream, torn, type ModelServer } from "../../test/programs/model-server.ts";
import * as openai from "../../test/programs/openai-server.ts";
import { anthropicModel } from "./anthropic.ts";
import { googleModel } from "./google.ts";
import { ModelError, type Model, type ProviderRequest } from "./model.ts";
import { openAiModel } from "./openai.ts";
import type { ProviderSettings } from "./provider-model.ts";

interface Case {
	readonly name: string;
	open(settings: ProviderSettings): Model;
	start(): Promise<ModelServer>;
	/** The header the key goes in, and what it looks like there. */
	readonly credential: readonly [string, string];
	readonly keyVariable: string;
	/** "Hello", and no end. */
	readonly hello: string;
	/** An error of the provider in mid-stream; one of the request's own making. */
	readonly overloaded: string;
	readonly refused: string;
	/** Of the same system prompt and tools, the same bytes in every request. */
	readonly constant: readonly string[];
}

const key = "sk-very-secret";
const cases: readonly Case[] = [
	{
		name: "anthropic",
		open: anthropicModel,
		start: anthropic.startAnthropicServer,
		credential: ["x-api-key", key],
		keyVariable: "ANTHROPIC_API_KEY",
		hello: anthropic.opening() + anthropic.event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) + anthropic.event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Hello" } }),
		overloaded: anthropic.event("error", { error: { type: "overloaded_error", message: "too busy" } }),
		refused: anthropic.event("error", { error: { type: "invalid_request_error", message: "too busy" } }),
		constant: ["system", "tools"],
	},
	{
		name: "openai",
		open: openAiModel,
		start: openai.startOpenAiServer,
		credential: ["authorization", `Bearer ${key}`],
		keyVariable: "OPENAI_API_KEY",
		hello: openai.opening() + openai.said(0, "Hello"),
		overloaded: openai.event("error", { error: { type: "server_error", code: "server_error", message: "too busy", param: null } }),
		refused: openai.event("error", { error: { type: "invalid_request_error", code: "invalid_prompt", message: "too busy", param: null } }),
		constant: ["tools"],
	},
	{
		name: "google",
		open: googleModel,
		start: google.startGoogleServer,
		credential: ["x-goog-api-key", key],
		keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
		hello: google.parts([{ text: "Hello" }]),
		overloaded: google.chunk({ error: { code: 503, message: "too busy", status: "UNAVAILABLE" } }),
		refused: google.chunk({ error: { code: 400, message: "too busy", status: "INVALID_ARGUMENT" } }),
		constant: ["systemInstruction", "tools"],
	},
];

for (const one of cases) {
	const modelOf = ({ baseUrl }: ModelServer, more: Partial<ProviderSettings> = { apiKey: key }): Model => one.open({ name: `${one.name}:m1`, model: "m1", baseUrl, ...more });
	const withServer = (sentence: string, check: (server: ModelServer, model: Model) => Promise<void>) =>
		test(`${one.name}: ${sentence}`, async () => {
			await using server = await one.start();
			await check(server, modelOf(server));
		});
	const read = (server: ModelServer) => server.requests.map(({ bytes }) => bytes.toString());

	withServer("the same request is the same bytes, and system prompt and tools are in every one", async (server, model) => {
		const request = asking(user('PAR 2 terminal {"command":"echo é"}'));
		const answer = await answerOf(model, request);
		await answerOf(modelOf(server), structuredClone(request));
		await answerOf(model, withResults(request, answer));
		const [first, second, third] = read(server);
		assert.equal(first, second);
		for (const field of one.constant) {
			const bytes = JSON.stringify(server.requests[0]!.body[field]);
			assert.ok(bytes.length > 50 && first!.includes(bytes) && third!.includes(bytes), field);
		}
	});

	withServer("looking at a request does not change a byte of it, and shows no key", async (server, model) => {
		let seen: ProviderRequest | undefined;
		await answerOf(model, asking(user("SAY hi")));
		await answerOf(model, asking(user("SAY hi")), { onRequest: (request) => void ((seen = request), ((request.body as Record<string, unknown>)["tools"] = [])) });
		const [plain, looked] = read(server);
		assert.equal(plain, looked);
		assert.doesNotMatch(JSON.stringify(seen), /secret/);
		const [header, value] = one.credential;
		assert.equal(server.requests[1]!.headers[header], value);
	});

	withServer("without a key none is sent, whatever the environment holds", async (server) => {
		const before = process.env[one.keyVariable];
		process.env[one.keyVariable] = "sk-of-somebody";
		try {
			await answerOf(modelOf(server, {}), asking(user("SAY hi")));
		} finally {
			if (before === undefined) delete process.env[one.keyVariable];
			else process.env[one.keyVariable] = before;
		}
		assert.doesNotMatch(JSON.stringify(server.requests[0]!.headers), /somebody|x-api-key|authorization|x-goog-api-key/);
	});

	withServer("a refused key says whose it is and what to set, and is never repeated", async (server, model) => {
		server.next(status(401, { body: JSON.stringify({ error: { message: `wrong: ${key}` } }) }));
		const { message, retryable } = await modelErrorOf(model, asking(user("x")));
		const set = `Set ${one.keyVariable} or HOOKLINE_API_KEY, or name the variable that holds the key as model.api_key_env in config.yaml.`;
		assert.equal(message, `The model server at ${server.baseUrl} does not accept the API key (HTTP 401): wrong: [the key]. ${set}`);
		assert.equal(retryable, false);
	});

	withServer("an unknown model says to check its name", async (server, model) => {
		server.next(status(404, { body: '{"error":{"message":"no such model"}}' }));
		assert.match((await modelErrorOf(model, asking(user("x")))).message, /knows no model 'm1', .* \(HTTP 404\): no such model\. Check the model's name\. Check the base URL .* unless it is set, https:\/\/\S+ is used\.$/);
	});

	withServer("what is no stream is told apart: nothing, a web page, JSON", async (server, model) => {
		server.next(page("text/event-stream", ""), page("text/html", "<!doctype html>"), page("application/json", '{"error":{"message":"no streaming here"}}'));
		assert.match((await modelErrorOf(model, asking(user("x")))).message, /answered with an empty body/);
		assert.match((await modelErrorOf(model, asking(user("x")))).message, /answered with a web page \(HTML\)/);
		assert.match((await modelErrorOf(model, asking(user("x")))).message, /answered with JSON instead of a stream: no streaming here/);
	});

	withServer("an error in mid-stream is the server's sentence, and worth another try unless the request is to blame", async (server, model) => {
		server.next(stream(one.hello, one.overloaded), stream(one.hello, one.refused));
		const { error, pieces } = await failureOf(model, asking(user("x")));
		assert.ok(error instanceof ModelError && error.retryable);
		assert.match(error.message, /^The model server at \S+ failed, after 5 characters: too busy$/);
		assert.deepEqual(pieces, [{ kind: "text", delta: "Hello" }]);
		assert.equal((await modelErrorOf(model, asking(user("x")))).retryable, false);
	});

	withServer("an error before the first word is the server's sentence as well", async (server, model) => {
		server.next(stream(one.overloaded), stream(one.refused));
		const error = await modelErrorOf(model, asking(user("x")));
		assert.match(error.message, /^The model server at \S+ failed, after 0 characters: too busy$/);
		assert.equal(error.retryable, true);
		assert.equal((await modelErrorOf(model, asking(user("x")))).retryable, false);
	});

	withServer("a stream that ends without an end says after how much", async (server, model) => {
		server.next(stream(one.hello));
		const error = await modelErrorOf(model, asking(user("x")));
		assert.match(error.message, /ended after 5 characters, without saying that it was finished/);
		assert.equal(error.retryable, true);
	});

	withServer("a connection that breaks in the middle says so", async (server, model) => {
		const arrived = Promise.withResolvers<void>();
		server.next(torn(arrived.promise, one.hello));
		const reading = async () => {
			for await (const piece of model.stream(asking(user("x")), { signal: new AbortController().signal })) if (piece.kind === "text") arrived.resolve();
		};
		await assert.rejects(reading, (error) => error instanceof ModelError && error.retryable && /broke after 5 characters/.test(error.message));
	});

	withServer("garbage in the stream is shown, not passed over", async (server, model) => {
		server.next(stream(one.hello, "data: {\"garb\n\n"));
		const error = await modelErrorOf(model, asking(user("x")));
		assert.match(error.message, /sent something that is no piece of an answer, after 5 characters: \{"garb$/);
	});

	withServer("a server that is silent is given up after the time-out, and an abort closes the connection", async (server, model) => {
		server.next(silence(), silence(one.hello));
		assert.match((await modelErrorOf(modelOf(server, { timeoutMs: 50 }), asking(user("x")))).message, /gave no answer for 0\.05 s/);
		const stop = new AbortController();
		const arrival = server.arrival();
		const failure = failureOf(model, asking(user("x")), { signal: stop.signal });
		const request = await arrival;
		stop.abort("enough");
		assert.equal((await failure).error, "enough");
		assert.equal(await request.over, false);
	});
}
