// Telegram's Bot API through grammY: each call has a limit of time and one kind of error, and no error holds the token, which stands in every address.
import { createReadStream } from "node:fs";
import type { Agent, request as Request, RequestOptions } from "node:http";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { Api, InputFile } from "grammy";
import type { ApiMethods } from "grammy/types";
import { redacted, redactText } from "../../system/redact.ts";

export interface BotApiOptions {
	readonly token: string;
	/** Without a slash at its end. */
	readonly root: string;
}

/** A call that failed; its message is fit to be shown. */
export class CallError extends Error {
	override readonly name = "CallError";
	/** As Telegram numbers it; undefined when there was no answer that is one of Telegram's. */
	readonly code: number | undefined;
	readonly retryAfterMs: number | undefined;
	/** The id that a group has since it became a supergroup. */
	readonly migratedTo: number | undefined;

	constructor(message: string, { code, retryAfterMs, migratedTo }: { readonly code?: number | undefined; readonly retryAfterMs?: number | undefined; readonly migratedTo?: number | undefined } = {}) {
		super(message);
		this.code = code;
		this.retryAfterMs = retryAfterMs;
		this.migratedTo = migratedTo;
	}
}

type Method = keyof ApiMethods;

export class BotApi {
	readonly #options: BotApiOptions;
	readonly #api: Api;
	readonly #agent: Agent;
	readonly #InputFile: typeof InputFile;

	private constructor(options: BotApiOptions, grammy: typeof import("grammy/web"), { Agent, request }: { readonly Agent: new (options: object) => Agent; readonly request: typeof Request }) {
		this.#options = options;
		this.#agent = new Agent({ keepAlive: true });
		const fetch = (url: string, init: Init) => exchange(request, url, { ...init, agent: this.#agent });
		this.#api = new grammy.Api(options.token, { apiRoot: options.root, fetch: fetch as never });
		this.#InputFile = grammy.InputFile;
	}

	static async open(options: BotApiOptions): Promise<BotApi> {
		// Not its build for Node, with a fetch and an URL of its own: they cost 5 MB, and Node's fetch costs more.
		const [grammy, http] = await Promise.all([import("grammy/web"), options.root.startsWith("https:") ? import("node:https") : import("node:http")]);
		return new BotApi(options, grammy, http);
	}

	/** @throws CallError; the signal's reason once it is aborted */
	async call<Name extends Method>(method: Name, payload: Parameters<ApiMethods[Name]>[0], signal: AbortSignal, withinMs: number): Promise<ReturnType<ApiMethods[Name]>> {
		signal.throwIfAborted();
		const raw = this.#api.raw[method] as unknown as (...args: readonly unknown[]) => Promise<ReturnType<ApiMethods[Name]>>;
		// Not AbortSignal.any(): what it leaves at a signal that lives for months adds up.
		const either = new AbortController();
		const leave = () => either.abort();
		const timer = setTimeout(leave, withinMs);
		signal.addEventListener("abort", leave, { once: true });
		try {
			return await (payload === undefined ? raw(either.signal) : raw(payload, either.signal));
		} catch (error) {
			signal.throwIfAborted();
			if (either.signal.aborted) throw new CallError(`${method}: no answer within ${Math.ceil(withinMs / 1000)} s`);
			throw this.#failure(method, error);
		} finally {
			clearTimeout(timer);
			signal.removeEventListener("abort", leave);
		}
	}

	/** A file on its way out. Telegram ends its name at a semicolon, and takes quotes around it off. */
	fileAt(path: string, name: string): InputFile {
		// Opened once it is read.
		const content = { [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array> };
		return new this.#InputFile(content, name.replace(/[;"\p{Cc}]/gu, "_"));
	}

	/** The bytes of a file that somebody sent. @throws CallError */
	async read(fileId: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
		const { file_path: path } = await this.call("getFile", { file_id: fileId }, signal, 30_000);
		if (path === undefined) throw new CallError("getFile: Telegram does not say where the file is");
		const { root, token } = this.#options;
		let response: Response;
		try {
			response = await fetch(`${root}/file/bot${token}/${path.split("/").map(encodeURIComponent).join("/")}`, { signal });
		} catch (error) {
			signal.throwIfAborted();
			throw this.#failure("the file", error);
		}
		if (!response.ok || response.body === null) throw new CallError(`the file cannot be fetched (${response.status})`, { code: response.status });
		return response.body;
	}

	/** Closes its connections. */
	close(): void {
		this.#agent.destroy();
	}

	#failure(what: string, error: unknown): CallError {
		const { error_code: code, description, parameters } = error as { readonly error_code?: unknown; readonly description?: unknown; readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number } };
		if (typeof code === "number") {
			const { retry_after: seconds, migrate_to_chat_id: migratedTo } = parameters ?? {};
			return new CallError(this.#fit(`${what}: ${String(description)} (${code})`), { code, migratedTo, retryAfterMs: seconds === undefined ? undefined : seconds * 1000 });
		}
		return new CallError(this.#fit(`${what}: ${wordsOf(error)}`));
	}

	#fit(message: string): string {
		return redactText(message.replaceAll(this.#options.token, redacted));
	}
}

interface Init extends RequestOptions {
	/** The one of a form is a stream. */
	readonly body: string | AsyncIterable<Uint8Array>;
}

/** As much of `fetch` as grammY uses. */
async function exchange(request: typeof Request, url: string, { body, ...init }: Init): Promise<{ json(): Promise<unknown> }> {
	const { promise, resolve, reject } = Promise.withResolvers<{ json(): Promise<unknown> }>();
	const sent = request(url, init, (response) => resolve({ json: async () => parsed(await text(response)) }));
	sent.on("error", reject);
	if (typeof body === "string") sent.end(body);
	else pipeline(body, sent).catch(reject);
	return promise;
}

function parsed(answer: string): unknown {
	try {
		return JSON.parse(answer);
	} catch {
		throw new Error("the answer is none of Telegram's");
	}
}

/** grammY wraps what the socket says, and fetch does. */
function wordsOf(error: unknown): string {
	const { error: inner, cause, code, message } = error as { readonly error?: unknown; readonly cause?: unknown; readonly code?: unknown; readonly message?: unknown };
	if (inner !== undefined || cause !== undefined) return wordsOf(inner ?? cause);
	return typeof code === "string" ? code : String(message ?? error);
}
