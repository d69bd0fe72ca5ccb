// Text from the web as the model reads it: named by its source, and fenced so that it cannot pass for anybody's words.

// Controls, marks that turn the writing direction, and what cannot be seen at all, tags included: a page can hide words for the model in them.
// oxlint-disable-next-line no-control-regex
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e0fff}]/gu;

/** Without what people would not see; line ends are line feeds. */
export function readableCharacters(text: string): string {
	return text.toWellFormed().replace(/\r\n?|[\u2028\u2029]/g, "\n").replace(unseen, "");
}

/** `source` is an address or a description of where the text is from. */
export function fenced(source: string, text: string): string {
	const attribute = source.replace(/["<>\s]/g, (character) => (character === " " ? " " : encodeURIComponent(character)));
	return `<document source="${attribute}">\n${text.replace(/<(\/\s*document)/gi, "<\\$1")}\n</document>`;
}
