// What a search is, and what it found, whoever does the searching.

export interface Search {
	readonly mode: "content" | "files";
	/** Absolute. Paths in the findings are relative to it. */
	readonly folder: string;
	/** Set when only this file in it is searched. */
	readonly file?: string;
	/** As the model wrote it. */
	readonly pattern: string;
	readonly ignoreCase: boolean;
	readonly wanted: (path: string) => boolean;
	/** How many findings are kept. */
	readonly limit: number;
	/** Aborted when the user stops the turn, and when the search has taken too long. */
	readonly signal: AbortSignal;
}

/** `stopped`: by the signal, before everything was searched. `too-slow`: the pattern itself takes too long. */
export type SearchEnding = "complete" | "stopped" | "too-slow";

export interface SearchResult {
	readonly ending: SearchEnding;
	readonly findings: Findings;
}

/** Larger files are left out. */
export const largestFile = 2 * 1024 * 1024;
/** How long matching one batch may block everything else. */
export const batchMs = 1_000;

const longestText = 400;
const mostCharacters = 50_000;

/** Keeps the first of the findings and counts the others. They are added in order. */
export class Findings {
	readonly lines: string[] = [];
	readonly #limit: number;
	#characters = 0;
	leftOut = 0;

	constructor(limit: number) {
		this.#limit = limit;
	}

	add(line: string): void {
		if (this.leftOut > 0 || this.lines.length >= this.#limit || this.#characters + line.length > mostCharacters) this.leftOut++;
		else {
			this.lines.push(line);
			this.#characters += line.length + 1;
		}
	}
}

/** One matching line as it is shown; of a long one the part around the match, which begins at `at`. */
export function findingOf(path: string, line: number, text: string, at: number): string {
	const whole = text.replace(/\r?\n?$/, "");
	if (whole.length <= longestText) return `${path}:${line}: ${whole}`;
	const from = Math.min(Math.max(0, at - 100), whole.length - longestText);
	const part = whole.slice(from, from + longestText).toWellFormed();
	return `${path}:${line}: ${from > 0 ? "[...] " : ""}${part}${from + longestText < whole.length ? " [...]" : ""}`;
}
