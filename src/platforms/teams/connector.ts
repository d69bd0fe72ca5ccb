// Texts on their way to Teams, and files on their way from there, with the bot's token. Through the client of @microsoft/teams.apps alone, loaded with the first text: it takes
// 18 MB when it is loaded, its App 32, with an Express server nobody needs here and a login library that speaks to no server of one's own.
import { RetryLaterError, UndeliverableError } from "../../gateway/platform.ts";
import type { Addresses } from "./addresses.ts";
import type { Conversation } from "./kept.ts";
import { causeOf, type Login } from "./login.ts";

export interface ConnectorOptions {
	readonly addresses: Addresses;
	readonly login: Login;
	/** Told after each try; undefined when Teams answered. */
	readonly notice: (problem: string | undefined) => void;
	readonly closing: AbortSignal;
}

/** What is sent into a chat. */
export type OutboundActivity = { readonly type: "typing" } | { readonly type: "message"; readonly text: string; readonly textFormat: "xml" | "plain"; readonly replyToId?: string; readonly attachments?: readonly Card[] };

export interface Card {
	readonly contentType: string;
	readonly content: object;
}

/** Teams cannot read the text as it is written, or finds it too long. */
export class UnreadableError extends UndeliverableError {}

export interface Where extends Pick<Conversation, "serviceUrl" | "bot"> {
	/** Of the chat, with its thread. */
	readonly conversation: string;
}

const longestMs = 20_000;
/** Where Teams does not say how long to wait, in ms. */
const defaultWaitMs = 5_000;

export class Connector {
	readonly #options: ConnectorOptions;

	constructor(options: ConnectorOptions) {
		this.#options = options;
	}

	/** @returns its id. @throws UnreadableError, UndeliverableError, RetryLaterError, Error */
	async post(where: Where, activity: OutboundActivity, signal: AbortSignal): Promise<string | undefined> {
		const { id } = (await this.#call(where, signal, ({ conversations }) => conversations.createActivity(pathPart(where.conversation), wire(where, activity)))) as { readonly id?: string };
		return id;
	}

	/** Puts it in the place of another. Errors as `post`. */
	async put(where: Where, id: string, activity: OutboundActivity, signal: AbortSignal): Promise<void> {
		await this.#call(where, signal, ({ conversations }) => conversations.updateActivity(pathPart(where.conversation), pathPart(id), wire(where, activity)));
	}

	/** A file of a message. Those in the own store of Teams are had with the bot's token, those in SharePoint by their address alone. @throws Error */
	async file(url: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
		const { addresses, login, closing } = this.#options;
		const isOwn = addresses.trusts(url);
		if (!isOwn && !url.startsWith("https:")) throw new Error("its address is not one of Teams");
		const headers: Record<string, string> = isOwn ? { Authorization: `Bearer ${await login.token()}` } : {};
		const response = await fetch(url, { headers, signal: AbortSignal.any([signal, closing]) }).catch((error: unknown) => {
			throw new Error(`Teams does not hand it over (${causeOf(error)})`, { cause: error });
		});
		if (!response.ok || response.body === null) {
			await response.body?.cancel();
			throw new Error(`Teams answers ${response.status}`);
		}
		return response.body;
	}

	async #call(where: Where, signal: AbortSignal, work: (client: Client) => Promise<unknown>): Promise<unknown> {
		const { addresses, login, closing } = this.#options;
		// The only place where the token leaves: it goes to nobody else, whatever an activity or the file on the disk says.
		if (!addresses.trusts(where.serviceUrl)) throw new UndeliverableError(`The chat is at ${where.serviceUrl}, which is not an address of Microsoft`);
		const { ApiClient } = await import("@microsoft/teams.apps/dist/api.js");
		for (let isFirst = true; ; isFirst = false) {
			const token = await login.token();
			const either = AbortSignal.any([signal, closing]);
			either.throwIfAborted();
			const options = { signal: either, timeout: longestMs, maxRedirects: 0, proxy: false as const };
			const invoke: Around["invoke"] = (context, next) => {
				Object.assign(context.config, options);
				return next();
			};
			try {
				const answer = await work(new ApiClient(where.serviceUrl, { token, middlewares: [{ invoke }] }));
				this.#options.notice(undefined);
				return answer;
			} catch (error) {
				either.throwIfAborted();
				const problem = problemIn(error);
				if (problem.status === 401 && isFirst) {
					login.forget(token);
					continue;
				}
				const isDown = problem.status === undefined || problem.status === 401 || problem.status >= 500;
				this.#options.notice(isDown ? problem.error.message : undefined);
				throw problem.error;
			}
		}
	}
}

type Client = InstanceType<typeof import("@microsoft/teams.apps/dist/api.js").ApiClient>;
type Around = Client["http"]["middlewares"][number];
type Wire = Parameters<Client["conversations"]["createActivity"]>[1];

const wire = ({ bot, conversation }: Where, activity: OutboundActivity) => ({ ...activity, from: { id: bot }, conversation: { id: conversation } }) as unknown as Wire;

/** The library puts ids into addresses as they are. Teams knows `:`, `;`, `@` and `=` in them both ways. */
const pathPart = (id: string) => encodeURIComponent(id).replace(/%(?:3A|3B|40|3D)/g, decodeURIComponent);

function problemIn(error: unknown): { readonly status: number | undefined; readonly error: Error } {
	const { response, message } = error as { readonly response?: { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly data: unknown }; readonly message: string };
	if (response === undefined) return { status: undefined, error: new Error(`Teams cannot be reached (${message})`) };
	const { status, headers, data } = response;
	const { code, message: told } = ((data as { readonly error?: Readonly<Record<string, unknown>> } | undefined)?.error ?? {}) as Readonly<Record<string, unknown>>;
	const why = `${status}${typeof code === "string" ? ` ${code}` : ""}${typeof told === "string" ? `: ${told.slice(0, 200)}` : ""}`;
	return { status, error: errorOf(status, why, String(headers["retry-after"] ?? "")) };
}

function errorOf(status: number, why: string, retryAfter: string): Error {
	if (status === 429) return new RetryLaterError(`Teams takes no more texts now (${why})`, waitIn(retryAfter));
	if (status === 400 || status === 413) return new UnreadableError(`Teams does not take this text (${why})`);
	if (status === 403) return new UndeliverableError(`The bot may not write there (${why}): it was removed or blocked, or an administrator does not allow it. Add it to the chat again`);
	if (status === 404 || status === 405 || status === 410) return new UndeliverableError(`There is no such chat or message any more (${why})`);
	if (status === 401) return new Error(`Teams does not take the bot's token (${why}); does the bot of gateway.teams.client_id exist, in this tenant?`);
	return new Error(`Teams fails (${why})`);
}

/** Seconds, or a date. */
function waitIn(retryAfter: string): number {
	const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
	return Number.isFinite(ms) ? Math.max(ms, 0) : defaultWaitMs;
}
