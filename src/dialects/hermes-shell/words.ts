// The command of a hook, split into words the way Hermes does it: as a POSIX shell would quote, but no shell reads it.

/** The words, or why there are none, as words that go on "the command". */
export type Words = { readonly words: readonly [string, ...string[]] } | { readonly mistake: string };

/** Splits a command. A `~` at its very beginning is the user's home folder, anywhere else it stays. */
export function splitCommand(command: string, userHome: string): Words {
	if (/^\s*~[^/\s]/.test(command)) return { mistake: "begins with another user's home: write that path out" };
	const split = splitWords(command.trimStart().replace(/^~(?=\/|\s|$)/, () => quoted(userHome)));
	if (!Array.isArray(split)) return split as { readonly mistake: string };
	const [first, ...rest] = split as string[];
	if (first === undefined || first === "") return { mistake: "names no program" };
	if (split.some((word: string) => word.includes("\0"))) return { mistake: "holds a NUL character" };
	return { words: [first, ...rest] };
}

/** Words that only a shell would understand: the program gets them as they stand. */
export function shellWords(words: readonly string[]): readonly string[] {
	return words.filter((word) => /^(?:\||\|\||&&|;|&|\d*[<>]{1,2}(?:&\d)?|\d*>>?\S+|\$\{?\w+\}?|\$\(.*|.*\|)$/.test(word));
}

// Sticky: blanks, quoted text, an escaped character, plain text.
const piece = /[ \t\r\n]+|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|[^ \t\r\n'"\\]+/y;

/** As Python's shlex.split: `'…'` is literal, in `"…"` a backslash escapes `"` and itself, outside it escapes anything. */
export function splitWords(command: string): readonly string[] | { readonly mistake: string } {
	const words: string[] = [];
	let word: string | undefined;
	piece.lastIndex = 0;
	for (let at = 0; at < command.length; at = piece.lastIndex) {
		const found = piece.exec(command);
		if (found === null) return { mistake: command[at] === "\\" || command.endsWith("\\") ? "ends with a backslash that escapes nothing" : `has a ${command[at]} that is never closed` };
		const [all, single, double, escaped] = found;
		if (/^[ \t\r\n]/.test(all) && escaped === undefined) {
			if (word !== undefined) words.push(word);
			word = undefined;
		} else word = (word ?? "") + (single ?? double?.replace(/\\(["\\])/g, "$1") ?? escaped ?? all);
	}
	if (word !== undefined) words.push(word);
	return words;
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'"'"'`)}'`);
