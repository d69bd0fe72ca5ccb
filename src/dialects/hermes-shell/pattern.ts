// A Python regular expression, read into a tree: JavaScript has most of its syntax, not all, and some of it means something else there.

export type Node =
	/** One character; `source` is how JavaScript writes it. */
	| { readonly kind: "one"; readonly source: string; readonly literal?: string }
	/** Matches no character: an anchor, a boundary, a look around. */
	| { readonly kind: "here"; readonly source: string; readonly inner?: Node }
	| { readonly kind: "all"; readonly parts: readonly Node[] }
	| { readonly kind: "any"; readonly branches: readonly Node[] }
	| { readonly kind: "times"; readonly inner: Node; readonly least: number; readonly most: number; readonly suffix: string }
	| { readonly kind: "group"; readonly opening: string; readonly inner: Node };

export interface Pattern {
	readonly root: Node;
	/** Of JavaScript. */
	readonly flags: string;
}

/** The message is words that go on "the matcher". */
export class PatternError extends Error {}

/** @throws PatternError for what Python refuses, and for what JavaScript cannot do alike. */
export function readPattern(text: string): Pattern {
	return new Reader(text).read();
}

/** The tree as JavaScript writes it. */
export function sourceOf(node: Node): string {
	switch (node.kind) {
		case "one":
			return node.source;
		case "here":
			return node.inner === undefined ? node.source : `${node.source}${sourceOf(node.inner)})`;
		case "all":
			return node.parts.map(sourceOf).join("");
		case "any":
			return node.branches.map(sourceOf).join("|");
		case "times":
			return sourceOf(node.inner) + node.suffix;
		case "group":
			return `${node.opening}${sourceOf(node.inner)})`;
	}
}

