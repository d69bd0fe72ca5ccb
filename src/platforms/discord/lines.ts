// Work that keeps its order in each chat, and is tried again until it is done.
import { setTimeout as pause } from "node:timers/promises";

export interface LinesOptions {
	/** Ends all pauses: what is not done then stays undone. */
	readonly signal: AbortSignal;
	/** Told once until nothing waits for another try any more. */
	readonly onFailure: (error: unknown) => void;
	/** The pause after the first, second, … failure, in ms. */
	readonly pauseMs: (failures: number) => number;
}

/** Done at the same time; a chat that waits for another try is not among them. */
const mostAtOnce = 16;

export class Lines {
	readonly #options: LinesOptions;
	readonly #last = new Map<string, Promise<boolean>>();
	#atOnce = 0;
	readonly #waiting: (() => void)[] = [];
	/** Chats that wait for another try. */
	#failing = 0;

	constructor(options: LinesOptions) {
		this.#options = options;
	}

	/** Resolves with whether it was done; false only when all was ended before. */
	add(chat: string, work: () => Promise<void>): Promise<boolean> {
		const line: Promise<boolean> = (this.#last.get(chat) ?? Promise.resolve(true)).then(() => this.#insist(work)).finally(() => {
			if (this.#last.get(chat) === line) this.#last.delete(chat);
		});
		this.#last.set(chat, line);
		return line;
	}

	/** Resolves when nothing is under way any more. */
	async idle(): Promise<void> {
		while (this.#last.size > 0) await Promise.all(this.#last.values());
	}

	async #insist(work: () => Promise<void>): Promise<boolean> {
		const { signal, onFailure, pauseMs } = this.#options;
		let failures = 0;
		try {
			while (!signal.aborted) {
				try {
					await this.#inTurn(work);
					return true;
				} catch (error) {
					if (signal.aborted) break;
					if (failures++ === 0 && this.#failing++ === 0) onFailure(error);
				}
				await pause(pauseMs(failures), undefined, { signal }).catch(() => {});
			}
			return false;
		} finally {
			if (failures > 0) this.#failing--;
		}
	}

	async #inTurn(work: () => Promise<void>): Promise<void> {
		if (this.#atOnce >= mostAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
		else this.#atOnce++;
		try {
			await work();
		} finally {
			// The place is handed on, so that nobody comes in between.
			const next = this.#waiting.shift();
			if (next === undefined) this.#atOnce--;
			else next();
		}
	}
}
