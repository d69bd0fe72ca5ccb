// The way to Telegram: who the bot is, asking for updates for as long as it takes, and one line for each kind of trouble.
import { setTimeout as pause } from "node:timers/promises";
import { type BotApi, CallError } from "./calls.ts";
import type { Intake } from "./intake.ts";
import { type Me, wanted } from "./updates.ts";

export interface ConnectionOptions {
	readonly api: BotApi;
	/** Where Telegram is to send updates; undefined: they are asked for. */
	readonly webhook: { readonly url: string; readonly secret: string } | undefined;
	/** For the menu beside the text field. */
	readonly commands: readonly { readonly name: string; readonly summary: string }[];
	readonly intake: Intake;
	readonly times: Times;
	readonly warn: (message: string) => void;
}

export interface Times {
	/** How long Telegram is to wait for an update before it answers that there is none, in s. */
	readonly pollSeconds: number;
	/** How long any other answer may take, in ms. */
	readonly patienceMs: number;
	/** The pause after the first, second, … failure, in ms. */
	readonly pauseMs: (failures: number) => number;
}

type Trouble = "down" | "refused" | "taken";

/** Updates that Telegram gives at once: never more than these are under way. */
const mostAtOnce = 100;
/** While a chat is slow, others are asked for this often, in ms; nothing is asked for more often where there is nothing. */
const betweenMs = 500;
const longestPauseMs = 60_000;
/** Of two processes with one bot each has its way now and then. It is over when it did for this long, in ms. */
const quietMs = 60_000;
const lastWorkMs = 600;
const lastCallMs = 250;

export class Connection {
	readonly #options: ConnectionOptions;
	readonly #stop = new AbortController();
	/** Ids of the updates that are under way, and of those that were taken while an earlier one still is. */
	readonly #open = new Set<number>();
	readonly #ahead = new Set<number>();
	/** The id of the last one that came. */
	#last: number | undefined;
	#running: Promise<void> | undefined;
	#trouble: Trouble | undefined;
	#failures = 0;
	#failedAt = 0;
	#pauseMs = 0;
	me: Me | undefined;
	connected = false;

	constructor(options: ConnectionOptions) {
		this.#options = options;
	}

	/** Resolves after the first try. @throws CallError when another one cannot help */
	async start(): Promise<void> {
		try {
			await this.#connect();
		} catch (error) {
			if (troubleOf(error) === "refused") throw error;
			this.#fails(error);
		}
		this.#running = this.#run();
	}

