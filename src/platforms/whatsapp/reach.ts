// Whether Meta answers. Said once when it does not, asked with growing pauses until it does, said once when it does again.
import { setTimeout as pause } from "node:timers/promises";

export interface ReachOptions {
	/** Asks something that costs nothing; its outcome comes in through `heard`. */
	readonly ask: (signal: AbortSignal) => Promise<unknown>;
	readonly warn: (message: string) => void;
	/** The pause before the first, second, … question, in ms. */
	readonly pauseMs?: (questions: number) => number;
}

const longestPauseMs = 60_000;

export class Reach {
	readonly #options: ReachOptions;
	readonly #closing = new AbortController();
	#trouble: Error | undefined;
	#asking: Promise<void> | undefined;

	constructor(options: ReachOptions) {
		this.#options = options;
	}

	get lost(): boolean {
		return this.#trouble !== undefined;
	}

	heard(trouble: Error | undefined): void {
		if (this.#closing.signal.aborted) return;
		const before = this.#trouble;
		this.#trouble = trouble;
		if (trouble !== undefined && trouble.name !== before?.name) this.#options.warn(`whatsapp: ${trouble.message}. It is tried again until it works.`);
		if (trouble === undefined && before !== undefined) this.#options.warn("whatsapp: Meta answers again.");
		if (trouble !== undefined) this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
	}

	async close(): Promise<void> {
		this.#closing.abort();
		await this.#asking;
	}

	async #ask(): Promise<void> {
		const { ask, pauseMs = (questions) => Math.min(1000 * 2 ** (questions - 1), longestPauseMs) } = this.#options;
		const { signal } = this.#closing;
		for (let questions = 1; this.lost && !signal.aborted; questions++) {
			await pause(pauseMs(questions), undefined, { signal }).catch(() => {});
			if (this.lost && !signal.aborted) await ask(signal).catch(() => {});
		}
	}
}
