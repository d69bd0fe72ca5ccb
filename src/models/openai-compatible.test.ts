import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { answerOf, asking, failureOf, modelErrorOf, terminal, user, withResults } from "../../test/contracts/model.ts";
import { chunk, delta, page, silence, startModelServer, status, stream, torn, type Answerer, type ModelServer } from "../../test/programs/model-server.ts";
import type { Message } from "../events/payloads/model.ts";
import { ModelError, type Model, type ProviderRequest } from "./model.ts";
import { openAiCompatibleModel } from "./openai-compatible.ts";

const key = "sk-very-secret";
interface More {
	readonly timeoutMs?: number;
	readonly apiKey?: string;
}
const modelOf = ({ baseUrl }: { readonly baseUrl: string }, more: More = { apiKey: key }): Model => openAiCompatibleModel({ model: "m1", baseUrl, ...more });

function withServer(sentence: string, check: (server: ModelServer, model: Model) => Promise<void>): void {
	test(sentence, async () => {
		await using server = await startModelServer();
		await check(server, modelOf(server));
	});
}

const bytesOf = (server: ModelServer) => server.requests.map(({ bytes }) => bytes.toString());

// What is sent

withServer("identical requests are identical on the wire, and a longer history begins with the bytes of the shorter", async (server, model) => {
	const request = asking(user('CALL terminal {"command":"echo é"}'));
	const answer = await answerOf(model, request);
	// The same again from other objects, as after a resume; in a fresh model, as after a restart.
	await answerOf(modelOf(server), structuredClone(request));
	await answerOf(model, withResults(request, answer));
	const [first, second, third] = bytesOf(server);
	assert.equal(first, second);
	const messages = /^\{"model":"m1","messages":\[(.*)\],("tools":.*)$/;
	const [, short, rest] = messages.exec(first!)!;
	const [, long, laterRest] = messages.exec(third!)!;
	assert.ok(long!.startsWith(`${short},{"role":"assistant"`));
	assert.equal(rest, laterRest);
	assert.match(rest!, /"stream_options":\{"include_usage":true\}\}$/);
});

withServer("looking at a request does not change a byte of it", async (server, model) => {
	const request = asking(user("SAY hi"));
	await answerOf(model, request);
	await answerOf(model, request, { onRequest: ({ body }) => void ((body as Record<string, unknown>)["model"] = "scribbled") });
	const [plain, looked] = bytesOf(server);
	assert.equal(plain, looked);
});

withServer("one answer may be asked to be shorter than what is configured", async (server) => {
	const model = openAiCompatibleModel({ model: "m1", baseUrl: server.baseUrl, maxOutputTokens: 9000 });
	await answerOf(model, { ...asking(user("SAY hi")), maxOutputTokens: 7 });
	await answerOf(model, asking(user("SAY hi")));
	assert.deepEqual(server.requests.map(({ body }) => body["max_tokens"]), [7, 9000]);
});

withServer("past arguments are sent as the model wrote them; broken ones in an object that shows them", async (server, model) => {
	const odd = '{ "command" :"ls",\t"n": 1.0 }';
	for (const args of [odd, '{"command": "ec']) {
		const request = asking(user(`RAWCALL terminal ${args}`));
		await answerOf(model, withResults(request, await answerOf(model, request)));
	}
	type Sent = { tool_calls?: { function: { arguments: string } }[] }[];
	const sentBack = server.requests.flatMap(({ body }) => (body["messages"] as Sent).flatMap((message) => message.tool_calls ?? []));
	assert.deepEqual(sentBack.map((call) => call.function.arguments), [odd, '{"invalid_arguments":"{\\"command\\": \\"ec"}']);
});

