// What every model must do, whatever stands behind it. The model under test speaks the language of the rehearsal model.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Message, ToolCallRequest } from "../../src/events/payloads/model.ts";
import { ModelError, type Model, type ModelOptions, type ModelPiece, type ModelRequest, type ProviderRequest } from "../../src/models/model.ts";

/** A model, and whatever it needs to live. */
export interface ModelUnderTest extends AsyncDisposable {
	readonly model: Model;
}

/** Where the protocols differ. */
export interface Wire {
	/** The fields of a request, in their order. */
	readonly fields: readonly string[];
	/** The field the conversation is in. */
	readonly list: string;
	/** That field for the contract's system prompt and this message. */
	conversation(text: string): unknown;
	/** What a hook may put into that field instead. */
	saying(text: string): unknown;
	readonly url: RegExp;
	/** Arguments travel as text or as parsed values: then they are never broken, never come in halves, and lose their white space. */
	readonly args: "text" | "parsed";
}

/** chat/completions. */
const chat: Wire = {
	fields: ["model", "messages", "tools", "stream", "stream_options"],
	list: "messages",
	conversation: (text) => [
		{ role: "system", content: system.text },
		{ role: "user", content: text },
	],
	saying: (text) => [{ role: "user", content: [{ type: "text", text }] }],
	url: /\/chat\/completions$/,
	args: "text",
};

export interface Answer {
	readonly pieces: readonly ModelPiece[];
	readonly text: string;
	readonly reasoning: string;
	readonly calls: readonly ToolCallRequest[];
	readonly finish: ModelPiece & { kind: "finish" };
}

export const system = { role: "system", text: "You are being tested. Marker: zebra." } as const;
export const user = (text: string): Message => ({ role: "user", text });
export const terminal = { name: "terminal", description: "Runs a command.", parameters: { type: "object", properties: { command: { type: "string" } } } } as const;
const readFile = { name: "read_file", description: "Reads a file.", parameters: { type: "object", properties: { path: { type: "string" } } } } as const;

export const asking = (...messages: readonly Message[]): ModelRequest => ({ messages: [system, ...messages], tools: [terminal, readFile] });

/** Reads an answer to its end. Asserts that it ends with its only `finish`. */
export async function answerOf(model: Model, request: ModelRequest, options: Partial<ModelOptions> = {}): Promise<Answer> {
	const pieces: ModelPiece[] = [];
	for await (const piece of model.stream(request, { signal: new AbortController().signal, ...options })) pieces.push(piece);
	const finish = pieces.at(-1);
	assert.ok(finish?.kind === "finish", "the last piece is the finish");
	assert.equal(pieces.filter(({ kind }) => kind === "finish").length, 1);
	const joined = (kind: "text" | "reasoning") => pieces.map((piece) => (piece.kind === kind ? piece.delta : "")).join("");
	const calls = pieces.flatMap((piece) => (piece.kind === "tool-call" ? [piece.call] : []));
	return { pieces, text: joined("text"), reasoning: joined("reasoning"), calls, finish };
}

export interface Failure {
	readonly error: unknown;
	readonly pieces: readonly ModelPiece[];
}

/** The failure of an answer, and the pieces that came before it. */
export async function failureOf(model: Model, request: ModelRequest, options: Partial<ModelOptions> = {}): Promise<Failure> {
	const pieces: ModelPiece[] = [];
	try {
		for await (const piece of model.stream(request, { signal: new AbortController().signal, ...options })) pieces.push(piece);
	} catch (error) {
		return { error, pieces };
	}
	return assert.fail(`the model should have failed, and answered ${JSON.stringify(pieces)}`);
}

/** The ModelError of an answer that fails. */
export async function modelErrorOf(model: Model, request: ModelRequest, options: Partial<ModelOptions> = {}): Promise<ModelError> {
	const { error } = await failureOf(model, request, options);
	assert.ok(error instanceof ModelError, `a ModelError, not ${String(error)}`);
	return error;
}

/** The conversation after an answer whose calls all gave `ok`. */
export function withResults(request: ModelRequest, { text, reasoning, calls, finish: { providerData } }: Answer): ModelRequest {
	const results = calls.map(({ id, name }): Message => ({ role: "tool", callId: id, name, text: "ok" }));
	return { ...request, messages: [...request.messages, { role: "assistant", text, reasoning, toolCalls: calls, ...(providerData && { providerData }) }, ...results] };
}

