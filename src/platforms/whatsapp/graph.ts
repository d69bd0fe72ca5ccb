// Calls of Meta's Graph API, and what its errors mean for a text that is to be sent.
import { RetryLaterError, UndeliverableError } from "../../gateway/platform.ts";

export interface GraphOptions {
	/** Where it answers, without a slash at the end. */
	readonly baseUrl: string;
	readonly token: string;
	/** Told after each call whether Meta answers and takes the token. */
	readonly heard: (trouble: UnreachableError | TokenError | undefined) => void;
}

/** Meta does not answer, or says that it cannot now. */
export class UnreachableError extends Error {
	override readonly name = "UnreachableError";
}

/** Meta does not take the access token. */
export class TokenError extends Error {
	override readonly name = "TokenError";
}

/** Somebody has to mend something at Meta's: a permission, a bill. Then it goes on. */
export class AccountError extends Error {
	override readonly name = "AccountError";
}

const version = "v26.0";
const callMs = 20_000;
/** For a file, which may have 100 MB. */
const fileMs = 300_000;
const longestWords = 300;

export class Graph {
	readonly #options: GraphOptions;

	constructor(options: GraphOptions) {
		this.#options = options;
	}

	/**
	 * @param path behind the version: `ID/messages`
	 * @throws UndeliverableError, RetryLaterError, UnreachableError, TokenError, AccountError; Error when Meta failed at it.
	 */
	async call(path: string, body: object | FormData | undefined, signal: AbortSignal, timeoutMs = body instanceof FormData ? fileMs : callMs): Promise<Readonly<Record<string, unknown>>> {
		const json = body !== undefined && !(body instanceof FormData);
		const init: RequestInit = body === undefined ? {} : { method: "POST", body: json ? JSON.stringify(body) : body };
		const response = await this.#fetch(`${this.#options.baseUrl}/${version}/${path}`, { ...init, headers: json ? { "Content-Type": "application/json" } : {} }, signal, timeoutMs);
		const answer = recordOf(await response.json().catch(() => undefined));
		// While it reads the answer the connection can break as well.
		signal.throwIfAborted();
		if (response.ok && Object.keys(answer).length > 0) {
			this.#options.heard(undefined);
			return answer;
		}
		throw this.#told(errorOf(response, recordOf(answer["error"]), this.#options.token));
	}

