// One request and its answer on the wire: what lies below the provider package, given to it as its `fetch`. Here hooks see the request, time
// is kept, and every answer that is no stream of pieces becomes a sentence; the package would pass over most of them in silence.
import type { JsonObject } from "../events/payloads/facts.ts";
import { orAborted } from "../system/abort.ts";
import type { ModelOptions, ProviderRequest } from "./model.ts";
import { connectionFailure, notAStream, requestFailure, slowFailure, statusFailure, tooLong, type Endpoint, type Progress } from "./failures.ts";

/** Hooks neither see nor replace these. */
const credentials = ["authorization", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie"];
/** These belong to the connection; with them a hook could send the request elsewhere than to its URL, or break it. */
const ofTheConnection = ["host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "expect", "te", "trailer"];
const maxAnswerBytes = 64 * 1024 * 1024;
const maxQuotedCharacters = 64 * 1024;

/** A conversation that is not written by the package, in the two forms it is needed in; the list only when a hook looks at it. */
export interface RequestMessages {
	/** Their JSON without the brackets, UTF-8. Only valid until the next call of the model begins. */
	readonly bytes: Uint8Array;
	list(): readonly JsonObject[];
}

/** What JSON.stringify would give for the envelope with the messages in it, the messages put in as they are. */
function bytesWith(messages: RequestMessages, envelope: string): Buffer<ArrayBuffer> {
	const text = JSON.stringify({ ...(JSON.parse(envelope) as JsonObject), messages: [] });
	// The first one is ours: what stands before it are plain settings. In a text its quotes would be escaped.
	const within = text.indexOf('"messages":[]') + '"messages":['.length;
	return Buffer.concat([Buffer.from(text.slice(0, within)), messages.bytes, Buffer.from(text.slice(within))]);
}

/** Without a key the packages still send the header it would stand in. */
const isEmptyCredential = (name: string, value: string): boolean => credentials.includes(name) && /^(?:Bearer)?\s*$/i.test(value);

export class Exchange {
	/** Aborted by the caller's signal, by the clock (with the ModelError), or by `close`. The package is given this one. */
	readonly stop = new AbortController();
	/** What was thrown here, before the package wrapped it in something of its own. */
	failure: { readonly error: unknown } | undefined;
	/** How far the answer has come, for the sentence that says where it broke. Kept by who reads the pieces. */
	readonly progress: Progress = { characters: 0 };
	readonly #endpoint: Endpoint;
	readonly #messages: RequestMessages | undefined;
	readonly #options: ModelOptions;
	readonly #timeoutMs: number;
	readonly #abort = (): void => this.stop.abort(this.#options.signal.reason);

	/** `messages`: what is put into the body the package writes, under that name; left out, the body goes out as the package wrote it. */
	constructor(endpoint: Endpoint, options: ModelOptions, timeoutMs: number, messages?: RequestMessages) {
		this.#endpoint = endpoint;
		this.#messages = messages;
		this.#options = options;
		this.#timeoutMs = timeoutMs;
		options.signal.addEventListener("abort", this.#abort, { once: true });
	}

	/** Ends it, and the connection with it when the answer was not read to its end. */
	close(): void {
		this.#options.signal.removeEventListener("abort", this.#abort);
		this.stop.abort();
	}

	/** In the place of `fetch`. */
	async send(url: string, init: RequestInit): Promise<Response> {
		try {
			const { body, headers } = await this.#prepare(url, init);
			const response = await this.#answer(url, { method: "POST", headers, body, signal: this.stop.signal });
			if (!response.ok) throw statusFailure(this.#endpoint, response.status, response.headers, await this.#beginningOf(response));
			return new Response(ReadableStream.from(this.#pieces(response)));
		} catch (error) {
			throw this.#failed(error);
		}
	}

	#failed(error: unknown): unknown {
		this.failure ??= { error };
		return error;
	}

	async #prepare(url: string, init: RequestInit): Promise<{ readonly body: string | Buffer<ArrayBuffer>; readonly headers: Record<string, string> }> {
		const written = String(init.body);
		const headers = Object.fromEntries([...new Headers(init.headers)].filter(([name, value]) => !isEmptyCredential(name, value)));
		const bytes = this.#messages === undefined ? written : bytesWith(this.#messages, written);
		const { onRequest } = this.#options;
		if (onRequest === undefined) return { body: bytes, headers };
		const envelope = JSON.parse(written) as JsonObject;
		const body = this.#messages === undefined ? envelope : { ...envelope, messages: this.#messages.list() };

		const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => credentials.includes(name)));
		const shown = Object.fromEntries(Object.entries(headers).filter(([name]) => !credentials.includes(name)));
		const changed = await orAborted(onRequest({ url, body, headers: shown }), this.stop.signal);
		return changed === undefined ? { body: bytes, headers } : { body: this.#bodyOf(changed), headers: { ...this.#headersOf(changed), ...kept } };
	}

	#bodyOf({ body }: ProviderRequest): string {
		try {
			return JSON.stringify(body);
		} catch (error) {
			throw requestFailure(this.#endpoint, `The request that a hook of model.requesting gave cannot be sent, its body is no JSON: ${String(error)}`, error);
		}
	}

	#headersOf({ headers }: ProviderRequest): Record<string, string> {
		const sent: Record<string, string> = {};
		for (const [name, value] of Object.entries(headers)) {
			if (ofTheConnection.includes(name.toLowerCase())) continue;
			try {
				new Headers({ [name]: value });
			} catch (error) {
				throw requestFailure(this.#endpoint, `The request that a hook of model.requesting gave cannot be sent: '${name}' is no header name, or its value no header value.`, error);
			}
			sent[name.toLowerCase()] = value;
		}
		return sent;
	}

	/** Waits for the head of the answer, `timeoutMs` at most. */
	async #answer(url: string, init: RequestInit): Promise<Response> {
		const timer = setTimeout(() => this.stop.abort(slowFailure(this.#endpoint, this.#timeoutMs)), this.#timeoutMs);
		try {
			return await fetch(url, init);
		} catch (error) {
			throw this.stop.signal.aborted ? this.stop.signal.reason : connectionFailure(this.#endpoint, error);
		} finally {
			clearTimeout(timer);
		}
	}

	/** The bytes of an answer as they come. Throws when they are no stream of pieces. */
	async *#pieces(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
		try {
			const decoder = new TextDecoder();
			const held: Uint8Array[] = [];
			let opening = "";
			let isStream = false;
			for await (const bytes of this.#bytes(response)) {
				// Read on until something stands there. A web page or JSON is then collected, to be quoted; event streams begin otherwise.
				if (isStream) yield bytes;
				else {
					held.push(bytes);
					opening += decoder.decode(bytes, { stream: true });
					isStream = /^\s*[^\s<{[]/.test(opening);
					if (isStream) yield* held;
					else if (opening.length > maxQuotedCharacters) break;
				}
			}
			if (!isStream) throw notAStream(this.#endpoint, opening);
		} catch (error) {
			throw this.#failed(error);
		}
	}

	/** The body, each wait for more of it `timeoutMs` at most. */
	async *#bytes(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
		if (response.body === null) return;
		const reader = response.body.getReader();
		let total = 0;
		try {
			for (;;) {
				// Only our own waiting is timed: a reader above that takes its time is not the server's silence.
				const timer = setTimeout(() => this.stop.abort(slowFailure(this.#endpoint, this.#timeoutMs, this.progress)), this.#timeoutMs);
				const { done, value } = await reader.read().finally(() => clearTimeout(timer));
				if (done) return;
				total += value.byteLength;
				if (total > maxAnswerBytes) throw tooLong(this.#endpoint, maxAnswerBytes);
				yield value;
			}
		} catch (error) {
			if (this.stop.signal.aborted) throw this.stop.signal.reason;
			// What `fetch` throws for a broken connection is a TypeError; the rest here is ours.
			throw error instanceof TypeError ? connectionFailure(this.#endpoint, error, this.progress) : error;
		} finally {
			reader.releaseLock();
		}
	}

	/** The first part of a body that is going to be quoted in an error. What cannot be read is left out: the error is known already. */
	async #beginningOf(response: Response): Promise<string> {
		const decoder = new TextDecoder();
		let text = "";
		try {
			for await (const bytes of this.#bytes(response)) {
				text += decoder.decode(bytes, { stream: true });
				if (text.length > maxQuotedCharacters) break;
			}
		} catch (error) {
			if (this.stop.signal.aborted) throw error;
		}
		return text;
	}
}
