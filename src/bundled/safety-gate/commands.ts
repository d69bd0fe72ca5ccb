// Which programs a shell command starts, as far as its text says so. What it puts together while it runs (variables, scripts) nobody can read in it.
import { basename } from "node:path";
import type { Rule } from "./rule.ts";

export interface CommandRule extends Rule {
	covers(segments: readonly Segment[]): boolean;
}

/** The words of one program call; quotes are taken away. */
export type Segment = readonly string[];

/** `git push`: a call of git with `push` among its words; more words have to come in that order. Words may have `*` and `?`. */
export function commandRule({ rule, reason }: Rule): CommandRule {
	const [program, ...words] = rule.trim().split(/\s+/).map(wordPattern);
	return {
		rule,
		reason,
		covers: (segments) =>
			segments.some((segment) =>
				startsIn(segment).some((start) => {
					if (!program!.test(basename(segment[start]!)) && !program!.test(segment[start]!)) return false;
					let at = start;
					return words.every((word) => (at = segment.findIndex((given, i) => i > at && word.test(given))) > 0);
				}),
			),
	};
}

const wordPattern = (word: string): RegExp => new RegExp(`^${word.replace(/[$()+.\\^|[\]{}]/g, "\\$&").replace(/\*+/g, ".*").replaceAll("?", ".")}$`, "s");

/** Programs that start the one named in their words. */
const starters = new Set(["sudo", "doas", "env", "nohup", "nice", "ionice", "time", "timeout", "xargs", "parallel", "command", "exec", "builtin", "setsid", "stdbuf", "find", "fd", "watch", "strace", "chroot", "unshare", "busybox", "flock", "then", "do", "else", "elif", "if", "while", "until", "function", "coproc", "!", "{"]);

/** Where in a segment a program's name can stand. */
function startsIn(segment: Segment): readonly number[] {
	const first = segment.findIndex((word) => !/^\w+\+?=/.test(word));
	if (first < 0) return [];
	return starters.has(basename(segment[first]!)) ? segment.map((_, i) => i).slice(first) : [first];
}

/** What takes a command as a text. */
const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "eval", "trap", "su", "script", "watch", "flock", "parallel"]);

/** All calls in a command, those in substitutions and in what is given to a shell included. */
export function segmentsOf(command: string, depth = 0): readonly Segment[] {
	if (depth > 8) return [];
	const reading = new Reading(command);
	const whole = reading.segments.filter((segment) => segment.length > 0);
	const inner = [...reading.inner];
	for (const segment of whole) {
		if (!startsIn(segment).some((start) => shells.has(basename(segment[start]!)))) continue;
		inner.push(...segment.filter((text) => /[\s;|&]/.test(text)), segment.slice(1).filter((text) => !text.startsWith("-")).join(" "));
	}
	return [...whole, ...inner.flatMap((text) => segmentsOf(text, depth + 1))];
}

/** A command, taken apart from its beginning to its end. */
class Reading {
	readonly segments: string[][] = [[]];
	/** The commands in its substitutions. */
	readonly inner: string[] = [];
	/** Files that something is led from or to: words, but no program, wherever they stand. */
	#files: string[] = [];
	#isFile = false;
	#word: string | undefined;

	constructor(command: string) {
		for (let i = 0; i < command.length; i++) i = this.#quoted(command, i) ?? this.#plain(command, i);
		this.#endSegment();
	}

	/** What is not meant as it stands; gives where it ends. */
	#quoted(command: string, at: number): number | undefined {
		const char = command[at]!;
		const next = command[at + 1] ?? "";
		if (char === "\\") {
			// A line that goes on.
			if (next !== "\n") this.#add(next);
			return at + 1;
		}
		if (char === "'" || char === '"') {
			const end = closing(command, at + 1, char);
			const text = command.slice(at + 1, end);
			this.#add(char === "'" ? text : text.replace(/\\(["\\$`\n])/g, "$1"));
			if (char === '"') this.inner.push(...substitutionsIn(text));
			return end;
		}
		if (char === "`" || (char === "$" && next === "(")) {
			const from = char === "`" ? at + 1 : at + 2;
			const end = char === "`" ? closing(command, from, "`") : closingParenthesis(command, from);
			this.inner.push(command.slice(from, end));
			this.#add(command.slice(at, end + 1));
			return end;
		}
		// A quote of another kind, which is looked at as any.
		return char === "$" && (next === "'" || next === '"') ? at : undefined;
	}

	#plain(command: string, at: number): number {
		const char = command[at]!;
		if (char === "#" && this.#word === undefined) {
			const end = command.indexOf("\n", at);
			return end < 0 ? command.length : end - 1;
		}
		if (/[;&|\n()]/.test(char)) {
			this.#endSegment();
			// `>|` and `>&` still want their file.
			this.#isFile &&= char === "|" || char === "&";
		} else if (char === "<" || char === ">") {
			// `2>`
			if (/^\d+$/.test(this.#word ?? "")) this.#word = undefined;
			this.#endWord();
			this.#isFile = true;
		} else if (/\s/.test(char)) this.#endWord();
		else this.#add(char);
		return at;
	}

	#add(text: string): void {
		this.#word = (this.#word ?? "") + text;
	}

	#endWord(): void {
		if (this.#word === undefined) return;
		(this.#isFile ? this.#files : this.segments.at(-1)!).push(this.#word);
		this.#isFile = false;
		this.#word = undefined;
	}

	#endSegment(): void {
		this.#endWord();
		this.segments.at(-1)!.push(...this.#files);
		this.#files = [];
		this.segments.push([]);
	}
}

function closing(text: string, from: number, mark: string): number {
	for (let i = from; i < text.length; i++) {
		if (text[i] === "\\" && mark !== "'") i++;
		else if (text[i] === mark) return i;
	}
	return text.length;
}

function closingParenthesis(text: string, from: number): number {
	let open = 1;
	for (let i = from; i < text.length; i++) {
		if (text[i] === "(") open++;
		else if (text[i] === ")" && --open === 0) return i;
	}
	return text.length;
}

const substitutionsIn = (text: string): readonly string[] => [...text.matchAll(/\$\(|`/g)].map(({ 0: mark, index }) => text.slice(index + mark.length, mark === "`" ? closing(text, index + 1, "`") : closingParenthesis(text, index + 2)));