const literal = (character: string): Node => ({ kind: "one", source: character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&"), literal: character });
const dot: Node = { kind: "one", source: "." };

/** A group that took no part fails in Python and is empty in JavaScript. */
const referring = "refers back to one of its groups, which means something else in JavaScript: write out what may stand there";

class Reader {
	readonly #text: string;
	#at = 0;
	#flags = "";
	readonly #names = new Set<string>();

	constructor(text: string) {
		this.#text = text;
	}

	read(): Pattern {
		const global = /^\(\?([aiLmsux]+)\)/.exec(this.#text);
		if (global) {
			this.#flags = this.#flagsOf(global[1]!);
			this.#at = global[0].length;
		}
		const root = this.#any();
		if (this.#at < this.#text.length) throw new PatternError("has a ) that closes nothing");
		return { root, flags: this.#flags };
	}

	#any(): Node {
		const branches = [this.#all()];
		while (this.#takes("|")) branches.push(this.#all());
		return branches.length === 1 ? branches[0]! : { kind: "any", branches };
	}

	#all(): Node {
		const parts: Node[] = [];
		for (let next = this.#text[this.#at]; next !== undefined && next !== "|" && next !== ")"; next = this.#text[this.#at]) {
			const item = this.#item();
			if (item !== undefined) parts.push(this.#repeated(item));
		}
		return parts.length === 1 ? parts[0]! : { kind: "all", parts };
	}

	#repeated(item: Node): Node {
		const found = this.#find(/[*+?]|\{(?:\d+(?:,\d*)?|,\d+)\}/y);
		if (found === undefined) return item;
		const [least, most] = found === "*" ? [0, Infinity] : found === "+" ? [1, Infinity] : found === "?" ? [0, 1] : bounds(found);
		if (item.kind === "here") throw new PatternError(`repeats what matches no character (${found})`);
		if (least > most) throw new PatternError(`has the counts of ${found} the wrong way round`);
		if (this.#takes("+")) throw new PatternError(`has ${found}+, which JavaScript does not have: leave the + out`);
		const lazy = this.#takes("?") ? "?" : "";
		if (/[*+?]/.test(this.#text[this.#at] ?? "")) throw new PatternError(`repeats a repetition (${found}${lazy}${this.#text[this.#at]})`);
		return { kind: "times", inner: item, least, most, suffix: (found.startsWith("{,") ? `{0${found.slice(1)}` : found) + lazy };
	}

	#item(): Node | undefined {
		const character = this.#text[this.#at++]!;
		switch (character) {
			case ".":
				return dot;
			case "^":
			case "$":
				return { kind: "here", source: character };
			case "[":
				return this.#class();
			case "(":
				return this.#group();
			case "\\":
				return this.#escape();
			case "*":
			case "+":
			case "?":
				throw new PatternError(`has a ${character} with nothing before it to repeat. A name that may go on with anything is written name.*`);
			default:
				return literal(character);
		}
	}

	#group(): Node | undefined {
		if (!this.#takes("?")) return this.#closed("(");
		if (this.#takes("#")) {
			this.#find(/[^)]*/y);
			if (!this.#takes(")")) throw new PatternError("has a comment that is never closed");
			return undefined;
		}
		const around = this.#find(/:|<?[=!]/y);
		if (around === ":") return this.#closed("(?:");
		if (around !== undefined) return { kind: "here", source: `(?${around}`, inner: this.#inner() };
		const named = this.#find(/P<[A-Za-z_]\w*>/y);
		if (named !== undefined) {
			const name = named.slice(2, -1);
			if (this.#names.has(name)) throw new PatternError(`has two groups of the name '${name}'`);
			this.#names.add(name);
			return this.#closed(`(?<${name}>`);
		}
		if (this.#find(/P=/y) !== undefined) throw new PatternError(referring);
		// JavaScript has them too, but Node 24 gets (?i:a|b) wrong: it does not match B.
		if (/^[aiLmsux]*(?:-[ims]+)?:/.test(this.#text.slice(this.#at))) throw new PatternError("has flags for a part of it: write them first, for all of it, as in (?i)name");
		if (/^[aiLmsux]+\)/.test(this.#text.slice(this.#at))) throw new PatternError("has flags that are not at its beginning: write them first, as in (?i)name");
		throw new PatternError(`has a group (?${this.#text.slice(this.#at, this.#at + 2)}… that cannot be translated`);
	}

	#closed(opening: string): Node {
		return { kind: "group", opening, inner: this.#inner() };
	}

	#inner(): Node {
		const inner = this.#any();
		if (!this.#takes(")")) throw new PatternError("has a ( that is never closed");
		return inner;
	}

	#escape(): Node {
		const place = this.#find(/[AZbB]/y);
		if (place !== undefined) return { kind: "here", source: place === "A" ? "(?<![^])" : place === "Z" ? "(?![^])" : `\\${place}` };
		if (/^[1-9](?![0-7]{2})/.test(this.#text.slice(this.#at))) throw new PatternError(referring);
		return { kind: "one", ...this.#escaped() };
	}

	/** What an escape means in a class and outside of it alike. */
	#escaped(): { readonly source: string; readonly literal?: string } {
		const code = this.#find(/x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}/y);
		if (code !== undefined) return { source: `\\${code}`, literal: String.fromCharCode(Number.parseInt(code.slice(1), 16)) };
		const octal = this.#find(/0[0-7]{0,2}|[1-3][0-7]{2}/y);
		if (octal !== undefined) return { source: `\\x${Number.parseInt(octal, 8).toString(16).padStart(2, "0")}` };
		const kind = this.#find(/[dDsSwWfnrtv]/y);
		if (kind !== undefined) return { source: `\\${kind}` };
		if (this.#takes("a")) return { source: "\\x07" };
		const other = this.#text[this.#at++];
		if (other === undefined) throw new PatternError("ends with a backslash that escapes nothing");
		if (/[A-Za-z0-9]/.test(other)) throw new PatternError(`has \\${other}, which means nothing here`);
		return /\w|[^\x00-\x7f]/.test(other) ? { source: other, literal: other } : { source: `\\${other}`, literal: other };
	}

	#class(): Node {
		let source = this.#takes("^") ? "[^" : "[";
		for (let first = true; ; first = false) {
			const character = this.#text[this.#at++];
			if (character === undefined) throw new PatternError("has a [ that is never closed");
			if (character === "]" && !first) break;
			source += character !== "\\" ? character.replace(/[\][\\]/, "\\$&") : this.#takes("b") ? "\\x08" : this.#escaped().source;
		}
		try {
			void new RegExp(`${source}]`);
		} catch {
			throw new PatternError(`has a class ${source}] with a range that has no order`);
		}
		return { kind: "one", source: `${source}]` };
	}

	#flagsOf(given: string): string {
		for (const flag of given) if (flag === "x" || flag === "L") throw new PatternError(`has the flag ${flag}, which cannot be translated`);
		return [...new Set(given.replace(/[au]/g, ""))].join("");
	}

	#takes(character: string): boolean {
		if (this.#text[this.#at] !== character) return false;
		this.#at++;
		return true;
	}

	#find(sticky: RegExp): string | undefined {
		sticky.lastIndex = this.#at;
		const found = sticky.exec(this.#text)?.[0];
		this.#at += found?.length ?? 0;
		return found;
	}
}

function bounds(counts: string): readonly [least: number, most: number] {
	const [least = "", most = least] = counts.slice(1, -1).split(",");
	return [Number(least || 0), most === "" ? Infinity : Number(most)];
}
