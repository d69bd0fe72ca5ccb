// Discord's REST API, version 10: one request a call, nothing tried twice here, and refusals in the gateway's own words.
// Not @discordjs/rest: it loads an HTTP client of its own (16 MB), waits for rate limits inside of a call, and leaves their timers behind.
import { RetryLaterError, UndeliverableError } from "../../gateway/platform.ts";

export interface Request {
	readonly body?: object;
	/** Sent beside the body as a form. */
	readonly files?: readonly { readonly name: string; readonly content: Blob }[];
	readonly signal?: AbortSignal;
}

/** The bot's token is wrong, or was taken back. */
export class TokenRefusedError extends Error {
	override readonly name = "TokenRefusedError";

	constructor() {
		super("Discord refuses the bot's token. Take the one of the developer portal (your application, Bot, Reset Token), put it where gateway.discord.token_env or token_file says, and start the gateway again.");
	}
}

/** Discord will not do this, however often it is asked. */
export class RefusedError extends UndeliverableError {
	readonly status: number;
	/** Discord's own number for the reason. */
	readonly code: number;

	constructor(message: string, status: number, code: number) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

/** A request without files, and one with, gets this long, in ms. */
const timeoutMs = 15_000;
const uploadTimeoutMs = 120_000;
/** Where Discord asks for a pause and does not say how long, in ms. */
const unknownPauseMs = 5_000;

/** What to do about the refusals an operator meets. */
const advice: Readonly<Record<number, string>> = {
	10003: "the channel is gone, or the bot was never in it",
	40005: "a file is too large for this chat",
	50001: "the bot may not see this channel: let it view the channel there",
	50007: "this person takes no direct messages from the bot: they have to share a server with it, allow direct messages there, and not block it",
	50013: "the bot may not do this here: give it Send Messages, Send Messages in Threads, Attach Files and Read Message History",
	50083: "the thread is archived and locked",
	50278: "this person shares no server with the bot any more",
};

export class Rest {
	readonly #base: string;
	readonly #token: string;
	readonly #closing = new AbortController();

	/** @param api without the version: `https://discord.com/api` */
	constructor(api: string, token: string) {
		this.#base = `${api.replace(/\/+$/, "")}/v10`;
		this.#token = token;
	}

	/**
	 * The answer as Discord gives it, undefined when there is none; nobody has checked its shape.
	 * @throws TokenRefusedError, RefusedError, RetryLaterError; any other error is worth another try
	 */
	async call<Answer>(method: string, path: string, { body, files = [], signal }: Request = {}): Promise<Answer> {
		const signals = [this.#closing.signal, AbortSignal.timeout(files.length > 0 ? uploadTimeoutMs : timeoutMs), ...(signal === undefined ? [] : [signal])];
		const json = body === undefined ? undefined : JSON.stringify(body);
		let response: Response;
		let text: string;
		try {
			response = await fetch(this.#base + path, {
				method,
				headers: { Authorization: `Bot ${this.#token}`, "User-Agent": "DiscordBot (hookline, 10)", ...(json !== undefined && files.length === 0 && { "Content-Type": "application/json" }) },
				body: files.length > 0 ? formOf(json, files) : json ?? null,
				redirect: "error",
				signal: AbortSignal.any(signals),
			});
			text = await response.text();
		} catch (error) {
			signal?.throwIfAborted();
			throw new Error(`Discord cannot be reached: ${reasonOf(error)}`, { cause: error });
		}
		const answer = parsed(text);
		if (response.ok) return answer as Answer;
		throw refusal(response, answer);
	}

	/** Ends what is under way. */
	close(): void {
		this.#closing.abort();
	}
}

function formOf(json: string | undefined, files: NonNullable<Request["files"]>): FormData {
	const form = new FormData();
	if (json !== undefined) form.append("payload_json", json);
	for (const [i, { name, content }] of files.entries()) form.append(`files[${i}]`, content, name);
	return form;
}

function refusal({ status, headers }: Response, answer: unknown): Error {
	const { code, message, errors, retry_after: retryAfter } = (typeof answer === "object" && answer !== null ? answer : {}) as Readonly<Record<string, unknown>>;
	if (status === 401) return new TokenRefusedError();
	if (status === 429) {
		const seconds = Number(retryAfter ?? headers.get("retry-after") ?? Number.NaN);
		return new RetryLaterError("Discord asks for a pause", Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1000) : unknownPauseMs);
	}
	// 40003: too many direct messages were begun at once. Without a number it is not Discord who refuses but something in front of it.
	if (status < 500 && typeof code === "number" && code !== 40003) {
		const details = errors === undefined ? "" : ` ${JSON.stringify(errors).slice(0, 300)}`;
		return new RefusedError(`Discord refuses: ${advice[code] ?? String(message)} (${code})${details}`, status, code);
	}
	return new Error(`Discord answers ${status}`);
}

function parsed(text: string): unknown {
	try {
		return text === "" ? undefined : JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** `fetch failed` says nothing; what it was caused by does. */
function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { cause } = error;
	return cause instanceof Error && cause.message !== "" ? cause.message : cause instanceof AggregateError ? String(cause.errors[0]?.message) : error.message;
}
