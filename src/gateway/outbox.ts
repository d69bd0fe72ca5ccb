// Texts on their way to people: in order in each chat, tried again until the platform has them, and kept aside when it never will.
import { access, open } from "node:fs/promises";
import { setImmediate as immediate, setTimeout as pause } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import type { Outgoing, SessionEngine } from "../stores/session-engine.ts";
import { newId } from "../system/ids.ts";
import type { Done, Reply } from "./letters.ts";
import type { Drafts } from "./drafts.ts";
import { type OutboundText, type Platform, RetryLaterError, UndeliverableError } from "./platform.ts";
import { split } from "./split.ts";

export interface OutboxOptions {
	readonly engine: Engine;
	readonly sessions: SessionEngine;
	/** By name. */
	readonly platforms: ReadonlyMap<string, Platform>;
	/** Answers that stand in a chat half said. */
	readonly drafts: Drafts;
	/** Where texts are kept that cannot be delivered: a JSON object a line. */
	readonly undelivered: string;
	readonly warn: (message: string) => void;
	/** The pause after the first, second, … failure, in ms. */
	readonly pauseMs?: (failures: number) => number;
}

/** After this long a text that no try could deliver is given up, in ms. */
const givenUpAfterMs = 24 * 3600_000;
/** And not before so many: it may be that old because nobody ran for a day, or by a clock that was set. */
const fewestTries = 8;
const longestPauseMs = 300_000;
/** What platforms say is believed within these, in ms. */
const shortestWaitMs = 100;
const longestWaitMs = 3600_000;
/** So often it is tried to change what was begun, before the whole is sent as a new text. */
const mostEdits = 3;
/** Texts in memory. Of those that come beyond, behind a platform that is down for long, only the number is. */
const mostHeld = 1_000;

export class Outbox {
	readonly #options: OutboxOptions;
	readonly #stop = new AbortController();
	/** The last delivery of each chat: the next one waits for it. */
	readonly #lines = new Map<string, Promise<void>>();
	/** Platforms that were told of as down, and have taken nothing since. */
	readonly #down = new Set<string>();
	/** Deliveries that are begun or wait for those before them. */
	underWay = 0;
	#reading: Promise<void> | undefined;

	constructor(options: OutboxOptions) {
		this.#options = options;
	}

	/** Delivers what turns leave in the engine's outbox, from the oldest on. */
	start(): void {
		this.#reading ??= this.#read();
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
		this.#options.drafts.close();
		await this.#reading;
		await done();
	}

