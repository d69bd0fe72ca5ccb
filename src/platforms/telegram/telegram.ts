// Telegram: a bot that asks for messages itself, or is called at an address of its own.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Accepted, Chat, Door, Live, OutboundText, Platform, Sent } from "../../gateway/platform.ts";
import { BotApi, type CallError } from "./calls.ts";
import { Connection, type ConnectionOptions, type Times } from "./connection.ts";
import { Intake } from "./intake.ts";
import { maxText, Sending } from "./sending.ts";

export interface TelegramOptions extends Pick<ConnectionOptions, "commands"> {
	readonly token: string;
	/** Where the Bot API answers; the usual place. */
	readonly baseUrl?: string | undefined;
	/** Where Telegram reaches this gateway, up to where `/platforms/telegram` follows; without it, updates are asked for. */
	readonly webhookUrl?: string | undefined;
	readonly times?: Partial<Times>;
	readonly warn: (message: string) => void;
}

const usualTimes: Times = { pollSeconds: 30, patienceMs: 5_000, pauseMs: (failures) => Math.min(1000 * 2 ** (failures - 1), 60_000) };
/** Telegram shows it for 5 s. */
const typingEveryMs = 4_000;

export class Telegram implements Platform {
	readonly name = "telegram";
	readonly maxText = maxText;
	readonly buttons = true;
	readonly maxFileBytes = 50_000_000;
	// About what a chat stands before it says 429; a group stands less.
	readonly editEveryMs = 2_000;
	readonly webhook?: (request: Request) => Promise<Response>;
	readonly #options: TelegramOptions;
	readonly #secret: string;
	readonly #stop = new AbortController();
	readonly #close = new AbortController();
	/** Calls that nobody waits for. */
	readonly #asides = new Set<Promise<void>>();
	readonly #typing = new Map<string, number>();
	#open: { readonly api: BotApi; readonly sending: Sending; readonly intake: Intake; readonly connection: Connection } | undefined;

	constructor(options: TelegramOptions) {
		this.#options = options;
		this.#secret = createHmac("sha256", options.token).update("hookline webhook").digest("hex");
		if (options.webhookUrl !== undefined) this.webhook = (request) => this.#called(request);
	}

	get connected(): boolean {
		return this.#open?.connection.connected ?? false;
	}

	async start(door: Door): Promise<void> {
		const { token, baseUrl = "https://api.telegram.org", webhookUrl, commands, warn } = this.#options;
		const times = { ...usualTimes, ...this.#options.times };
		const api = await BotApi.open({ token, root: baseUrl.replace(/\/+$/, "") });
		const sending = new Sending(api);
		const intake = new Intake({
			door,
			read: (fileId) => (signal) => api.read(fileId, signal),
			pressed: ({ message, pressId, textId }, accepted) => this.#pressed(message, pressId, textId, accepted),
			pauseMs: webhookUrl === undefined ? times.pauseMs : undefined,
			warn,
		});
		const webhook = webhookUrl === undefined ? undefined : { url: `${webhookUrl.replace(/\/+$/, "")}/platforms/telegram`, secret: this.#secret };
		const connection = new Connection({ api, webhook, commands, intake, times, warn });
		this.#open = { api, sending, intake, connection };
		try {
			await connection.start();
		} catch (error) {
			await this.stop();
			await this.close();
			const { code, message } = error as CallError;
			if (code === 401 || code === 404) throw new Error(`Telegram does not know this token (${code}). Take the one BotFather gives, and set gateway.telegram.token_env or token_file${baseUrl === this.#options.baseUrl ? ", or correct gateway.telegram.base_url" : ""}.`, { cause: error });
			throw new Error(`Telegram refuses this: ${message}. Correct gateway.telegram.`, { cause: error });
		}
	}

	async stop(): Promise<void> {
		this.#stop.abort();
		await this.#open?.connection.stop();
	}

	async close(): Promise<void> {
		this.#close.abort();
		await Promise.all(this.#asides);
		this.#open?.api.close();
	}

	async send(text: OutboundText, signal: AbortSignal): Promise<Sent> {
		return this.#started.sending.send(text, signal);
	}

	async edit(sentId: string, text: OutboundText, signal: AbortSignal): Promise<void> {
		return this.#started.sending.edit(sentId, text, signal);
	}

	show(chat: Chat, live: Live): void {
		if (live.kind !== "typing" || !this.connected) return;
		const key = `${chat.chatId}#${chat.threadId ?? ""}`;
		const now = performance.now();
		if (now - (this.#typing.get(key) ?? -Infinity) < typingEveryMs) return;
		if (this.#typing.size > 1000) this.#typing.clear();
		this.#typing.set(key, now);
		this.#aside((signal) => this.#started.sending.typing(chat, signal));
	}

	get #started() {
		if (this.#open === undefined) throw new Error("Telegram was not started.");
		return this.#open;
	}

	#pressed(chat: Chat, pressId: string, textId: number, accepted: Accepted): void {
		const { api, sending } = this.#started;
		// Until it is answered, the button shows that something is going on.
		const answer = "reason" in accepted ? { text: accepted.reason.slice(0, 200) } : {};
		this.#aside((signal) => api.call("answerCallbackQuery", { callback_query_id: pressId, ...answer }, signal, 10_000));
		const { kind } = accepted;
		if (kind === "accepted" || kind === "duplicate" || kind === "answered") this.#aside((signal) => sending.withoutButtons(chat, textId, signal));
	}

	/** Something that may fail without anybody being told. */
	#aside(work: (signal: AbortSignal) => Promise<unknown>): void {
		const aside = work(this.#close.signal).then(
			() => void this.#asides.delete(aside),
			() => void this.#asides.delete(aside),
		);
		this.#asides.add(aside);
	}

	async #called(request: Request): Promise<Response> {
		if (!same(request.headers.get("x-telegram-bot-api-secret-token") ?? "", this.#secret)) return new Response(null, { status: 401 });
		const { intake, connection } = this.#open ?? {};
		const me = connection?.me;
		if (intake === undefined || me === undefined) return new Response(null, { status: 503, headers: { "Retry-After": "5" } });
		const update: unknown = await request.json().catch(() => undefined);
		try {
			await intake.take(update, me, this.#stop.signal);
			return new Response(null, { status: 200 });
		} catch {
			return new Response(null, { status: 503, headers: { "Retry-After": "5" } });
		}
	}
}

function same(given: string, secret: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given), digest(secret));
}
