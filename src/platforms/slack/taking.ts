// Messages on their way to the gateway: in order in each chat, tried again while they cannot be kept, and Slack is told only then.
import { setTimeout as pause } from "node:timers/promises";
import type { Accepted, Door, Inbound } from "../../gateway/platform.ts";

export interface TakingOptions {
	readonly door: Door;
	readonly warn: (message: string) => void;
	/** The pause after the first, second, … failure, in ms. */
	readonly pauseMs: (failures: number) => number;
	readonly signal: AbortSignal;
}

type Tell = () => Promise<void>;

interface UnderWay {
	readonly source: string;
	/** Slack tells of a message again when it was not told within 3 s that it was taken: one for each time. */
	readonly tell: Tell[];
}

/** Messages that wait at most. What comes beyond is not taken, and Slack sends it again later. */
const mostUnderWay = 5_000;
/** So many messages back, the second telling of a mention is known. */
const mostRemembered = 1_000;

export class Taking {
	readonly #options: TakingOptions;
	/** The last message of each chat: the next one waits for it. */
	readonly #lines = new Map<string, Promise<void>>();
	readonly #underWay = new Map<string, UnderWay>();
	/** The kind of event that brought a message, by chat and number. */
	readonly #done = new Map<string, string>();
	#failing = false;
	#full = false;

	constructor(options: TakingOptions) {
		this.#options = options;
	}

	/**
	 * @param source the kind of event that brings it; the same message from another kind is the same message
	 * @param tell tells Slack that it was taken
	 * @param then when it was accepted
	 */
	take(source: string, message: Inbound, tell: Tell, then: () => void = () => {}): void {
		const key = JSON.stringify([message.chatId, message.messageId]);
		const waiting = this.#underWay.get(key);
		if (waiting !== undefined) return void waiting.tell.push(tell);
		if ((this.#done.get(key) ?? source) !== source) return void tell();
		if (this.#underWay.size >= mostUnderWay) {
			if (!this.#full) this.#options.warn(`slack: ${mostUnderWay} messages wait to be kept; what comes now is left to Slack to send again.`);
			this.#full = true;
			return;
		}
		const one: UnderWay = { source, tell: [tell] };
		this.#underWay.set(key, one);
		const before = this.#lines.get(message.chatId) ?? Promise.resolve();
		const line = before.then(() => this.#handIn(key, one, message, then)).finally(() => {
			if (this.#lines.get(message.chatId) === line) this.#lines.delete(message.chatId);
		});
		this.#lines.set(message.chatId, line);
	}

	/** Waits for those that are being taken, this long in ms; the others stay with Slack. */
	async settle(longestMs: number): Promise<void> {
		await Promise.race([Promise.all(this.#lines.values()), pause(longestMs, undefined, { ref: false })]);
	}

	async #handIn(key: string, one: UnderWay, message: Inbound, then: () => void): Promise<void> {
		const accepted = await this.#insist(message);
		this.#underWay.delete(key);
		if (accepted === undefined) return;
		this.#full = false;
		this.#done.set(key, one.source);
		if (this.#done.size > mostRemembered) this.#done.delete(this.#done.keys().next().value!);
		await Promise.all(one.tell.map((tell) => tell()));
		if (accepted.kind === "accepted" || accepted.kind === "duplicate") then();
	}

	/** Undefined when the platform is stopped before it could be kept. */
	async #insist(message: Inbound): Promise<Accepted | undefined> {
		const { door, warn, pauseMs, signal } = this.#options;
		for (let failures = 1; !signal.aborted; failures++) {
			try {
				const accepted = await door.accept(message);
				this.#failing = false;
				return accepted;
			} catch (error) {
				if (!this.#failing) warn(`slack: a message could not be kept, and is tried again until it is: ${error instanceof Error ? error.message : String(error)}`);
				this.#failing = true;
			}
			await pause(pauseMs(failures), undefined, { signal }).catch(() => {});
		}
		return undefined;
	}
}
