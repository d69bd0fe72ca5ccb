// Warnings about a receiver that is down: with every event there would be one more. The first is told at once, what follows is counted and told once an hour.

const pauseMs = 3_600_000;

export class Told {
	readonly #warn: (message: string) => void;
	readonly #notes = new Map<string, { count: number; at: number; sentence: (count: number) => string }>();

	constructor(warn: (message: string) => void) {
		this.#warn = warn;
	}

	/** `sentence` says it of as many as were counted since it was told last. */
	count(about: string, more: number, sentence: (count: number) => string): void {
		if (more === 0) return;
		const note = this.#notes.get(about) ?? { count: 0, at: Number.NEGATIVE_INFINITY, sentence };
		note.count += more;
		note.sentence = sentence;
		this.#notes.set(about, note);
	}

	/** Tells what is due, or all of it at the end. */
	tell(isEnd = false): void {
		const now = performance.now();
		for (const note of this.#notes.values()) {
			if (note.count === 0 || (!isEnd && now - note.at < pauseMs)) continue;
			this.#warn(note.sentence(note.count));
			note.count = 0;
			note.at = now;
		}
	}
}