withServer("hooks see and set headers, but not the key, the host or the URL", async (server, model) => {
	let seen: ProviderRequest | undefined;
	await answerOf(model, asking(user("SAY hi")), {
		onRequest: (request) => {
			seen = request;
			const headers = { ...request.headers, "X-Trace": "7", Authorization: "Bearer stolen", Host: "evil.example", "Content-Length": "3" };
			return { url: "http://127.0.0.1:1/elsewhere", body: { ...request.body, temperature: 0 }, headers };
		},
	});
	assert.doesNotMatch(JSON.stringify(seen), /secret/);
	assert.equal(seen?.url, `${server.baseUrl}/chat/completions`);
	const { headers, body } = server.requests[0]!;
	assert.equal(headers["authorization"], `Bearer ${key}`);
	assert.equal(headers["x-trace"], "7");
	assert.equal(headers.host, new URL(server.baseUrl).host);
	assert.equal(body["temperature"], 0);
});

withServer("headers and bodies of a hook that cannot be sent are refused by name", async (_server, model) => {
	const changing = (change: (request: ProviderRequest) => ProviderRequest) => modelErrorOf(model, asking(user("SAY hi")), { onRequest: change });
	const header = await changing((request) => ({ ...request, headers: { "x-note": "two\nlines" } }));
	assert.match(header.message, /a hook of model\.requesting.*'x-note' is no header name, or its value no header value/);
	const body = await changing((request) => ({ ...request, body: { n: 1n } }));
	assert.match(body.message, /a hook of model\.requesting.*its body is no JSON/);
	assert.equal(body.retryable, false);
});

withServer("without a key none is sent, and a slash at the end of the base URL does no harm", async (server) => {
	await answerOf(openAiCompatibleModel({ model: "m1", baseUrl: `${server.baseUrl}/` }), asking(user("SAY hi")));
	assert.equal(server.requests[0]!.headers["authorization"], undefined);
	assert.equal(server.requests[0]!.path, "/v1/chat/completions");
});

withServer("a history of 10,000 messages is translated once", async (server, model) => {
	const history = Array.from({ length: 10_000 }, (_, i): Message => ({ role: i % 2 ? "assistant" : "user", text: `message ${i}` }));
	let looks = 0;
	const watched = new Proxy(history[0]!, { get: (target, field, self) => (field === "text" && looks++, Reflect.get(target, field, self)) });
	const request = asking(watched, ...history, user("SEEN message"));
	assert.equal((await answerOf(model, request)).text, "10001");
	assert.equal((await answerOf(model, request)).text, "10001");
	assert.equal(looks, 1);
	assert.equal(server.requests.length, 2);
});

// What comes back

withServer("characters split over chunks arrive whole", async (server, model) => {
	const said = "Grüße 世界 👩‍👩‍👧";
	const bytes = Buffer.from(delta({ content: said }) + delta({}, "stop"));
	server.next(stream(...Array.from(bytes, (byte) => Uint8Array.of(byte))));
	assert.equal((await answerOf(model, asking(user("x")))).text, said);
	// A byte order mark, as some servers on Windows send it, in two halves.
	server.next(stream(Uint8Array.of(0xef, 0xbb), Buffer.concat([Uint8Array.of(0xbf), bytes])));
	assert.equal((await answerOf(model, asking(user("x")))).text, said);
});

withServer("reasoning is told apart from text, under both names servers have for it", async (server, model) => {
	server.next(stream(delta({ reasoning_content: "let me " }), delta({ reasoning: "think" }), delta({ content: "42" }), delta({}, "stop")));
	const { reasoning, text } = await answerOf(model, asking(user("x")));
	assert.deepEqual([reasoning, text], ["let me think", "42"]);
});

withServer("calls whose pieces are interleaved come out whole and in order", async (server, model) => {
	const call = (index: number, part: object) => delta({ tool_calls: [{ index, ...part }] });
	const opening = (index: number) => call(index, { id: `c${index}`, type: "function", function: { name: `tool${index}`, arguments: "" } });
	const more = (index: number, text: string) => call(index, { function: { arguments: text } });
	server.next(stream(opening(0), opening(1), more(1, '{"b"'), more(0, '{"a"'), more(0, ":0}"), more(1, ":1}"), delta({}, "stop")));
	const { calls, finish } = await answerOf(model, asking(user("x")));
	assert.deepEqual(calls, [
		{ id: "c0", name: "tool0", arguments: '{"a":0}' },
		{ id: "c1", name: "tool1", arguments: '{"b":1}' },
	]);
	assert.equal(finish.reason, "tool-calls");
});

