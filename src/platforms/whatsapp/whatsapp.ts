// WhatsApp: Meta's Cloud API. Meta calls the webhook with what people say; the Graph API takes what they are told.
import { openAsBlob } from "node:fs";
import { type Chat, type Door, type Inbound, type Live, type OutboundFile, type OutboundText, type Platform, type Sent, UndeliverableError } from "../../gateway/platform.ts";
import { isHubSigned, sameText } from "../../gateway/signature.ts";
import { monotonicMs } from "../../system/clock.ts";
import { AccountError, Graph, recordOf, TokenError, UnreachableError } from "./graph.ts";
import { Reach } from "./reach.ts";
import { isGroup, kindOf, maxText, type Part, partsOf, recipientOf, textContent } from "./sending.ts";
import { updatesIn } from "./updates.ts";

export interface WhatsAppOptions {
	/** The id of the number it speaks from. */
	readonly phoneNumberId: string;
	readonly token: string;
	/** What Meta signs its requests with. */
	readonly appSecret: string;
	/** What Meta says when the webhook is set up. */
	readonly verifyToken: string;
	/** Where the Graph API answers, when not at its usual place. */
	readonly baseUrl?: string;
	readonly warn: (message: string) => void;
	/** The pause before the first, second, … try to reach Meta again, in ms. */
	readonly pauseMs?: (tries: number) => number;
}

/** How long `start` waits for Meta, in ms. */
const startMs = 5_000;
/** Meta shows for 25 s that somebody types, in ms. */
const typingMs = 20_000;
/** Requests of Meta's that are worked on at once; it sends the others again. */
const mostRequests = 200;
/** Chats whose last message is remembered, and texts that are half sent. */
const mostKept = 1_000;

export class WhatsApp implements Platform {
	readonly name = "whatsapp";
	readonly maxText = maxText;
	readonly maxFileBytes = 100 * 1024 * 1024;
	readonly buttons = true;
	readonly webhook = (request: Request): Promise<Response> => this.#requested(request);
	readonly #options: WhatsAppOptions;
	readonly #graph: Graph;
	readonly #reach: Reach;
	readonly #closing = new AbortController();
	#door: Door | undefined;
	#requests = 0;
	/** The last work in each chat: the next one waits for it. */
	readonly #lines = new Map<string, Promise<unknown>>();
	/** What was said last in each chat, and when it was shown that an answer is typed. */
	readonly #latest = new Map<string, { readonly messageId: string; shownAt: number }>();
	/** Texts of several messages of which not all went out, by their keys: the ids of those that did. */
	readonly #begun = new Map<string, string[]>();
	readonly #warned = new Set<string>();
	#started = false;
	#refusing = false;

	constructor(options: WhatsAppOptions) {
		this.#options = options;
		const { token, baseUrl = "https://graph.facebook.com", warn, pauseMs } = options;
		this.#graph = new Graph({ token, baseUrl: baseUrl.replace(/\/+$/, ""), heard: (trouble) => this.#heard(trouble) });
		this.#reach = new Reach({ ask: (signal) => this.#askForNumber(signal), warn, ...(pauseMs !== undefined && { pauseMs }) });
	}

	get connected(): boolean {
		return this.#door !== undefined && !this.#reach.lost;
	}

	async start(door: Door): Promise<void> {
		try {
			await this.#askForNumber(this.#closing.signal);
		} catch (error) {
			if (error instanceof TokenError || error instanceof AccountError) throw await this.#refused(`${error.message}.`, error);
			if (error instanceof UndeliverableError) throw await this.#refused(`Meta knows no number with the id ${this.#options.phoneNumberId} (gateway.whatsapp.phone_number_id) that this token may use: ${error.message}.`, error);
			if (!(error instanceof UnreachableError)) this.#reach.heard(error as Error);
		}
		this.#door = door;
		this.#started = true;
	}

	async stop(): Promise<void> {
		this.#door = undefined;
	}

	async close(): Promise<void> {
		this.#closing.abort();
		await this.#reach.close();
	}

	async send(text: OutboundText, signal: AbortSignal): Promise<Sent> {
		const parts = partsOf(text);
		const ids = this.#begun.get(text.key) ?? [];
		if (parts.length > 1) keep(this.#begun, text.key, ids);
		try {
			for (const part of parts.slice(ids.length)) ids.push(await this.#sendPart(text, part, signal));
		} catch (error) {
			if (error instanceof UndeliverableError) this.#begun.delete(text.key);
			throw error;
		}
		this.#begun.delete(text.key);
		// A message ends what Meta shows.
		const latest = this.#latest.get(text.chatId);
		if (latest !== undefined) latest.shownAt = -Infinity;
		return ids[0] === undefined ? {} : { id: ids[0] };
	}

	show({ chatId }: Chat, { kind }: Live): void {
		const latest = this.#latest.get(chatId);
		if (kind !== "typing" || latest === undefined || !this.connected || monotonicMs() - latest.shownAt < typingMs) return;
		latest.shownAt = monotonicMs();
		const body = { messaging_product: "whatsapp", status: "read", message_id: latest.messageId, typing_indicator: { type: "text" } };
		void this.#graph.call(`${this.#number}/messages`, body, this.#closing.signal).catch(() => {});
	}

	get #number(): string {
		return encodeURIComponent(this.#options.phoneNumberId);
	}

	#heard(trouble: Error | undefined): void {
		// Of a token that is wrong from the beginning `start` tells.
		if (this.#started || !(trouble instanceof TokenError)) this.#reach.heard(trouble);
	}

	#askForNumber(signal: AbortSignal): Promise<unknown> {
		return this.#graph.call(`${this.#number}?fields=display_phone_number`, undefined, signal, startMs);
	}

	async #refused(message: string, cause: unknown): Promise<Error> {
		await this.close();
		return new Error(message, { cause });
	}