export function modelContract(name: string, open: () => Promise<ModelUnderTest>, wire: Wire = chat): void {
	const withModel = (sentence: string, check: (model: Model) => Promise<void>) =>
		test(sentence, async () => {
			await using opened = await open();
			await check(opened.model);
		});

	describe(`the model contract: ${name}`, () => {
		withModel("text comes in pieces that add up to it, whatever script it is in", async (model) => {
			const said = "Grüße, 世界 👩‍👩‍👧 and  two  spaces";
			const { pieces, text, finish } = await answerOf(model, asking(user(`SAY ${said}`)));
			assert.equal(text, said);
			assert.ok(pieces.length > 4, "more than one piece");
			assert.equal(finish.reason, "stop");
		});

		withModel("a plain message is echoed", async (model) => {
			assert.equal((await answerOf(model, asking(user("hello there")))).text, "ECHO: hello there");
		});

		withModel("a call comes whole, with its arguments as they were written, and is answered after its result", async (model) => {
			const request = asking(user('CALL terminal {"command":  "echo hi"}'));
			const answer = await answerOf(model, request);
			assert.equal(answer.finish.reason, "tool-calls");
			assert.deepEqual(answer.calls.map(({ name, arguments: args }) => [name, args]), [["terminal", wire.args === "text" ? '{"command":  "echo hi"}' : '{"command":"echo hi"}']]);
			assert.equal((await answerOf(model, withResults(request, answer))).text, "DONE");
		});

		withModel("calls in one answer keep their order and have ids of their own, which later answers do not use again", async (model) => {
			const request = asking(user('PAR 5 read_file {"path":"$i"}'));
			const answer = await answerOf(model, request);
			assert.deepEqual(answer.calls.map((call) => call.arguments), ["0", "1", "2", "3", "4"].map((i) => `{"path":"${i}"}`));
			const later = await answerOf(model, { ...request, messages: [...withResults(request, answer).messages, user("PAR 5")] });
			assert.equal(new Set([...answer.calls, ...later.calls].map(({ id }) => id)).size, 10);
		});

		withModel("SEQ and LOOP give one call per answer, then DONE", async (model) => {
			for (const directive of ['SEQ\nCALL terminal {"command":"0"}\nCALL terminal {"command":"1"}', 'LOOP 2 terminal {"command":"$i"}']) {
				let request = asking(user(directive));
				for (const turn of ["0", "1"]) {
					const answer = await answerOf(model, request);
					assert.deepEqual(answer.calls.map((call) => call.arguments), [`{"command":"${turn}"}`]);
					request = withResults(request, answer);
				}
				assert.equal((await answerOf(model, request)).text, "DONE");
			}
		});

		if (wire.args === "text") withModel("arguments that are no JSON come as they were sent, and the conversation goes on after them", async (model) => {
			for (const bad of ['{"command": "ec', "ls -la", "[1, 2", '"text"', "{'single': 1}"]) {
				const request = asking(user(`RAWCALL terminal ${bad}`));
				const answer = await answerOf(model, request);
				assert.deepEqual(answer.calls.map((call) => call.arguments), [bad]);
				assert.equal((await answerOf(model, withResults(request, answer))).text, "DONE");
			}
		});

		withModel("it is told of the system prompt, the tools and every message", async (model) => {
			assert.equal((await answerOf(model, asking(user("SYSTEM zebra")))).text, "YES");
			assert.equal((await answerOf(model, asking(user("SYSTEM giraffe")))).text, "NO");
			assert.equal((await answerOf(model, asking(user("TOOLS")))).text, "terminal,read_file");
			assert.equal((await answerOf(model, { messages: [user("TOOLS")], tools: [] })).text, "");
			const history: Message[] = [user("needle"), { role: "assistant", text: "needle again" }];
			assert.equal((await answerOf(model, asking(...history, user("SEEN needle")))).text, "2");
		});

		withModel("an answer without content ends well", async (model) => {
			const { pieces } = await answerOf(model, asking(user("EMPTY")));
			assert.deepEqual(pieces.map(({ kind }) => kind), ["finish"]);
		});

		withModel("usage is counted", async (model) => {
			const { usage } = (await answerOf(model, asking(user("SAY some words here")))).finish;
			assert.ok(usage.inputTokens !== undefined && usage.inputTokens > 0);
			assert.ok(usage.outputTokens !== undefined && usage.outputTokens > 0);
		});

		withModel("failures say whether trying again makes sense, and when", async (model) => {
			const limited = await modelErrorOf(model, asking(user("HTTP 429 too fast, retry-after=2")));
			assert.deepEqual([limited.status, limited.retryable, limited.retryAfterMs], [429, true, 2000]);
			assert.match(limited.message, /too fast/);
			const broken = await modelErrorOf(model, asking(user("HTTP 503 overloaded")));
			assert.deepEqual([broken.status, broken.retryable, broken.retryAfterMs], [503, true, undefined]);
			const refused = await modelErrorOf(model, asking(user("HTTP 401 no")));
			assert.deepEqual([refused.status, refused.retryable], [401, false]);
		});

		if (wire.args === "text") withModel("half a call is a failure worth another try, and never a call", async (model) => {
			const { error, pieces } = await failureOf(model, asking(user('HALF terminal {"command":"rm -rf build"}')));
			assert.ok(error instanceof ModelError && error.retryable);
			assert.match(error.message, /ended in the middle of a call of terminal/);
			assert.deepEqual(pieces, []);
		});

		withModel("the same request gets the same answer", async (model) => {
			const request = asking(user('CALL terminal {"command":"date"}'));
			assert.deepEqual((await answerOf(model, request)).pieces, (await answerOf(model, request)).pieces);
		});

		requestHooks(withModel, wire);
		interruption(withModel);
	});
}