	async #read(): Promise<void> {
		const { sessions, warn } = this.#options;
		const { signal } = this.#stop;
		for (let last = 0, failures = 0; !signal.aborted; ) {
			try {
				for await (const out of sessions.outbox(last, signal)) {
					last = out.number;
					failures = 0;
					this.#take(out);
					if (this.underWay > mostHeld) await immediate();
				}
				return;
			} catch (error) {
				if (failures++ === 0) warn(`The texts that are to be delivered cannot be read now, and are tried again: ${wordsOf(error)}`);
				await this.#pause(failures).catch(() => {});
			}
		}
	}

	#take({ number, ...out }: Outgoing): void {
		const held = this.underWay < mostHeld ? out : undefined;
		this.#inLine(out.body as Reply | Done, async () => {
			const { id, at, body } = held ?? (await this.#again(number));
			const words = body as Reply | Done;
			if ("text" in words) await this.#deliver(id, words, at);
			else await this.#tellHandled(id, words, at);
			await this.#acknowledge(number);
		});
	}

	async #again(number: number): Promise<Omit<Outgoing, "number">> {
		const outgoing = this.#options.sessions.outbox(number - 1, this.#stop.signal)[Symbol.asyncIterator]();
		const { done, value } = await outgoing.next();
		await outgoing.return?.();
		if (done === true) throw this.#stop.signal.reason;
		return value;
	}

	/** Until it is done: what is not acknowledged is sent a second time by the next start. */
	async #acknowledge(number: number): Promise<void> {
		for (let failures = 1; ; failures++) {
			try {
				return await this.#options.sessions.acknowledge(number);
			} catch (error) {
				if (failures === 1) this.#options.warn(`That a text was delivered cannot be written down now, and is tried again: ${wordsOf(error)}`);
			}
			await this.#pause(failures);
		}
	}

	/** Behind a failure. @throws the signal's reason when the outbox is stopped */
	#pause(failures: number): Promise<void> {
		const { pauseMs = (count) => Math.min(1000 * 2 ** (count - 1), longestPauseMs) } = this.#options;
		return pause(pauseMs(failures), undefined, { signal: this.#stop.signal });
	}

	#inLine({ platform, chat }: Reply | Done, work: () => Promise<void>): void {
		const key = JSON.stringify([platform, chat.chatId, chat.threadId]);
		this.underWay++;
		const before = this.#lines.get(key) ?? Promise.resolve();
		const line: Promise<void> = before.then(work).catch((error: unknown) => {
			// What was not acknowledged comes again with the next start.
			if (!this.#stop.signal.aborted) this.#options.warn(`A text to ${platform} is left for the next start: ${wordsOf(error)}`);
		}).finally(() => {
			this.underWay--;
			if (this.#lines.get(key) === line) this.#lines.delete(key);
		});
		this.#lines.set(key, line);
	}

	async #deliver(key: string, reply: Reply, at: number): Promise<void> {
		const { engine, drafts, platforms } = this.#options;
		const { text, purpose, replyTo, chat, facts, files = [] } = reply;
		const { signal } = this.#stop;
		const platform = platforms.get(reply.platform);
		if (platform === undefined) return this.#giveUp(reply, goneOf(reply.platform));
		for (const { path, name } of files) {
			const isThere = await access(path).then(() => true, () => false);
			if (!isThere) return this.#giveUp(reply, `the file ${name} that belongs to it is not there any more`);
		}
		let draft = replyTo === undefined ? undefined : await drafts.take(platform.name, chat, replyTo);
		let edits = 0;
		const pieces = split(text, platform.maxText);
		for (const [i, piece] of pieces.entries()) {
			// What belongs to the whole stands at its end.
			const last = i === pieces.length - 1;
			const failure = await this.#insist(reply.platform, at, async (now) => {
				const outbound: OutboundText = { ...chat, key: pieces.length === 1 ? key : `${key}.${i + 1}`, text: piece, purpose, ...(replyTo !== undefined && { replyTo }), ...(last && extrasOf(reply, now)) };
				if (draft === undefined || now.edit === undefined || outbound.buttons !== undefined || outbound.files !== undefined) return now.send(outbound, signal);
				try {
					await now.edit(draft, outbound, signal);
				} catch (error) {
					signal.throwIfAborted();
					if (error instanceof RetryLaterError || (!(error instanceof UndeliverableError) && ++edits < mostEdits)) throw error;
					// What was begun may be gone, or too old to be changed.
					draft = undefined;
					await now.send(outbound, signal);
				}
			});
			if (failure !== undefined) return this.#giveUp(reply, failure);
			draft = undefined;
		}
		if (engine.has("message.sent")) engine.tell("message.sent", { ...facts, eventId: newId("e"), at: Date.now(), text, purpose });
	}

	async #tellHandled(key: string, { platform: name, chat, ...handled }: Done, at: number): Promise<void> {
		await this.#options.drafts.take(name, chat, handled.messageId);
		await this.#insist(name, at, async (now) => now.handled?.({ ...chat, key, ...handled }, this.#stop.signal));
	}

	/** Why it cannot be done, once that is certain. The platform can be another one at each try: its settings may have been mended. */
	async #insist(name: string, since: number, work: (platform: Platform) => Promise<unknown>): Promise<string | undefined> {
		const { platforms, warn } = this.#options;
		const { signal } = this.#stop;
		for (let failures = 1; ; failures++) {
			signal.throwIfAborted();
			const platform = platforms.get(name);
			if (platform === undefined) return goneOf(name);
			try {
				await work(platform);
				this.#down.delete(name);
				return undefined;
			} catch (error) {
				signal.throwIfAborted();
				if (error instanceof UndeliverableError || (failures >= fewestTries && Date.now() - since > givenUpAfterMs)) return wordsOf(error);
				if (error instanceof RetryLaterError && Number.isFinite(error.afterMs)) {
					await pause(Math.min(Math.max(error.afterMs, shortestWaitMs), longestWaitMs), undefined, { signal });
					continue;
				}
				if (failures === 1 && !this.#down.has(name)) warn(`${name} does not take a text now, and is tried again: ${wordsOf(error)}`);
				this.#down.add(name);
			}
			await this.#pause(failures);
		}
	}

	async #giveUp(reply: Reply, why: string): Promise<void> {
		const { undelivered, warn } = this.#options;
		await using file = await open(undelivered, "a+", 0o600);
		const { size } = await file.stat();
		// A crash may have torn the last line: this one stands on its own.
		const isWhole = size === 0 || (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] === 0x0a;
		await file.appendFile(`${isWhole ? "" : "\n"}${JSON.stringify({ at: Date.now(), why, ...reply })}\n`);
		await file.sync();
		warn(`A text to chat ${reply.chat.chatId} of ${reply.platform} cannot be delivered (${why}); it is kept in ${undelivered}.`);
	}
}

const goneOf = (platform: string) => `there is no platform '${platform}' any more`;

/** What this platform can take beside a text. Who sends files has looked whether it can. */
function extrasOf({ buttons, files }: Reply, platform: Platform): Pick<OutboundText, "buttons" | "files"> {
	return {
		...(platform.buttons === true && buttons !== undefined && { buttons }),
		...(platform.maxFileBytes !== undefined && files !== undefined && { files }),
	};
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