	/** Takes no more updates, and tells Telegram which were taken. */
	async stop(): Promise<void> {
		const { api, webhook, intake } = this.#options;
		this.#stop.abort();
		this.connected = false;
		await atMost(lastWorkMs, Promise.all([this.#running, intake.idle()]));
		const offset = this.#offset;
		if (webhook === undefined && offset !== undefined) await api.call("getUpdates", { offset, limit: 1, timeout: 0, allowed_updates: wanted }, new AbortController().signal, lastCallMs).catch(() => {});
	}

	/** Of the first update that is not done with. */
	get #offset(): number | undefined {
		if (this.#open.size > 0) return Math.min(...this.#open);
		return this.#last === undefined ? undefined : this.#last + 1;
	}

	async #connect(): Promise<void> {
		const { api, webhook, commands, times, warn } = this.#options;
		const { signal } = this.#stop;
		const { id, username } = await api.call("getMe", undefined, signal, times.patienceMs);
		const menu = commands.filter(({ name }) => /^[a-z0-9_]{1,32}$/.test(name)).map(({ name, summary }) => ({ command: name, description: summary.slice(0, 256) }));
		await Promise.all([
			// Telegram gives updates to nobody who asks while it has an address to send them to.
			webhook === undefined
				? api.call("deleteWebhook", {}, signal, times.patienceMs)
				: api.call("setWebhook", { url: webhook.url, secret_token: webhook.secret, allowed_updates: wanted }, signal, times.patienceMs),
			api.call("setMyCommands", { commands: menu }, signal, times.patienceMs).catch((error: unknown) => {
				if (!signal.aborted) warn(`telegram: the menu of commands is not set: ${wordsOf(error)}`);
			}),
		]);
		this.me = { id, username };
		this.#works();
	}

	async #run(): Promise<void> {
		const { webhook, times } = this.#options;
		const { signal } = this.#stop;
		while (!signal.aborted) {
			try {
				if (this.#pauseMs > 0) await pause(this.#pauseMs, undefined, { signal });
				if (this.me === undefined) await this.#connect();
				if (webhook !== undefined) return;
				// After a failure a short one, which tells at once whether it is over.
				await this.#poll(this.me!, this.#pauseMs > 0 || this.#open.size > 0 ? 0 : times.pollSeconds);
			} catch (error) {
				if (!signal.aborted) this.#fails(error);
			}
		}
	}

	async #poll(me: Me, seconds: number): Promise<void> {
		const { api, intake, times } = this.#options;
		const { signal } = this.#stop;
		const began = performance.now();
		const offset = this.#offset;
		const updates: unknown = await api.call("getUpdates", { ...(offset !== undefined && { offset }), limit: mostAtOnce, timeout: seconds, allowed_updates: wanted }, signal, seconds * 1000 + times.patienceMs);
		if (!Array.isArray(updates)) throw new CallError("getUpdates: the answer is none of Telegram's");
		this.#works();
		for (const update of updates) this.#begin(update, me);
		if (this.#open.size > 0) await atMost(betweenMs, intake.idle(), signal);
		else if (updates.length === 0) await atMost(betweenMs - (performance.now() - began), undefined, signal);
	}

	#begin(update: unknown, me: Me): void {
		const { intake } = this.#options;
		const id = (update as { readonly update_id?: unknown } | null)?.update_id;
		if (typeof id !== "number" || !Number.isSafeInteger(id)) return intake.unreadable("it has no update_id");
		this.#last = id;
		if (this.#open.has(id) || this.#ahead.has(id)) return;
		this.#open.add(id);
		intake.take(update, me, this.#stop.signal).then(
			() => {
				this.#open.delete(id);
				if (this.#open.size === 0) this.#ahead.clear();
				else this.#ahead.add(id);
			},
			// What was not taken comes again with the next start.
			() => {},
		);
	}

	#works(): void {
		this.connected = !this.#stop.signal.aborted;
		this.#pauseMs = 0;
		if (this.#trouble === undefined || (this.#trouble === "taken" && performance.now() - this.#failedAt < quietMs)) return;
		this.#options.warn("telegram: it works again.");
		this.#trouble = undefined;
		this.#failures = 0;
	}

	#fails(error: unknown): void {
		const { times, warn } = this.#options;
		const trouble = troubleOf(error);
		this.connected = false;
		this.#failedAt = performance.now();
		this.#failures++;
		this.#pauseMs = trouble === "refused" ? longestPauseMs : ((error as CallError).retryAfterMs ?? times.pauseMs(this.#failures));
		if (trouble === this.#trouble) return;
		this.#trouble = trouble;
		const words = wordsOf(error);
		if (trouble === "taken") warn(`telegram: another process takes the messages of this bot (${words}). End it: a bot serves one at a time. It is tried again until then.`);
		else if (trouble === "refused") warn(`telegram: Telegram does not take the bot's token any more (${words}). Give gateway.telegram the one BotFather shows now, and start the gateway again.`);
		else warn(`telegram: Telegram cannot be reached (${words}). It is tried again until it can.`);
	}
}

function troubleOf(error: unknown): Trouble {
	const code = error instanceof CallError ? error.code : undefined;
	return code === 409 ? "taken" : code === 400 || code === 401 || code === 403 || code === 404 ? "refused" : "down";
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Waits for work, or just waits, this long in ms at most. */
async function atMost(ms: number, work: Promise<unknown> | undefined, signal?: AbortSignal): Promise<void> {
	if (ms <= 0 || signal?.aborted) return;
	const over = new AbortController();
	const leave = () => over.abort();
	signal?.addEventListener("abort", leave, { once: true });
	const time = pause(ms, undefined, { signal: over.signal }).catch(() => {});
	await Promise.race(work === undefined ? [time] : [work, time]);
	signal?.removeEventListener("abort", leave);
	leave();
}
