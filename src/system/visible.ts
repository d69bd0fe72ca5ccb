// Text that others wrote, made safe for a terminal: what would move the cursor, change colours or turn the writing direction is shown instead of obeyed.

// Without the joiners U+200C and U+200D: scripts and emoji need them, and they move nothing.
const dangerous = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The same text with control and bidi characters as `\u{…}`; line breaks and tabs stay. */
export function visible(text: string): string {
	return text.replaceAll("\r\n", "\n").replace(dangerous, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** The same on one line. */
export function visibleLine(text: string): string {
	return visible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
