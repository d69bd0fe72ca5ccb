// Slack, in socket mode: Slack needs not reach the gateway, and everything comes over one WebSocket.
import { setTimeout as pause } from "node:timers/promises";
import type { Chat, Door, Live, OutboundText, Platform, Sent } from "../../gateway/platform.ts";
import { orAborted } from "../../system/abort.ts";
import { aboutToken, Api, SlackRefusal } from "./api.ts";
import { connect, type Envelope } from "./connection.ts";
import { type Happening, read, type Self } from "./events.ts";
import { fileOf } from "./files.ts";
import { change, maxText, post, showTyping, withoutButtons } from "./sending.ts";
import { Staying } from "./staying.ts";
import { Taking } from "./taking.ts";

export interface SlackOptions {
	readonly botToken: string;
	readonly appToken: string;
	/** Slack's API; `https://slack.com/api/`. */
	readonly baseUrl?: string;
	readonly warn: (message: string) => void;
	/** The pause after the first, second, … failure, in ms. */
	readonly pauseMs?: (failures: number) => number;
	/** A connection that answers no ping for so long is given up, in ms; 15 s. */
	readonly silenceMs?: number;
}

/** `start` waits no longer for the first try, in ms. */
const longestStartMs = 5_000;
const longestOpeningMs = 15_000;
const longestPauseMs = 60_000;
/** Those that are being taken when it is stopped, in ms. */
const settlingMs = 500;
const typingEveryMs = 15_000;
/** Threads in which the agent spoke, as far as it remembers. */
const mostThreads = 5_000;

export class Slack implements Platform {
	readonly name = "slack";
	readonly maxText = maxText;
	readonly buttons = true;
	/** Slack's limit. */
	readonly maxFileBytes = 1024 ** 3;
	readonly editEveryMs = 3_000;
	readonly #options: SlackOptions;
	readonly #pauseMs = (failures: number): number => this.#options.pauseMs?.(failures) ?? Math.min(1000 * 2 ** (failures - 1), longestPauseMs);
	readonly #closing = new AbortController();
	readonly #stopping = new AbortController();
	readonly #api: Api;
	readonly #staying: Staying;
	readonly #threads = new Set<string>();
	/** When typing was shown last, by thread; and whether Slack takes it at all. */
	readonly #typing = new Map<string, number>();
	#typingRefused = false;
	#taking: Taking | undefined;
	#door: Door | undefined;
	#self: Self | undefined;
	#complained = false;

	constructor(options: SlackOptions) {
		this.#options = options;
		const { botToken: token, baseUrl } = options;
		this.#api = new Api({ token, baseUrl, closing: this.#closing.signal });
		this.#staying = new Staying({ open: (signal) => this.#open(signal), warn: (message) => this.#warn(message), pauseMs: this.#pauseMs });
	}

	get connected(): boolean {
		return this.#staying.connected;
	}

	async start(door: Door): Promise<void> {
		this.#door = door;
		this.#taking = new Taking({ door, warn: (message) => this.#warn(message), pauseMs: this.#pauseMs, signal: this.#stopping.signal });
		const enough = new AbortController();
		try {
			await Promise.race([this.#staying.start(), pause(longestStartMs, undefined, { signal: enough.signal })]);
		} finally {
			enough.abort();
		}
	}

	async stop(): Promise<void> {
		const taking = this.#taking;
		this.#taking = undefined;
		this.#door = undefined;
		await taking?.settle(settlingMs);
		this.#stopping.abort();
		await this.#staying.stop();
	}

	async close(): Promise<void> {
		this.#closing.abort(new Error("The gateway is closing."));
	}

	async send(text: OutboundText, signal: AbortSignal): Promise<Sent> {
		const id = await orAborted(post(this.#api, text, signal), signal);
		if (text.threadId !== undefined) this.#remember(text.chatId, text.threadId);
		return id === undefined ? {} : { id };
	}

	async edit(sentId: string, text: OutboundText, signal: AbortSignal): Promise<void> {
		await orAborted(change(this.#api, sentId, text), signal);
	}

	/** Slack shows it in threads only. */
	show(chat: Chat, { kind }: Live): void {
		if (kind !== "typing" || chat.threadId === undefined || this.#typingRefused) return;
		const key = threadKey(chat.chatId, chat.threadId);
		const now = performance.now();
		if (now - (this.#typing.get(key) ?? -typingEveryMs) < typingEveryMs) return;
		if (this.#typing.size >= mostThreads) this.#typing.clear();
		this.#typing.set(key, now);
		showTyping(this.#api, chat).catch((error: unknown) => {
			if (error instanceof SlackRefusal) this.#typingRefused = true;
		});
	}

	async #open(signal: AbortSignal) {
		const { appToken: token, baseUrl, silenceMs = 15_000 } = this.#options;
		this.#self ??= await orAborted(this.#identify(), signal);
		try {
			return await connect({ token, baseUrl, silenceMs, longestOpeningMs, signal, take: (envelope) => this.#take(envelope), malformed: (why) => this.#complain(why) });
		} catch (error) {
			throw aboutToken(error, "app_token", "the app-level token (xapp-…, with connections:write) of 'Basic Information'");
		}
	}

	async #identify(): Promise<Self> {
		try {
			const { user_id: userId, user } = await this.#api.call("auth.test", {});
			const { botToken: token, baseUrl } = this.#options;
			return {
				userId: String(userId),
				name: String(user),
				spokeIn: (channel, thread) => this.#threads.has(threadKey(channel, thread)),
				fileOf: (file) => fileOf({ api: this.#api, token, baseUrl }, file),
			};
		} catch (error) {
			throw aboutToken(error, "bot_token", "the bot token (xoxb-…) of 'OAuth & Permissions'");
		}
	}

	#take({ type, payload, tell }: Envelope): void {
		const taking = this.#taking;
		// Slack sends it again, to whoever is connected then.
		if (taking === undefined) return;
		let what: Happening;
		try {
			what = read(type, payload, this.#self!);
		} catch (error) {
			this.#complain(error instanceof Error ? error.message : String(error));
			// It would not be any better the next time.
			return void tell();
		}
		if (what.kind === "message") return taking.take(what.source, what.message, tell);
		if (what.kind === "press") {
			const { under } = what;
			return taking.take("press", what.message, tell, () => void withoutButtons(this.#api, under).catch(() => {}));
		}
		if (what.kind === "reaction") this.#door?.reacted(what.reaction);
		void tell();
	}

	#remember(channel: string, thread: string): void {
		const key = threadKey(channel, thread);
		this.#threads.delete(key);
		this.#threads.add(key);
		if (this.#threads.size > mostThreads) this.#threads.delete(this.#threads.values().next().value!);
	}

	#complain(why: string): void {
		if (!this.#complained) this.#warn(`slack: something came that is not what Slack's documentation says (${why}), and was left out. More of the kind is not told of.`);
		this.#complained = true;
	}

	#warn(message: string): void {
		const { botToken, appToken, warn } = this.#options;
		warn(message.replaceAll(botToken, "…").replaceAll(appToken, "…"));
	}
}

const threadKey = (channel: string, thread: string) => `${channel} ${thread}`;
