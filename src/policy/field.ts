// A word of a command after expansion: plain text, with marks where a pattern stands or where what stands there cannot be known.

/** Something that is known only when the command runs; it may be empty. */
export const unknown = "\uE000";
/** An unquoted `*`; and an unquoted `?` or `[…]`. */
export const star = "\uE001";
export const one = "\uE002";
/** Stands between the fields of "$@". */
export const fieldBreak = "\uE003";
/** Around the number of a process substitution. */
export const processMark = "\uE004";

export interface Field {
	readonly text: string;
	/** How it reads in a normal form: quoted the one way we quote, or as it was written where it is not constant. */
	readonly shown: string;
}

const marks = /[\uE000-\uE004]/;

export const isConstant = (text: string): boolean => !marks.test(text);
export const isKnown = (text: string): boolean => !text.includes(unknown);
export const fieldOf = (text: string): Field => ({ text, shown: isConstant(text) ? quoted(text) : plain(text) });

/** The one way a constant word is written in a normal form. */
export function quoted(text: string): string {
	if (/^[\w@%+=:,./~^-]+$/.test(text)) return text;
	return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For people: marks as the characters they came from. */
export function plain(text: string): string {
	return text.replaceAll(star, "*").replaceAll(one, "?").replaceAll(unknown, "…").replaceAll(/\uE004\d+\uE004/g, "<(…)").replaceAll(fieldBreak, " ");
}

/** Whether a piece of a path with marks can be `name`. What is unknown is taken to be something else. */
export function canBe(piece: string, name: string): boolean {
	if (isConstant(piece)) return piece === name;
	if (!isKnown(piece)) return false;
	// A star does not stand for the dot of a hidden file.
	if (name.startsWith(".") && !piece.startsWith(".")) return false;
	return globMatches(piece.replaceAll(star, "*").replaceAll(one, "?"), name);
}

/** Whether a glob (`*` is any text, `?` one character) matches the whole text. Linear in both: no expression that could be made to backtrack. */
export function globMatches(glob: string, text: string): boolean {
	let at = 0;
	let tried = 0;
	let lastStar = -1;
	for (let i = 0; at < text.length; ) {
		if (glob[i] === "*") {
			lastStar = i++;
			tried = at;
		} else if (i < glob.length && (glob[i] === "?" || glob[i] === text[at])) {
			i++;
			at++;
		} else if (lastStar >= 0) {
			i = lastStar + 1;
			at = ++tried;
		} else return false;
		if (at === text.length) return /^\**$/.test(glob.slice(i));
	}
	return /^\**$/.test(glob);
}
