// Markdown as models write it, as WhatsApp shows it: *bold*, _italics_, ~struck~, `code`, fences without a language. It knows no links with words and no headings.

/** Never longer than what comes in, and every character that is no markup stays. */
export function rendered(markdown: string): string {
	// Code is left as it is: what looks like markup in it is none.
	const pieces = markdown.toWellFormed().split(/(^```[^\n]*\n[\s\S]*?(?:^```[ \t]*$|(?![\s\S]))|`[^`\n]+`)/m);
	return pieces.map((piece, i) => (i % 2 === 0 ? prose(piece) : piece.replace(/^```[^\n]*\n/, "```\n"))).join("");
}

function prose(text: string): string {
	return text
		.replace(/^#{1,6}[ \t]+(.+?)[ \t]*#*$/gm, (_, words: string) => bold(words.replace(/\*\*|__/g, "")))
		.replace(/!?\[([^\]\n]+)\]\((https?:\/\/[^\s()]+)\)/g, (_, words: string, address: string) => (words === address ? address : `${words} (${address})`))
		.replace(/\*\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*\*/g, (_, words: string) => bold(`_${words}_`))
		.replace(/(?<![*\w\udfff])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![*\w])/g, "_$1_")
		.replace(/\*\*(?=\S)(.+?)(?<=\S)\*\*/g, (_, words: string) => bold(words))
		.replace(/(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\w)/g, (_, words: string) => bold(words))
		.replace(/~~(?=\S)(.+?)(?<=\S)~~/g, "~$1~")
		.replace(/^([ \t]*)[*+][ \t]+/gm, "$1- ")
		.replaceAll(mark, "*");
}

/** Stands for WhatsApp's star until those of Markdown are done with. Half a character, which no well-formed text has. */
const mark = "\udfff";
const bold = (words: string) => `${mark}${words}${mark}`;
