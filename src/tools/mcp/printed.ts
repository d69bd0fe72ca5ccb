// What a server prints, as lines for the log: so many a second and no more, for a flood must cost the agent neither its log nor its time.
import { StringDecoder } from "node:string_decoder";

const windowMs = 1_000;
const mostLines = 100;
const mostCharacters = 16 * 1024;
const longestLine = 1_000;

export class Printed {
	readonly #tell: (line: string) => void;
	readonly #decoder = new StringDecoder("utf8");
	#line = "";
	#windowEnds = 0;
	#lines = 0;
	#characters = 0;
	#dropped = 0;
	#last = "";

	constructor(tell: (line: string) => void) {
		this.#tell = tell;
	}

	/** The last line that was not empty, for saying why a server ended. */
	get last(): string {
		return this.#line.trim() || this.#last;
	}

	push(chunk: Buffer): void {
		const [first = "", ...others] = this.#decoder.write(chunk).split("\n");
		this.#grow(first);
		for (const part of others) {
			this.line(this.#line);
			this.#line = "";
			this.#grow(part);
		}
	}

	/** A line from elsewhere, counted with the others. */
	line(text: string): void {
		const line = text.length > longestLine ? `${text.slice(0, longestLine).toWellFormed()}…` : text.trimEnd();
		if (line.trim() === "") return;
		this.#last = line.trim();
		const now = performance.now();
		if (now > this.#windowEnds) {
			this.#tellDropped();
			this.#windowEnds = now + windowMs;
			this.#lines = this.#characters = 0;
		}
		this.#characters += line.length;
		if (++this.#lines > mostLines || this.#characters > mostCharacters) this.#dropped++;
		else this.#tell(line);
	}

	/** Hands on a line without an end, and how much was dropped. */
	flush(): void {
		this.line(this.#line);
		this.#line = "";
		this.#tellDropped();
	}

	/** Of a line that never ends only the beginning is kept. */
	#grow(part: string): void {
		if (this.#line.length <= longestLine) this.#line += part.slice(0, longestLine + 1);
	}

	#tellDropped(): void {
		if (this.#dropped > 0) this.#tell(`printed ${this.#dropped.toLocaleString("en-US")} more lines within a second; they were dropped`);
		this.#dropped = 0;
	}
}