withServer("a token limit is told, and the call it cut is not made", async (server, model) => {
	const calls = ["{}", '{"command":"rm -rf build'].map((args, index) => ({ index, id: `c${index}`, type: "function", function: { name: "terminal", arguments: args } }));
	server.next(stream(delta({ content: "So" }), delta({ tool_calls: calls }), delta({}, "length")));
	const answer = await answerOf(model, asking(user("x")));
	assert.equal(answer.finish.reason, "length");
	assert.deepEqual(answer.calls.map(({ id }) => id), ["c0"]);
});

withServer("figures a server does not count are absent, not zero", async (server, model) => {
	const usage = { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 4 } };
	server.next(stream(delta({ content: "a" }, "stop"), chunk({ choices: [], usage })), stream(delta({ content: "a" }, "stop")));
	assert.deepEqual((await answerOf(model, asking(user("x")))).finish.usage, { inputTokens: 9, cachedTokens: 4 });
	assert.deepEqual((await answerOf(model, asking(user("x")))).finish.usage, {});
});

// What goes wrong

/** The error of an answer given so. */
async function errorWith(answerer: Answerer, more: More = { apiKey: key }): Promise<ModelError> {
	await using server = await startModelServer();
	server.next(answerer);
	const error = await modelErrorOf(modelOf(server, more), asking(user("x")));
	assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /secret/);
	return Object.assign(error, { message: error.message.replaceAll(server.baseUrl, "URL") });
}

const json = (message: string) => JSON.stringify({ error: { message, type: "x" } });

test("a refused key says whose it is and what to set, and is never repeated", async () => {
	const refused = await errorWith(status(401, { body: json(`Incorrect key: ${key}`) }));
	assert.equal(
		refused.message,
		"The model server at URL does not accept the API key (HTTP 401): Incorrect key: [the key]. Set HOOKLINE_API_KEY, or name the variable that holds the key as model.api_key_env in config.yaml.",
	);
	assert.deepEqual([refused.status, refused.retryable], [401, false]);
	const missing = await errorWith(status(403), {});
	assert.match(missing.message, /^The model server at URL wants an API key and was given none \(HTTP 403\)\. Set HOOKLINE_API_KEY/);
});