type WithModel = (sentence: string, check: (model: Model) => Promise<void>) => unknown;

function requestHooks(withModel: WithModel, wire: Wire): void {
	withModel("onRequest sees the provider's body once per try, and leaves it alone with undefined", async (model) => {
		const seen: ProviderRequest[] = [];
		const { text } = await answerOf(model, asking(user("SAY as it was")), { onRequest: (request) => void seen.push(request) });
		assert.equal(text, "as it was");
		assert.equal(seen.length, 1);
		const { body, headers, url } = seen[0]!;
		assert.deepEqual(Object.keys(body), wire.fields);
		assert.deepEqual(body[wire.list], wire.conversation("SAY as it was"));
		assert.match(url, wire.url);
		assert.equal(headers["content-type"], "application/json");
		for (const name of Object.keys(headers)) assert.equal(name, name.toLowerCase());
	});

	withModel("what onRequest gives is what is sent", async (model) => {
		const { text } = await answerOf(model, asking(user("SAY one thing")), {
			onRequest: async ({ url, body, headers }) => ({ url, headers, body: { ...body, [wire.list]: wire.saying("SAY another") } }),
		});
		assert.equal(text, "another");
	});

	withModel("a rewritten body without messages fails with a sentence", async (model) => {
		const error = await modelErrorOf(model, asking(user("SAY one thing")), { onRequest: ({ url, headers }) => ({ url, headers, body: { prompt: "?" } }) });
		assert.equal(error.retryable, false);
		assert.match(error.message, /messages/);
	});

	withModel("what onRequest throws is what the caller gets", async (model) => {
		const refusal = new Error("blocked by a hook");
		const { error } = await failureOf(model, asking(user("SAY x")), { onRequest: () => Promise.reject(refusal) });
		assert.equal(error, refusal);
	});
}

function interruption(withModel: WithModel): void {
	withModel("aborted before it starts, nothing is asked", async (model) => {
		const { error, pieces } = await failureOf(model, asking(user("SAY x")), { signal: AbortSignal.abort("stopped by the user"), onRequest: () => assert.fail("nobody asks") });
		assert.equal(error, "stopped by the user");
		assert.deepEqual(pieces, []);
	});

	withModel("aborted in the middle, it ends at once with the signal's reason", async (model) => {
		const stop = new AbortController();
		const reason = new Error("stopped by the user");
		const texts: string[] = [];
		const started = performance.now();
		await assert.rejects(
			async () => {
				// The second word would take ten minutes.
				for await (const piece of model.stream(asking(user("SLOW 600000 one two three")), { signal: stop.signal })) {
					if (piece.kind === "text") texts.push(piece.delta.trim());
					setImmediate(() => stop.abort(reason));
				}
			},
			(error) => error === reason,
		);
		assert.deepEqual(texts, ["one"]);
		assert.ok(performance.now() - started < 60_000);
	});

	withModel("aborted by who reads it, it gives no further piece", async (model) => {
		const stop = new AbortController();
		let pieces = 0;
		const reading = async () => {
			for await (const piece of model.stream(asking(user("SAY one two three four")), { signal: stop.signal })) {
				if (piece.kind === "text" && ++pieces === 2) stop.abort("enough");
			}
		};
		await assert.rejects(reading, (reason) => reason === "enough");
		assert.equal(pieces, 2);
	});

	withModel("aborted while a hook holds the request back, it ends at once", async (model) => {
		const stop = new AbortController();
		const reason = new Error("stopped by the user");
		const { error } = await failureOf(model, asking(user("SAY x")), {
			signal: stop.signal,
			onRequest: () => {
				setImmediate(() => stop.abort(reason));
				return new Promise(() => {});
			},
		});
		assert.equal(error, reason);
	});

	withModel("an abort is seen in the middle of a long fast answer", async (model) => {
		const stop = new AbortController();
		const reason = new Error("enough");
		let words = 0;
		await assert.rejects(
			async () => {
				for await (const piece of model.stream(asking(user(`SAY ${"word ".repeat(50_000)}`)), { signal: stop.signal })) {
					if (piece.kind === "text" && words++ === 0) setImmediate(() => stop.abort(reason));
				}
			},
			(error) => error === reason,
		);
		assert.ok(words < 50_000, `${words} words came`);
	});

	withModel("who stops reading early is left in peace", async (model) => {
		for await (const piece of model.stream(asking(user("SLOW 1 one two three")), { signal: new AbortController().signal })) {
			if (piece.kind === "text") break;
		}
		assert.equal((await answerOf(model, asking(user("SAY next")))).text, "next");
	});
}
