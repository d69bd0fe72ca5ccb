// Microsoft Teams: its messages come as signed requests to /platforms/teams, texts go to the address that each chat's messages name.
import { setTimeout as pause } from "node:timers/promises";
import type { Accepted, Chat, Door, Inbound, Live, OutboundText, Platform, Sent } from "../../gateway/platform.ts";
import { type Activity, type GivenFile, meaningOf } from "./activities.ts";
import { type Addresses, addressesOf } from "./addresses.ts";
import { Callers } from "./callers.ts";
import { Connector, type Where } from "./connector.ts";
import { Kept } from "./kept.ts";
import { Login, RefusedError } from "./login.ts";
import { later, Requests } from "./requests.ts";
import { cardOf, sendText } from "./texts.ts";

export interface TeamsOptions {
	readonly clientId: string;
	/** Of the bot; without one it logs in as bots of all tenants did. */
	readonly tenantId?: string | undefined;
	readonly secret: string;
	/** One server in the place of all of Microsoft's. */
	readonly baseUrl?: string | undefined;
	/** The file in which chats are kept. */
	readonly file: string;
	readonly warn: (message: string) => void;
}

/** A message that cannot be kept is tried again after these, in ms, while Teams waits; then Teams is told to send it again. */
const acceptAgainMs = [300, 700, 1500, 3000];
/** Requests at once; Teams sends the others again. */
const mostAtOnce = 500;
/** Teams shows that somebody writes for about so long, in ms. */
const typingEveryMs = 3_000;
const longestPauseMs = 60_000;
/** The first try to log in holds up the start of the gateway at most so long, in ms. */
const longestStartMs = 4_000;

export class Teams implements Platform {
	readonly name = "teams";
	// A message has at most 40 KB as UTF-16, with all of its markup.
	readonly maxText = 12_000;
	readonly buttons = true;
	// 1800 messages or changes in an hour are taken for a chat.
	readonly editEveryMs = 2_000;
	readonly #options: TeamsOptions;
	readonly #addresses: Addresses;
	readonly #kept: Kept;
	readonly #login: Login;
	readonly #requests: Requests;
	readonly #connector: Connector;
	readonly #closing = new AbortController();
	/** What could not be reached when it was last tried. */
	readonly #down = new Set<string>();
	/** The last message of each chat that is being handed in: the next one waits for it. */
	readonly #lines = new Map<string, Promise<unknown>>();
	readonly #background = new Set<Promise<unknown>>();
	/** When it was last shown in a chat that somebody writes. */
	readonly #typing = new Map<string, number>();
	#atOnce = 0;
	#wasStarted = false;
	#stopping = new AbortController();
	#door: Door | undefined;