test("an unknown model or address says to check both", async () => {
	const { message, retryable } = await errorWith(status(404, { body: '{"detail":"Not Found"}' }));
	assert.match(message, /knows no model 'm1', or nothing is served at that address \(HTTP 404\): Not Found\. Check the model's name\. Check the base URL \(HOOKLINE_BASE_URL/);
	assert.equal(retryable, false);
});

test("a refused request quotes the server in one short line", async () => {
	const { message, retryable } = await errorWith(status(400, { body: `"too\u001b[31m long\n${"x".repeat(1000)}"` }));
	assert.match(message, /^The model server at URL refused the request for 'm1' \(HTTP 400\): "too \[31m long x+ …$/);
	assert.ok(message.length < 400);
	assert.equal(retryable, false);
});

test("429 and 5xx are worth another try, after the wait the server asks for", async () => {
	const after = async (headers: Record<string, string>) => (await errorWith(status(429, { headers, body: json("slow down") }))).retryAfterMs;
	assert.equal(await after({ "retry-after": "7" }), 7000);
	assert.equal(await after({ "retry-after": "7", "retry-after-ms": "250" }), 250);
	const until = await after({ "retry-after": new Date(Date.now() + 3_600_000).toUTCString() });
	assert.ok(until !== undefined && until > 3_000_000 && until <= 3_600_000, String(until));
	assert.equal(await after({ "retry-after": new Date(0).toUTCString() }), 0);
	assert.equal(await after({ "retry-after": "soon" }), undefined);
	assert.equal(await after({}), undefined);
	const broken = await errorWith(status(502, { headers: { "content-type": "text/html" }, body: "<html>Bad gateway</html>" }));
	assert.equal(broken.message, "The model server at URL failed (HTTP 502).");
	assert.equal(broken.retryable, true);
});

withServer("a server that fails twice answers the third try", async (server, model) => {
	server.next(status(500), status(500));
	for (const attempt of ["first", "second"]) assert.equal((await modelErrorOf(model, asking(user("SAY up again")))).status, 500, attempt);
	assert.equal((await answerOf(model, asking(user("SAY up again")))).text, "up again");
});

test("answers that are no stream are told apart: nothing, a web page, JSON", async () => {
	const empty = await errorWith(page("text/event-stream", ""));
	assert.equal(empty.message, "The model server at URL answered with an empty body.");
	assert.equal(empty.retryable, true);
	assert.match((await errorWith(page("application/json", " \n"))).message, /empty body/);
	assert.match((await errorWith((response) => void response.writeHead(204).end())).message, /empty body/);
	const html = await errorWith(page("text/html", "\n<!doctype html><title>Router</title>"));
	assert.match(html.message, /^URL answered with a web page \(HTML\) instead of a model's answer\. Check the base URL .*\/v1\.$/);
	assert.equal(html.retryable, false);
	const plain = await errorWith(page("application/json", json("streaming is not supported")));
	assert.equal(plain.message, "The model server at URL answered with JSON instead of a stream: streaming is not supported");
	assert.match((await errorWith(page("text/event-stream", "\ud83d\ude00 not an event\n\n"))).message, /ended after 0 characters, without saying that it was finished/);
	assert.match((await errorWith(page("text/event-stream", "data: [DONE]\n\n"))).message, /ended after 0 characters/);
});

const call = { index: 0, id: "c1", type: "function", function: { name: "terminal", arguments: '{"comm' } };
const halfCall = [delta({ content: "Now: " }), delta({ tool_calls: [call] }), delta({ content: "…" })];

withServer("a stream that ends in the middle of a call says so, and the call is never made", async (server, model) => {
	server.next(stream(...halfCall));
	const { error, pieces } = await failureOf(model, asking(user("x")));
	assert.ok(error instanceof ModelError && error.retryable);
	assert.match(error.message, /^The stream of the model server at \S+ ended in the middle of a call of terminal, after 12 characters, without saying that it was finished\.$/);
	assert.ok(pieces.every(({ kind }) => kind === "text"));
});

withServer("a connection that breaks in the middle of a call says so, and the call is never made", async (server, model) => {
	const read = Promise.withResolvers<void>();
	server.next(torn(read.promise, ...halfCall));
	const kinds: string[] = [];
	const reading = async () => {
		for await (const piece of model.stream(asking(user("x")), { signal: new AbortController().signal })) {
			kinds.push(piece.kind);
			if (piece.kind === "text" && piece.delta === "…") read.resolve();
		}
	};
	await assert.rejects(reading, (error) => {
		assert.ok(error instanceof ModelError && error.retryable);
		assert.match(error.message, /^The connection to the model server at \S+ broke in the middle of a call of terminal, after 12 characters \(.+\)\.$/);
		return true;
	});
	assert.deepEqual(kinds, ["text", "text"]);
});

test("a stream that ends in the text says after how much", async () => {
	assert.match((await errorWith(stream(delta({ content: "Hello" })))).message, /^The stream of the model server at URL ended after 5 characters, without saying that it was finished\.$/);
});

test("an error in mid-stream is the server's sentence, and worth another try unless the request is to blame", async () => {
	const inStream = (error: unknown) => errorWith(stream(delta({ content: "Hello" }), chunk({ error })));
	const overloaded = await inStream({ message: "overloaded", code: 503 });
	assert.deepEqual([overloaded.message, overloaded.retryable, overloaded.status], ["The model server at URL failed, after 5 characters: overloaded", true, 503]);
	assert.equal((await inStream({ message: "too long", type: "invalid_request_error", code: "context_length_exceeded" })).retryable, false);
	assert.match((await inStream("just words")).message, /failed, after 5 characters: just words$/);
	assert.match((await inStream({ message: `no ${key}` })).message, /no \[the key\]$/);
});

test("garbage in the stream is shown, not passed over", async () => {
	const cut = await errorWith(stream(delta({ content: "Hello" }), 'data: {"choices":[{"del\n\n', delta({}, "stop")));
	assert.match(cut.message, /sent something that is no piece of an answer, after 5 characters: \{"choices":\[\{"del$/);
	const odd = await errorWith(stream('data: {"choices":"none"}\n\n', delta({}, "stop")));
	assert.match(odd.message, /no piece of an answer, after 0 characters: \{"choices":"none"\}$/);
	const nameless = await errorWith(stream(delta({ tool_calls: [{ index: 0, id: "c", function: { arguments: "{}" } }] }), delta({}, "tool_calls")));
	assert.match(nameless.message, /The answer of the model server at URL could not be read/);
	for (const { retryable } of [cut, odd, nameless]) assert.equal(retryable, true);
	assert.equal((await errorWith(stream(new Uint8Array(3000).map((_, i) => (i * 37) % 256)))).retryable, true);
});

test("a server that is silent, before or within its answer, is given up after the time-out", async () => {
	const unanswered = await errorWith(silence(), { timeoutMs: 50 });
	assert.deepEqual([unanswered.message, unanswered.retryable], ["The model server at URL gave no answer for 0.05 s.", true]);
	const stalled = await errorWith(silence(delta({ content: "Hello" })), { timeoutMs: 1000 });
	assert.match(stalled.message, /^The model server at URL sent nothing more, after 5 characters, for 1 s\.$/);
});

withServer("a reader that takes longer than the time-out is not the server's fault", async (server) => {
	const model = modelOf(server, { timeoutMs: 1000 });
	const words: string[] = [];
	for await (const piece of model.stream(asking(user(`SAY ${"w ".repeat(200)}`)), { signal: new AbortController().signal })) {
		if (piece.kind === "text" && words.push(piece.delta) === 1) await new Promise((resolve) => setTimeout(resolve, 1500));
	}
	assert.equal(words.length, 200);
});

test("nobody listening, and a host that is not there, name the address", async () => {
	const port = await new Promise<number>((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address() as { port: number };
			server.close(() => resolve(port));
		});
	});
	const refused = await modelErrorOf(modelOf({ baseUrl: `http://127.0.0.1:${port}/v1` }), asking(user("x")));
	assert.match(refused.message, new RegExp(`^Nothing answers at http://127\\.0\\.0\\.1:${port}/v1: the connection was refused\\.`));
	const unknown = await modelErrorOf(modelOf({ baseUrl: "http://nowhere.invalid/v1" }), asking(user("x")));
	assert.match(unknown.message, /^The host 'nowhere\.invalid' of http:\/\/nowhere\.invalid\/v1 cannot be found/);
	assert.deepEqual([refused.retryable, unknown.retryable], [true, true]);
});

test("an address that can never work is refused at once", () => {
	const isRefusal = (error: unknown) => error instanceof ModelError && !error.retryable && error.message.includes("'nonsense' is not an http or https address");
	assert.throws(() => modelOf({ baseUrl: "nonsense" }), isRefusal);
});

// Ending it

withServer("an abort in the middle closes the connection, and so does a reader that leaves early", async (server, model) => {
	for (const how of ["abort", "break"]) {
		const stop = new AbortController();
		const arrival = server.arrival();
		server.next(silence(delta({ content: "Hello" })));
		const read = async () => {
			for await (const piece of model.stream(asking(user("x")), { signal: stop.signal })) {
				if (how === "break" && piece.kind === "text") break;
				stop.abort("enough");
			}
		};
		if (how === "abort") await assert.rejects(read, (reason) => reason === "enough");
		else await read();
		assert.equal(await (await arrival).over, false);
	}
});

withServer("an abort before the head of the answer closes the connection", async (server, model) => {
	const stop = new AbortController();
	server.next(silence());
	const arrival = server.arrival();
	const failure = failureOf(model, { messages: [user("x")], tools: [terminal] }, { signal: stop.signal });
	const request = await arrival;
	stop.abort("enough");
	assert.equal((await failure).error, "enough");
	assert.equal(await request.over, false);
});
