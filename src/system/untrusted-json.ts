// JSON that somebody else's program printed. JSON.parse would take the last of two equal keys, so that `{"decision":"deny","decision":"allow"}` is an allow;
// here such a text is read, and what is wrong with it said, so that a refusal in it can still be seen.

/** A value found in a text, and where it ends there. */
export interface ReadJson {
	readonly value: unknown;
	/** The offset behind it. */
	readonly end: number;
	/** Why the value is not to be trusted, as words that go on "it"; undefined when nothing is wrong. The value then lacks what was wrong. */
	readonly problem: string | undefined;
}

/** Which of two values under one key stays: what is found out by it must be the more careful one. */
export type Choose = (key: string, first: unknown, second: unknown) => unknown;

/** As deep as anything crosses a host. */
export const maxJsonDepth = 64;

/** Reads one JSON value from an offset on, as far as it goes. The offset where it broke off when there is none. Time is linear in what it reads. */
export function readJsonAt(text: string, offset: number, choose: Choose = (_, __, second) => second): ReadJson | number {
	const reader = new Reader(text, offset, choose);
	try {
		const value = reader.value(0);
		return { value, end: reader.at, problem: reader.problem };
	} catch (thrown) {
		if (thrown === notJson) return reader.at;
		throw thrown;
	}
}

/** Made once: with a stack of its own for each it would take most of the time. */
const notJson = new Error("this is not JSON");

// All sticky: each looks at its own place and nowhere else.
const space = /[ \t\n\r]*/y;
// Without the characters JSON wants escaped; a lone surrogate passes, as it does in JSON.parse.
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

class Reader {
	readonly #text: string;
	readonly #choose: Choose;
	at: number;
	problem: string | undefined;

	constructor(text: string, at: number, choose: Choose) {
		this.#text = text;
		this.at = at;
		this.#choose = choose;
	}

	value(depth: number): unknown {
		this.#skip(space);
		const first = this.#text[this.at];
		if (first === "{" || first === "[") {
			if (depth >= maxJsonDepth) return this.#tooDeep();
			this.at++;
			return first === "{" ? this.#object(depth) : this.#list(depth);
		}
		return JSON.parse(this.#take(first === '"' ? string : literal)) as unknown;
	}

	#object(depth: number): Record<string, unknown> {
		const object: Record<string, unknown> = {};
		if (this.#closes("}")) return object;
		do {
			this.#skip(space);
			const key = JSON.parse(this.#take(string)) as string;
			if (!this.#closes(":")) throw notJson;
			const value = this.value(depth + 1);
			if (key === "__proto__") this.problem ??= "has a key '__proto__'";
			else if (Object.hasOwn(object, key)) {
				this.problem ??= `has the key '${key.slice(0, 60)}' twice`;
				object[key] = this.#choose(key, object[key], value);
			} else object[key] = value;
		} while (this.#closes(","));
		if (!this.#closes("}")) throw notJson;
		return object;
	}

	#list(depth: number): unknown[] {
		const list: unknown[] = [];
		if (this.#closes("]")) return list;
		do list.push(this.value(depth + 1));
		while (this.#closes(","));
		if (!this.#closes("]")) throw notJson;
		return list;
	}

	/** Passes over what is nested too deep, without recursion. */
	#tooDeep(): null {
		this.problem ??= `is nested more than ${maxJsonDepth} levels deep`;
		let open = 0;
		do {
			const character = this.#text[this.at];
			if (character === undefined) throw notJson;
			if (character === '"') {
				this.#take(string);
				continue;
			}
			if (character === "{" || character === "[") open++;
			else if (character === "}" || character === "]") open--;
			this.at++;
		} while (open > 0);
		return null;
	}

	#closes(character: string): boolean {
		this.#skip(space);
		if (this.#text[this.at] !== character) return false;
		this.at++;
		return true;
	}

	#skip(pattern: RegExp): void {
		pattern.lastIndex = this.at;
		pattern.exec(this.#text);
		this.at = pattern.lastIndex;
	}

	#take(pattern: RegExp): string {
		pattern.lastIndex = this.at;
		const found = pattern.exec(this.#text);
		if (found === null) throw notJson;
		this.at = pattern.lastIndex;
		return found[0];
	}
}