	async #sendPart({ chatId, replyTo }: OutboundText, part: Part, signal: AbortSignal): Promise<string> {
		const about = replyTo !== undefined && isGroup(chatId) ? { context: { message_id: replyTo } } : {};
		const post = async (content: object): Promise<string> => {
			const { messages } = await this.#graph.call(`${this.#number}/messages`, { messaging_product: "whatsapp", ...recipientOf(chatId), ...about, ...content }, signal);
			return String(recordOf((messages as readonly unknown[] | undefined)?.[0])["id"] ?? "");
		};
		if (part.kind === "file") return this.#sendFile(part.file, post, signal);
		try {
			return await post(part.content);
		} catch (error) {
			if (!(error instanceof UndeliverableError) || part.plain === undefined) throw error;
			return post(part.plain);
		}
	}

	/** A file that WhatsApp does not take is told of in its place. */
	async #sendFile({ path, name, mediaType }: OutboundFile, post: (content: object) => Promise<string>, signal: AbortSignal): Promise<string> {
		const kind = kindOf(mediaType);
		if (kind === undefined) return post(textContent(`[${name} is not here: WhatsApp takes no files of the kind ${mediaType}]`));
		const form = new FormData();
		form.set("messaging_product", "whatsapp");
		form.set("type", kind.mediaType);
		form.set("file", await openAsBlob(path, { type: kind.mediaType }), name);
		try {
			const { id } = await this.#graph.call(`${this.#number}/media`, form, signal);
			return await post({ type: kind.type, [kind.type]: { id, ...(kind.type === "document" && { filename: name }) } });
		} catch (error) {
			if (!(error instanceof UndeliverableError)) throw error;
			return post(textContent(`[${name} is not here: ${error.message}]`));
		}
	}

	async #requested(request: Request): Promise<Response> {
		if (request.method === "GET") return this.#shakeHands(new URL(request.url).searchParams);
		if (request.method !== "POST") return answer(405);
		const body = new Uint8Array(await request.arrayBuffer());
		if (!isHubSigned(body, request.headers.get("x-hub-signature-256"), this.#options.appSecret)) return answer(401);
		if (this.#door === undefined || this.#requests >= mostRequests) return answer(503);
		this.#requests++;
		try {
			return answer((await this.#take(body)) ? 200 : 503);
		} finally {
			this.#requests--;
		}
	}

	#shakeHands(query: URLSearchParams): Response {
		const isMeta = query.get("hub.mode") === "subscribe" && sameText(query.get("hub.verify_token") ?? "", this.#options.verifyToken);
		return isMeta ? new Response(query.get("hub.challenge"), { headers: { "Content-Type": "text/plain" } }) : answer(401);
	}

	/** False when Meta is to send it again. */
	async #take(body: Uint8Array): Promise<boolean> {
		let json: unknown;
		try {
			json = JSON.parse(Buffer.from(body).toString("utf8"));
		} catch {
			this.#warnOnce("Meta sent something that is no JSON; it was dropped");
			return true;
		}
		const updates = updatesIn(json, this.#options.phoneNumberId, ({ id, name, mediaType }) => {
			const read = (signal: AbortSignal) => this.#graph.download(id, this.#options.phoneNumberId, signal);
			return { name, read, ...(mediaType !== undefined && { mediaType }) };
		});
		const chats = new Map<string, Inbound[]>();
		for (const update of updates) if (update.kind === "message") chats.set(update.message.chatId, [...(chats.get(update.message.chatId) ?? []), update.message]);
		const taken = await Promise.all([...chats].map(([chatId, messages]) => this.#inLine(chatId, () => this.#accept(messages))));
		if (taken.includes(false)) return false;
		this.#refusing = false;
		for (const update of updates) {
			if (update.kind === "failed") this.#options.warn(`whatsapp: a text to ${update.chatId} did not arrive: ${update.reason}.`);
			else if (update.kind === "problem") this.#warnOnce(update.words);
			else if (update.kind === "reaction") this.#door?.reacted(update.reaction);
		}
		return true;
	}

	/** One after the other, up to the first that cannot be kept. */
	async #accept(messages: readonly Inbound[]): Promise<boolean> {
		for (const message of messages) {
			const door = this.#door;
			if (door === undefined) return false;
			try {
				const { kind } = await door.accept(message);
				if (kind === "accepted") keep(this.#latest, message.chatId, { messageId: message.messageId, shownAt: -Infinity });
			} catch (error) {
				if (!this.#refusing) this.#options.warn(`whatsapp: messages are not taken, and Meta sends them again later: ${error instanceof Error ? error.message : String(error)}`);
				this.#refusing = true;
				return false;
			}
		}
		return true;
	}

	#inLine<Result>(chatId: string, work: () => Promise<Result>): Promise<Result> {
		const line = (this.#lines.get(chatId) ?? Promise.resolve()).then(work);
		this.#lines.set(chatId, line);
		return line.finally(() => {
			if (this.#lines.get(chatId) === line) this.#lines.delete(chatId);
		});
	}

	#warnOnce(words: string): void {
		if (this.#warned.has(words) || this.#warned.size >= mostKept) return;
		this.#warned.add(words);
		this.#options.warn(`whatsapp: ${words}.`);
	}
}

const answer = (status: number) => new Response(null, { status });

/** The oldest one goes when there are too many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
	map.delete(key);
	map.set(key, value);
	if (map.size > mostKept) map.delete(map.keys().next().value!);
}