	/** @throws Error when the file cannot be used. */
	constructor(options: TeamsOptions) {
		const { clientId, tenantId, secret, baseUrl, file, warn } = options;
		const closing = this.#closing.signal;
		const noticeOf = (part: string) => (problem: string | undefined) => this.#notice(part, problem);
		this.#options = options;
		this.#addresses = addressesOf(tenantId, baseUrl);
		this.#login = new Login({ addresses: this.#addresses, clientId, secret, notice: noticeOf("login"), closing });
		const callers = new Callers({ metadata: this.#addresses.metadata, clientId, notice: noticeOf("keys"), closing });
		this.#requests = new Requests({ callers, addresses: this.#addresses, warn });
		this.#connector = new Connector({ addresses: this.#addresses, login: this.#login, notice: noticeOf("texts"), closing });
		this.#kept = new Kept(file);
	}

	get connected(): boolean {
		return this.#door !== undefined && this.#down.size === 0;
	}

	async start(door: Door): Promise<void> {
		this.#stopping = new AbortController();
		const tried = this.#login.token();
		const outcome = await Promise.race([tried.then(() => undefined, (error: unknown) => error), pause(longestStartMs, "late", { ref: false, signal: this.#closing.signal })]);
		if (outcome instanceof RefusedError) throw outcome;
		this.#door = door;
		this.#wasStarted = true;
		if (outcome === undefined) return;
		this.#notice("login", outcome instanceof Error ? outcome.message : "Microsoft's login service does not answer");
		this.#inBackground(this.#keepTrying());
	}

	async stop(): Promise<void> {
		this.#door = undefined;
		this.#stopping.abort();
		// What the gateway takes just now is told to Teams as taken.
		await Promise.race([Promise.allSettled(this.#lines.values()), pause(500, undefined, { ref: false })]);
	}

	async close(): Promise<void> {
		this.#closing.abort();
		await Promise.allSettled([...this.#background]);
		this.#kept.close();
	}

	readonly webhook = async (request: Request): Promise<Response> => {
		if (this.#door === undefined || this.#atOnce >= mostAtOnce) return later();
		this.#atOnce++;
		try {
			const read = await this.#requests.read(request);
			return read instanceof Response ? read : await this.#inOrder(read.chatId, () => this.#take(read));
		} catch (error) {
			this.#options.warn(`teams: a message was not taken: ${error instanceof Error ? error.message : String(error)}`);
			return later();
		} finally {
			this.#atOnce--;
		}
	};

	async send(text: OutboundText, signal: AbortSignal): Promise<Sent> {
		const where = this.#whereIs(text);
		const { buttons = [], replyTo } = text;
		const rest = { ...(replyTo !== undefined && where.isGroup && { replyToId: replyTo }), ...(buttons.length > 0 && { attachments: [cardOf(buttons)] }) };
		const id = await sendText(text.text, (message) => this.#connector.post(where, { ...message, ...rest }, signal));
		if (id === undefined) return {};
		if (buttons.length > 0) this.#keepQuestion(text, id);
		return { id };
	}

	async edit(sentId: string, text: OutboundText, signal: AbortSignal): Promise<void> {
		const { buttons = [] } = text;
		const rest = buttons.length > 0 && { attachments: [cardOf(buttons)] };
		await sendText(text.text, (message) => this.#connector.put(this.#whereIs(text), sentId, { ...message, ...rest }, signal));
		if (buttons.length > 0) this.#keepQuestion(text, sentId);
	}

	show(chat: Chat, live: Live): void {
		if (live.kind !== "typing" || !this.connected) return;
		const where = this.#whereIs(chat);
		const now = Date.now();
		for (const [known, at] of this.#typing) if (Math.abs(now - at) >= typingEveryMs) this.#typing.delete(known);
		if (this.#typing.has(where.conversation)) return;
		this.#typing.set(where.conversation, now);
		this.#inBackground(this.#connector.post(where, { type: "typing" }, this.#closing.signal));
	}

	async #take(activity: Activity): Promise<Response> {
		const { chatId, chatType, serviceUrl, bot, type } = activity;
		let meaning;
		try {
			meaning = meaningOf(activity);
		} catch (error) {
			return this.#requests.refuse(400, `it ${(error as Error).message}`);
		}
		const door = this.#door;
		if (door === undefined) return later();
		if (meaning.kind === "removed") this.#kept.dropConversation(chatId);
		else this.#kept.keepConversation(chatId, { serviceUrl, bot, isGroup: chatType !== "dm" });
		if (meaning.kind === "reactions") for (const reaction of meaning.reactions) door.reacted(reaction);
		if (meaning.kind !== "message") return new Response(null, { status: type === "invoke" ? 501 : 200 });
		const { message, files, question } = meaning;
		const accepted = await this.#accept(door, { ...message, ...(files.length > 0 && { files: files.map((file) => this.#inbound(file)) }) });
		const isTaken = accepted.kind === "accepted" || accepted.kind === "duplicate" || accepted.kind === "answered";
		if (question !== undefined && isTaken) this.#inBackground(this.#takeButtons(message, question));
		if (type !== "invoke") return new Response(null, { status: 200 });
		return Response.json({ statusCode: 200, type: "application/vnd.microsoft.activity.message", value: isTaken ? "OK" : "That was not taken." });
	}

	/** @throws Error when it cannot be kept for so long that Teams shall send it again. */
	async #accept(door: Door, message: Inbound): Promise<Accepted> {
		for (let failures = 0; ; failures++) {
			try {
				return await door.accept(message);
			} catch (error) {
				if (failures === acceptAgainMs.length) throw error;
				await pause(acceptAgainMs[failures], undefined, { signal: this.#stopping.signal }).catch(() => {
					throw error;
				});
			}
		}
	}

	#inbound({ name, mediaType, url }: GivenFile) {
		return { name, ...(mediaType !== undefined && { mediaType }), read: (signal: AbortSignal) => this.#connector.file(url, signal) };
	}

	#keepQuestion({ chatId, text }: OutboundText, id: string): void {
		try {
			this.#kept.keepQuestion(chatId, id, text);
		} catch (error) {
			// It was sent: to fail now would send it a second time.
			this.#options.warn(`teams: the buttons of a question will stay after one was pressed: ${(error as Error).message}`);
		}
	}

	async #takeButtons(chat: Chat, question: string): Promise<void> {
		const text = this.#kept.question(chat.chatId, question);
		if (text === undefined) return;
		await this.edit(question, { ...chat, key: question, text, purpose: "question" }, this.#closing.signal);
		this.#kept.dropQuestion(chat.chatId, question);
	}

	#whereIs({ chatId, threadId }: Chat): Where & { readonly isGroup: boolean } {
		const { serviceUrl, bot, isGroup } = this.#kept.conversation(chatId) ?? { serviceUrl: this.#addresses.connector, bot: `28:${this.#options.clientId}`, isGroup: false };
		return { serviceUrl, bot, isGroup, conversation: threadId === undefined ? chatId : `${chatId};messageid=${threadId}` };
	}

	async #inOrder<T>(chat: string, work: () => Promise<T>): Promise<T> {
		const mine = (this.#lines.get(chat) ?? Promise.resolve()).then(work, work);
		this.#lines.set(chat, mine);
		try {
			return await mine;
		} finally {
			if (this.#lines.get(chat) === mine) this.#lines.delete(chat);
		}
	}

	async #keepTrying(): Promise<void> {
		for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
			await pause(pauseMs, undefined, { signal: this.#stopping.signal });
			const error = await this.#login.token().then(() => undefined, (problem: unknown) => problem);
			// Who is refused has been told so; the next text tries again.
			if (error === undefined || error instanceof RefusedError) return;
		}
	}

	/** Says once that something cannot be reached, and once that all can. */
	#notice(part: string, problem: string | undefined): void {
		// What start throws needs no warning beside it.
		if (!this.#wasStarted) return;
		const { warn } = this.#options;
		const wasDown = this.#down.size > 0;
		if (problem === undefined) this.#down.delete(part);
		else this.#down.add(part);
		if (!wasDown && problem !== undefined) warn(`teams: ${problem.replace(/\.$/, "")}. It is tried again until it works.`);
		else if (wasDown && this.#down.size === 0) warn("teams: Microsoft can be reached again.");
	}

	#inBackground(work: Promise<unknown>): void {
		const running = work.catch(() => {}).finally(() => this.#background.delete(running));
		this.#background.add(running);
	}
}