	/** The bytes of a file that somebody sent. @throws Error */
	async download(mediaId: string, phoneNumberId: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
		const { url } = await this.call(`${encodeURIComponent(mediaId)}?phone_number_id=${encodeURIComponent(phoneNumberId)}`, undefined, signal);
		if (typeof url !== "string" || !URL.canParse(url)) throw new Error("Meta names no address for this file");
		const { protocol, origin } = new URL(url);
		// The token goes along.
		if (protocol !== "https:" && origin !== new URL(this.#options.baseUrl).origin) throw new Error("Meta names an address for this file that is not protected (https)");
		const response = await this.#fetch(url, {}, signal, fileMs);
		if (!response.ok || response.body === null) throw new Error(`Meta does not hand the file over (HTTP ${response.status})`);
		return response.body;
	}

	async #fetch(url: string, init: RequestInit, signal: AbortSignal, timeoutMs: number): Promise<Response> {
		const headers = { ...init.headers, Authorization: `Bearer ${this.#options.token}`, "User-Agent": "hookline" };
		try {
			return await fetch(url, { ...init, headers, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
		} catch (error) {
			signal.throwIfAborted();
			const { name, message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
			const why = name === "TimeoutError" ? `no answer within ${timeoutMs / 1000} s` : (cause?.code ?? cause?.message ?? message);
			throw this.#told(new UnreachableError(`Meta cannot be reached: ${why}`));
		}
	}

	#told<Trouble extends Error>(error: Trouble): Trouble {
		if (error instanceof UnreachableError || error instanceof TokenError) this.#options.heard(error);
		return error;
	}
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null && !Array.isArray(value);
/** An object as it is, anything else as an empty one. */
export const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/** What codes mean that a person should read about in other words than Meta's. */
const meanings: Readonly<Record<number, string>> = {
	131021: "the number is the agent's own",
	131026: "it cannot be delivered to this person: the number may have no WhatsApp, an old one, or has blocked the agent",
	131030: "the number is not on the list of those this test number may write to. Add it in the app's dashboard (WhatsApp, API Setup)",
	131047: "more than 24 hours since this person last wrote: WhatsApp takes no text for them until they write again",
	131051: "WhatsApp takes no message of this kind",
	131053: "WhatsApp does not take this file: its kind or size",
};
/** Too much: how long to wait where Meta does not say, in ms. */
const waits: Readonly<Record<number, number>> = { 4: 60_000, 17: 60_000, 613: 60_000, 80007: 60_000, 130429: 5_000, 131048: 900_000, 131056: 6_000 };
/** And all from 200 to 299. */
const permissions = new Set([3, 10, 131005]);
const unavailable = new Set([1, 2, 131016, 131057]);
/** The account has to be paid, unlocked or registered. */
const stopped = new Set([368, 131031, 131042, 131045, 133010]);

/** Why something failed, in the words of an error's code and Meta's own. */
export function reasonOf(error: Readonly<Record<string, unknown>>): string {
	const { code, message, title } = error;
	const { details } = recordOf(error["error_data"]);
	const words = [typeof code === "number" ? meanings[code] : undefined, details, message, title].find((one) => typeof one === "string" && one !== "") ?? "Meta says no reason";
	return `${String(words).slice(0, longestWords)}${typeof code === "number" ? ` (error ${code})` : ""}`;
}

function errorOf({ status, headers }: Response, error: Readonly<Record<string, unknown>>, token: string): Error {
	const code = typeof error["code"] === "number" ? error["code"] : undefined;
	// Meta repeats a token that it cannot read.
	const words = (code === undefined ? `HTTP ${status}` : reasonOf(error)).replaceAll(token, "[redacted]");
	if (status === 401 || code === 0 || code === 190) return new TokenError(`Meta refuses the access token: ${words}. Put a valid one where gateway.whatsapp.token_env or token_file says`);
	if ((code !== undefined && code in waits) || status === 429) return new RetryLaterError(`Meta wants fewer messages: ${words}`, waitOf(headers) ?? waits[code ?? 4] ?? 60_000);
	if (status === 413) return new UndeliverableError("it is too large for WhatsApp");
	// Without a code it is not the Graph API that answers, whatever the status.
	if (code === undefined || unavailable.has(code)) return new UnreachableError(`Meta does not answer as it should: ${words}`);
	if (permissions.has(code) || (code >= 200 && code <= 299)) return new AccountError(`Meta does not permit this: ${words}. The access token needs the permissions whatsapp_business_messaging and whatsapp_business_management`);
	if (stopped.has(code)) return new AccountError(`Meta has stopped this account. See the WhatsApp Manager: ${words}`);
	if (status >= 500) return new Error(`Meta failed at it: ${words}`);
	return new UndeliverableError(words);
}

/** In ms, where Meta says how long to wait: in seconds in one header, in minutes in the other. */
function waitOf(headers: Headers): number | undefined {
	const seconds = Number(headers.get("retry-after") ?? Number.NaN);
	if (seconds > 0) return seconds * 1000;
	try {
		const usages = Object.values(recordOf(JSON.parse(headers.get("x-business-use-case-usage") ?? "{}"))).flat();
		const minutes = Math.max(0, ...usages.map((usage) => Number(recordOf(usage)["estimated_time_to_regain_access"] ?? 0) || 0));
		return minutes > 0 ? minutes * 60_000 : undefined;
	} catch {
		return undefined;
	}
}
