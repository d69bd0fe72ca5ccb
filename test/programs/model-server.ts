// A model server on the loopback that speaks chat/completions with streaming. It answers in the language of the rehearsal model, keeps every
// request as the bytes it came in, and can be told to misbehave. In a test: `await using server = await startModelServer()`. As a program:
// `node test/programs/model-server.ts [--log FILE]` prints its base URL and serves until it is ended.
import { appendFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/events/payloads/facts.ts";
import { readChatBody } from "../../src/models/chat-body.ts";
import { planAnswer, tokensIn, words, type ScriptAnswer, type ScriptCall } from "../../src/models/rehearsal-script.ts";

export interface LoggedRequest {
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	/** Exactly what came over the wire. */
	readonly bytes: Buffer;
	readonly body: JsonObject;
	/** Settles when the answer is out, or the client has gone away: true when it was out. */
	readonly over: Promise<boolean>;
}

/** Answers one request in a way of its own. */
export type Answerer = (response: ServerResponse, request: LoggedRequest) => Promise<void> | void;

export interface ModelServer extends AsyncDisposable {
	readonly baseUrl: string;
	readonly requests: readonly LoggedRequest[];
	/** The next requests are answered so, one each; then the script goes on. */
	next(...answerers: Answerer[]): void;
	/** The request after those already there, once it has arrived. */
	arrival(): Promise<LoggedRequest>;
}

/** What a provider's server speaks; the rest is the same for all. */
export interface Protocol {
	/** What the base URL ends in. */
	readonly base: string;
	/** The path of a request. */
	readonly path: RegExp;
	/** What the request says; undefined when it has no conversation in it. */
	read(body: JsonObject): ReturnType<typeof readChatBody>;
	/** The answer as events of the stream, with usage and end. */
	events(answer: StreamedAnswer, about: Asked): AsyncIterable<string>;
	/** The body of an answer that fails. */
	failure(status: number, message: string): JsonObject;
}

export type StreamedAnswer = Exclude<ScriptAnswer, { kind: "http" }>;

export interface Asked {
	readonly body: JsonObject;
	/** How many messages the conversation has: makes ids that no later answer uses again. */
	readonly place: number;
	/** Tokens in the request. */
	readonly tokens: number;
	/** Aborted when the client has gone away. */
	readonly gone: AbortSignal;
}

export interface ServerOptions {
	readonly logFile?: string;
	/** chat/completions unless given. */
	readonly protocol?: Protocol;
}

export async function startModelServer({ logFile, protocol = chat }: ServerOptions = {}): Promise<ModelServer> {
	const requests: LoggedRequest[] = [];
	const queue: Answerer[] = [];
	let waiting: ((request: LoggedRequest) => void)[] = [];

	const server = createServer(async (incoming, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of incoming) chunks.push(chunk as Buffer);
		const bytes = Buffer.concat(chunks);
		const list = incoming.method === "GET" && incoming.url === `${protocol.base}/models`;
		if (!list && (incoming.method !== "POST" || !protocol.path.test(incoming.url ?? ""))) return void response.writeHead(404).end();
		const over = new Promise<boolean>((resolve) => response.once("close", () => resolve(response.writableFinished)));
		const body = list ? {} : parseBody(bytes);
		const request: LoggedRequest = { path: incoming.url!, headers: incoming.headers, bytes, body: body ?? {}, over };
		requests.push(request);
		if (logFile) appendFileSync(logFile, `${bytes.toString()}\n`);
		for (const arrived of waiting.splice(0)) arrived(request);
		if (body === undefined) return void response.writeHead(400).end("this is no JSON object");
		await (queue.shift() ?? (list ? page("application/json", JSON.stringify(models)) : script(protocol)))(response, request);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the model server has no port");

	return {
		baseUrl: `http://127.0.0.1:${address.port}${protocol.base}`,
		requests,
		next: (...answerers) => void queue.push(...answerers),
		arrival: () => new Promise((resolve) => (waiting = [...waiting, resolve])),
		async [Symbol.asyncDispose]() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}

/** What it says it has. */
const models: JsonObject = { object: "list", data: [{ id: "loopback", object: "model" }, { id: "qwen3:8b", object: "model", max_model_len: 40_960 }] };

function parseBody(bytes: Buffer): JsonObject | undefined {
	try {
		const body: unknown = JSON.parse(bytes.toString());
		return typeof body === "object" && body !== null && !Array.isArray(body) ? (body as JsonObject) : undefined;
	} catch {
		return undefined;
	}
}

/** As it should be: what the rehearsal model would say, streamed. */
const script = (protocol: Protocol): Answerer => async (response, request) => {
	const { body } = request;
	const read = protocol.read(body);
	if (read === undefined) return status(400, { body: "no messages" })(response, request);
	const answer = planAnswer(read);
	if (answer.kind === "http") {
		const headers = answer.retryAfterMs === undefined ? {} : { "retry-after": String(answer.retryAfterMs / 1000) };
		return status(answer.status, { headers, body: JSON.stringify(protocol.failure(answer.status, answer.message)) })(response, request);
	}
	openStream(response);
	const gone = new AbortController();
	response.once("close", () => gone.abort());
	const tokens = tokensIn(read.messages.reduce((sum, message) => sum + message.text.length, 0));
	for await (const event of protocol.events(answer, { body, place: read.messages.length, tokens, gone: gone.signal })) {
		if (response.destroyed) return;
		response.write(event);
	}
	response.end();
};

/** The words of a text, each in its time. */
export async function* spoken(answer: Extract<StreamedAnswer, { kind: "text" }>, gone: AbortSignal): AsyncGenerator<string, void, undefined> {
	for (const word of words(answer.text)) {
		yield word;
		if (answer.wordMs > 0) await sleep(answer.wordMs, undefined, { signal: gone }).catch(() => {});
	}
}

/** A text in two pieces, as arguments come. */
export function halves(text: string): readonly string[] {
	const middle = Math.ceil(text.length / 2);
	return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
}

/** Tokens in an answer. */
export const tokensOf = (answer: StreamedAnswer): number =>
	tokensIn(answer.kind === "text" ? answer.text.length : answer.kind === "calls" ? answer.calls.reduce((sum, call) => sum + call.arguments.length, 0) : 0);

const chat: Protocol = {
	base: "/v1",
	path: /\/chat\/completions$/,
	read: readChatBody,
	failure: (code, message) => ({ error: { message, code } }),
	async *events(answer, { body, place, tokens, gone }) {
		yield delta({ role: "assistant", content: "" });
		if (answer.kind === "text") for await (const word of spoken(answer, gone)) yield delta({ content: word });
		if (answer.kind === "half-call") return void (yield* callEvents(answer.call, 0, place).slice(0, 2));
		if (answer.kind === "calls") for (const [index, call] of answer.calls.entries()) yield* callEvents(call, index, place);
		yield delta({}, answer.kind === "calls" ? "tool_calls" : "stop");
		const wantsUsage = (body["stream_options"] as JsonObject | undefined)?.["include_usage"] === true;
		const said = tokensOf(answer);
		if (wantsUsage) yield chunk({ choices: [], usage: { prompt_tokens: tokens, completion_tokens: said, total_tokens: tokens + said, prompt_tokens_details: { cached_tokens: 0 } } });
		yield "data: [DONE]\n\n";
	},
};

function callEvents(call: ScriptCall, index: number, place: number): readonly string[] {
	const opening = { index, id: `call_${place}_${index}`, type: "function", function: { name: call.name, arguments: "" } };
	return [delta({ tool_calls: [opening] }), ...halves(call.arguments).map((part) => delta({ tool_calls: [{ index, function: { arguments: part } }] }))];
}

/** One event of the stream. */
export const chunk = (value: JsonObject): string => `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "loopback", ...value })}\n\n`;
/** One event with a piece of the answer. */
export const delta = (value: JsonObject, finish: string | null = null): string => chunk({ choices: [{ index: 0, delta: value, finish_reason: finish }] });

function openStream(response: ServerResponse): void {
	response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
}

/** Fails with a status. */
export function status(code: number, { headers = {}, body = "" }: { readonly headers?: Record<string, string>; readonly body?: string } = {}): Answerer {
	return (response) => void response.writeHead(code, { "content-type": "application/json", ...headers }).end(body);
}

/** A good status and a body that is no stream. */
export function page(type: string, body: string): Answerer {
	return (response) => void response.writeHead(200, { "content-type": type }).end(body);
}

/** An event stream of exactly these writes, then a proper end. Each goes out before the next is made, or they would arrive as one. */
export function stream(...writes: readonly (string | Uint8Array)[]): Answerer {
	return async (response) => {
		openStream(response);
		response.flushHeaders();
		for (const write of writes) {
			for (let turns = 0; turns < 3; turns++) await nextTurn();
			await new Promise((written) => response.write(write, written));
		}
		response.end();
	};
}

/** These writes, and when the client has read them (what is unread is lost with the connection) the connection is torn down. */
export function torn(read: Promise<void>, ...writes: readonly string[]): Answerer {
	return (response) => {
		openStream(response);
		for (const write of writes) response.write(write);
		void read.then(() => response.destroy());
	};
}

/** These writes, and then silence until the client goes away. Without any: not even the head of an answer. */
export function silence(...writes: readonly string[]): Answerer {
	return (response) => {
		if (writes.length === 0) return;
		openStream(response);
		for (const write of writes) response.write(write);
	};
}

if (import.meta.main) {
	const log = process.argv.indexOf("--log");
	const logFile = log > 0 ? process.argv[log + 1] : undefined;
	const server = await startModelServer(logFile === undefined ? {} : { logFile });
	console.log(server.baseUrl);
	for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void server[Symbol.asyncDispose]().then(() => process.exit(0)));
}
