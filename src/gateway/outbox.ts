// Texts on their way to people: in order in each chat, tried again until the platform has them, and kept aside when it never will.
import { appendFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import type { Outgoing, SessionEngine } from "../stores/session-engine.ts";
import { newId } from "../system/ids.ts";
import type { Done, Reply } from "./letters.ts";
import { type Platform, UndeliverableError } from "./platform.ts";
import { split } from "./split.ts";

export interface OutboxOptions {
	readonly engine: Engine;
	readonly sessions: SessionEngine;
	/** By name. */
	readonly platforms: ReadonlyMap<string, Platform>;
	/** Where texts are kept that cannot be delivered: a JSON object a line. */
	readonly undelivered: string;
	readonly warn: (message: string) => void;
	/** The pause after the first, second, … failure, in ms. */
	readonly pauseMs?: (failures: number) => number;
}

/** After this long a text that no try could deliver is given up, in ms. */
const givenUpAfterMs = 24 * 3600_000;
const longestPauseMs = 300_000;
/** Deliveries under way at once; the others wait in the engine. */
const mostUnderWay = 1_000;

export class Outbox {
	readonly #options: OutboxOptions;
	readonly #stop = new AbortController();
	/** The last delivery of each chat: the next one waits for it. */
	readonly #lines = new Map<string, Promise<void>>();
	#underWay = 0;
	#reading: Promise<void> | undefined;

	constructor(options: OutboxOptions) {
		this.#options = options;
	}

	/** Delivers what turns leave in the engine's outbox, from the oldest on. */
	start(): void {
		this.#reading ??= this.#read().catch((error: unknown) => this.#options.warn(`Nothing more is delivered until the gateway is started again: ${wordsOf(error)}`));
	}

	/** Delivers a text now, behind those of its chat that wait. It is not kept: a crash loses it. */
	sayNow(reply: Reply): void {
		this.#inLine(reply, () => this.#deliver(newId("now"), reply, Date.now()));
	}

	/** Waits for what is under way, this long in ms; what is not delivered then stays in the engine. */
	async stop(graceMs: number): Promise<void> {
		const done = async () => {
			while (this.#lines.size > 0) await Promise.all(this.#lines.values());
		};
		await Promise.race([done(), pause(graceMs, undefined, { ref: false })]);
		this.#stop.abort();
		await this.#reading;
		await done();
	}

	async #read(): Promise<void> {
		const { sessions } = this.#options;
		for await (const out of sessions.outbox(0, this.#stop.signal)) {
			const body = out.body as Reply | Done;
			this.#inLine(body, async () => {
				if ("text" in body) await this.#deliver(out.id, body, out.at);
				else await this.#tellHandled(out, body);
				await sessions.acknowledge(out.number);
			});
			while (this.#underWay >= mostUnderWay) await Promise.race(this.#lines.values());
		}
	}

	#inLine({ platform, chat }: Reply | Done, work: () => Promise<void>): void {
		const key = JSON.stringify([platform, chat.chatId, chat.threadId]);
		this.#underWay++;
		const before = this.#lines.get(key) ?? Promise.resolve();
		const line: Promise<void> = before.then(work).catch((error: unknown) => {
			// What was not acknowledged comes again with the next start.
			if (!this.#stop.signal.aborted) this.#options.warn(`A text to ${platform} is left for the next start: ${wordsOf(error)}`);
		}).finally(() => {
			this.#underWay--;
			if (this.#lines.get(key) === line) this.#lines.delete(key);
		});
		this.#lines.set(key, line);
	}

	async #deliver(key: string, reply: Reply, at: number): Promise<void> {
		const { engine } = this.#options;
		const { text, purpose, replyTo, chat, facts } = reply;
		const platform = this.#options.platforms.get(reply.platform);
		if (platform === undefined) return this.#giveUp(reply, `there is no platform '${reply.platform}' any more`);
		const pieces = split(text, platform.maxText);
		for (const [i, piece] of pieces.entries()) {
			const outbound = { ...chat, key: pieces.length === 1 ? key : `${key}.${i + 1}`, text: piece, purpose, ...(replyTo !== undefined && { replyTo }) };
			const failure = await this.#insist(platform, at, () => platform.send(outbound, this.#stop.signal));
			if (failure !== undefined) return this.#giveUp(reply, failure);
		}
		if (engine.has("message.sent")) engine.tell("message.sent", { ...facts, eventId: newId("e"), at: Date.now(), text, purpose });
	}

	async #tellHandled({ id, at }: Outgoing, { platform: name, chat, ...handled }: Done): Promise<void> {
		const platform = this.#options.platforms.get(name);
		if (platform?.handled === undefined) return;
		await this.#insist(platform, at, () => platform.handled!({ ...chat, key: id, ...handled }, this.#stop.signal));
	}

	/** Why it cannot be done, once that is certain. */
	async #insist({ name }: Platform, since: number, work: () => Promise<void>): Promise<string | undefined> {
		const { warn, pauseMs = (failures) => Math.min(1000 * 2 ** (failures - 1), longestPauseMs) } = this.#options;
		const { signal } = this.#stop;
		for (let failures = 1; ; failures++) {
			signal.throwIfAborted();
			try {
				await work();
				return undefined;
			} catch (error) {
				signal.throwIfAborted();
				if (error instanceof UndeliverableError || Date.now() - since > givenUpAfterMs) return wordsOf(error);
				if (failures === 1) warn(`${name} does not take a text now, and is tried again: ${wordsOf(error)}`);
			}
			await pause(pauseMs(failures), undefined, { signal });
		}
	}

	async #giveUp(reply: Reply, why: string): Promise<void> {
		const { undelivered, warn } = this.#options;
		await appendFile(undelivered, `${JSON.stringify({ at: Date.now(), why, ...reply })}\n`, { mode: 0o600, flush: true });
		warn(`A text to chat ${reply.chat.chatId} of ${reply.platform} cannot be delivered (${why}); it is kept in ${undelivered}.`);
	}
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
