// Stays connected, for months: another connection before Slack closes one, and growing pauses while it cannot be reached.
import { setTimeout as pause } from "node:timers/promises";
import { TokenError } from "./api.ts";
import type { Connection } from "./connection.ts";

export interface StayingOptions {
	/** Opens a connection. */
	readonly open: (signal: AbortSignal) => Promise<Connection>;
	readonly warn: (message: string) => void;
	/** The pause after the first, second, … failure, in ms. */
	readonly pauseMs: (failures: number) => number;
}

/** One that did not last so long, in ms, is a failure: at once another one would be a hot loop. */
const shortMs = 30_000;
/** What Slack leaves a connection that it asked to be replaced, in ms. */
const overlapMs = 5_000;
/** How long Slack may count a connection that was cut, in ms. */
const lingeringMs = 300_000;
/** Between two tries with a token that Slack does not take any more, in ms. */
const refusedMs = 60_000;

export class Staying {
	readonly #options: StayingOptions;
	readonly #stop = new AbortController();
	readonly #open = new Set<Connection>();
	readonly #first = Promise.withResolvers<void>();
	#running: Promise<void> | undefined;
	#current: Connection | undefined;
	/** Whether a warning said that it is gone. */
	#told = false;
	#crowded = false;
	/** When connections ended: Slack counts some of them for a while. */
	#ended: readonly number[] = [];

	constructor(options: StayingOptions) {
		this.#options = options;
	}

	get connected(): boolean {
		return this.#current !== undefined;
	}

	/** Resolves after the first try. @throws TokenError */
	async start(): Promise<void> {
		this.#first.promise.catch(() => {});
		this.#running = this.#stay();
		await this.#first.promise;
	}

	/** Closes everything, within a second. */
	async stop(): Promise<void> {
		this.#stop.abort();
		this.#first.resolve();
		await Promise.all([...this.#open].map((connection) => connection.close()));
		await this.#running;
	}

	async #stay(): Promise<void> {
		const { pauseMs } = this.#options;
		const { signal } = this.#stop;
		let failures = 0;
		for (let isFirst = true; !signal.aborted; isFirst = false) {
			let waitMs = 0;
			try {
				const connection = await this.#connect();
				this.#first.resolve();
				const since = performance.now();
				const reason = await Promise.race([connection.retiring, connection.closed]);
				if (signal.aborted) return;
				failures = performance.now() - since < shortMs ? failures + 1 : 0;
				if (reason === "link_disabled") this.#say("socket mode was switched off in the settings of the app. Switch it on again there: it is tried until then.");
				else if (failures === 3) this.#say("Slack closes each connection soon after it was opened; it goes on being tried.");
			} catch (error) {
				if (signal.aborted) return;
				failures++;
				const why = error instanceof Error ? error.message : String(error);
				if (error instanceof TokenError) {
					if (isFirst) return this.#first.reject(error);
					waitMs = refusedMs;
				}
				this.#say(`${why}. It is tried again until it works.`);
				this.#first.resolve();
			}
			if (failures > 0) await pause(Math.max(waitMs, pauseMs(failures)), undefined, { signal }).catch(() => {});
		}
	}

	async #connect(): Promise<Connection> {
		const before = this.#current;
		const connection = await this.#options.open(this.#stop.signal);
		this.#open.add(connection);
		this.#current = connection;
		void connection.closed.then(() => {
			this.#open.delete(connection);
			this.#ended = [...this.#ended.slice(-20), performance.now()];
			if (this.#current === connection) this.#current = undefined;
		});
		if (this.#stop.signal.aborted) await connection.close();
		// Until then it may still bring messages.
		if (before !== undefined) setTimeout(() => void before.close(), overlapMs).unref();
		if (this.#told) this.#options.warn("slack: connected again.");
		this.#told = false;
		this.#noticeOthers(connection.count);
		return connection;
	}

	#noticeOthers(count: number): void {
		const lingering = this.#ended.filter((at) => performance.now() - at < lingeringMs).length;
		const others = count - this.#open.size - lingering;
		if (others > 0 && !this.#crowded) this.#options.warn(`slack: another program is connected as this app too (${count} connections). Slack gives each message to one of them only: end the other one. A connection of a program that died goes by itself.`);
		this.#crowded = others > 0;
	}

	#say(what: string): void {
		if (!this.#told) this.#options.warn(`slack: ${what}`);
		this.#told = true;
	}
}
