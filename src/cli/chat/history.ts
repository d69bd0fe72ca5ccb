// What a person typed in conversations before: offered again by the arrow keys. One JSON string a line, readable for its owner alone.
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const kept = 500;
/** Characters; what is longer was pasted, and is in the session. */
const longest = 10_000;

export class InputHistory {
	readonly #file: string;
	#lines: string[];

	/** A file that cannot be read is an empty history: it is a convenience. */
	constructor(home: string) {
		this.#file = join(home, "history");
		this.#lines = read(this.#file);
		if (this.#lines.length > kept * 2) this.#lines = rewrite(this.#file, this.#lines.slice(-kept));
	}

	/** The newest last. */
	get entries(): readonly string[] {
		return this.#lines.slice(-kept);
	}

	add(text: string): void {
		if (text.length > longest || text === this.#lines.at(-1)) return;
		this.#lines.push(text);
		try {
			appendFileSync(this.#file, `${JSON.stringify(text)}\n`, { mode: 0o600 });
		} catch {
			// A full disk is told of by what matters more.
		}
	}
}

function read(file: string): string[] {
	try {
		return readFileSync(file, "utf8").split("\n").flatMap((line) => entryOf(line));
	} catch {
		return [];
	}
}

function entryOf(line: string): string[] {
	try {
		const value: unknown = JSON.parse(line);
		return typeof value === "string" ? [value] : [];
	} catch {
		return [];
	}
}

function rewrite(file: string, lines: string[]): string[] {
	try {
		writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
		chmodSync(file, 0o600);
	} catch {
		// As above.
	}
	return lines;
}
