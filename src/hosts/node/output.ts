// What extensions print. It becomes log lines under their names, so many a second and no more: a flood must cost the agent neither its log nor
// its time.
import { StringDecoder } from "node:string_decoder";

const windowMs = 1_000;
const bytesPerWindow = 64 * 1024;
const maxLineLength = 2_000;

/** Stands before what an extension prints whenever it is another extension than before: the number of it. */
export const printMark = (extension: number): string => `\u001e${extension}\u001f`;
const markPattern = /\u001e(\d+)\u001f/;

/** Turns one stream of a child, printed by several extensions, into lines of each. */
export class Output {
	readonly #log: (extension: number | undefined, line: string) => void;
	readonly #decoder = new StringDecoder("utf8");
	#extension: number | undefined;
	#line = "";
	#windowEnds = 0;
	#left = bytesPerWindow;
	#dropped = 0;
	#tail = "";

	constructor(log: (extension: number | undefined, line: string) => void) {
		this.#log = log;
	}

	/** The end of what came, for reading why a process died. */
	get tail(): string {
		return this.#tail;
	}

	push(chunk: Buffer): void {
		if (!this.#admit(chunk.length)) return;
		const text = this.#decoder.write(chunk);
		this.#tail = (this.#tail + text).slice(-16_384);
		const [first = "", ...marked] = text.split(markPattern);
		this.#take(first);
		// split gives the numbers between the texts.
		for (let i = 0; i + 1 < marked.length; i += 2) {
			this.#switchTo(Number(marked[i]));
			this.#take(marked[i + 1]!);
		}
	}

	/** Hands on a line without an end, and how much was dropped. */
	flush(): void {
		if (this.#line !== "") this.#emit(this.#line);
		this.#line = "";
		if (this.#dropped > 0) this.#log(this.#extension, `printed ${this.#dropped.toLocaleString("en-US")} bytes more within a second; they were dropped`);
		this.#dropped = 0;
	}

	#admit(bytes: number): boolean {
		const now = performance.now();
		if (now > this.#windowEnds) {
			if (this.#dropped > 0) this.flush();
			this.#windowEnds = now + windowMs;
			this.#left = bytesPerWindow;
		}
		// The piece that goes beyond is still taken: after a few bytes, the first piece of a flood would otherwise be lost whole.
		const admitted = this.#left > 0;
		this.#left -= bytes;
		if (!admitted) this.#dropped += bytes;
		return admitted;
	}

	#switchTo(extension: number): void {
		if (extension !== this.#extension && this.#line !== "") {
			this.#emit(this.#line);
			this.#line = "";
		}
		this.#extension = extension;
	}

	#take(text: string): void {
		const lines = (this.#line + text).split("\n");
		this.#line = lines.pop()!;
		for (const line of lines) this.#emit(line);
		if (this.#line.length > maxLineLength) {
			this.#emit(this.#line);
			this.#line = "";
		}
	}

	#emit(line: string): void {
		if (line.trim() !== "") this.#log(this.#extension, line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line.trimEnd());
	}
}
