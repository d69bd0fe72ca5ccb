// Markdown, as models write it, in the few tags that Teams shows alike on every device. Lists and headings are not among them.

/** A quote in a quote, and so on; what is deeper stays as it was written. */
const deepestQuote = 5;

/** Well-formed: what is no markup is escaped, and every tag is closed. */
export function markupOf(markdown: string, depth = 0): string {
	const blocks: string[] = [];
	const isQuote = (line: string) => depth < deepestQuote && /^ {0,3}>/.test(line);
	const lines = markdown.replaceAll("\r\n", "\n").split("\n");
	for (let i = 0; i < lines.length; ) {
		const from = i;
		const fence = /^ {0,3}(`{3,}|~{3,})/.exec(lines[i]!)?.[1];
		if (fence !== undefined) {
			do i++;
			while (i < lines.length && !lines[i]!.trimStart().startsWith(fence));
			blocks.push(`<pre>${escaped(lines.slice(from + 1, i).join("\n"))}</pre>`);
			i++;
			continue;
		}
		const take = (belongs: (line: string) => boolean) => {
			while (i < lines.length && belongs(lines[i]!)) i++;
			return lines.slice(from, i);
		};
		if (lines[i]!.trim() === "") i++;
		else if (isTable(lines, i)) blocks.push(`<pre>${escaped(take((line) => line.includes("|")).join("\n"))}</pre>`);
		else if (isQuote(lines[i]!)) blocks.push(`<blockquote>${markupOf(take(isQuote).map((line) => line.replace(/^ {0,3}> ?/, "")).join("\n"), depth + 1)}</blockquote>`);
		else {
			i++;
			take((line) => line.trim() !== "" && !isQuote(line) && !/^ {0,3}(?:`{3}|~{3})/.test(line) && !isTable(lines, i));
			blocks.push(`<p>${lines.slice(from, i).map(lineOf).join("<br/>")}</p>`);
		}
	}
	return blocks.join("");
}

const isTable = (lines: readonly string[], i: number) => lines[i]!.includes("|") && /^[ |:-]*-[ |:-]*$/.test(lines[i + 1] ?? "") && lines[i + 1]!.includes("|");

function lineOf(line: string): string {
	const [, indent, rest] = /^(\s*)(.*)$/s.exec(line)!;
	const heading = /^#{1,6} +(.*?)(?: +#+)? *$/.exec(rest!)?.[1];
	if (heading !== undefined && indent!.length < 4) return `<b>${inline(heading)}</b>`;
	if (/^(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/.test(rest!)) return "———";
	// Spaces at the beginning of a line would not be shown.
	const margin = "\u00a0".repeat(indent!.replaceAll("\t", "    ").length);
	return margin + inline(rest!.replace(/^[-*+] +(?:\[( |x)\] +)?/i, (_, tick?: string) => (tick === undefined ? "• " : tick === " " ? "☐ " : "☑ ")));
}

// What stands between two marks is bounded, so that many marks without a partner cost no more than their number.
const span = new RegExp(
	[
		String.raw`\\(?<escape>[\\${"`"}*_{}[\]()#+.!~|>-])`,
		String.raw`(?<ticks>${"`"}+)(?<code>.{1,1000}?)(?<!${"`"})\k<ticks>(?!${"`"})`,
		String.raw`!?\[(?<label>[^\]]{1,500})\]\((?<url>[^()\s]{1,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?)(?: "[^"]{0,200}")?\)`,
		String.raw`\*\*(?=\S)(?<strong>.{1,1000}?)(?<=\S)\*\*`,
		String.raw`(?<!\w)__(?=\S)(?<under>.{1,1000}?)(?<=\S)__(?!\w)`,
		String.raw`~~(?=\S)(?<gone>.{1,1000}?)(?<=\S)~~`,
		String.raw`\*(?![\s*])(?<em>[^*]{1,1000})(?<![\s*])\*(?!\*)`,
		String.raw`(?<!\w)_(?![\s_])(?<slanted>[^_]{1,1000})(?<![\s_])_(?!\w)`,
	].join("|"),
	"g",
);

function inline(text: string): string {
	let html = "";
	let at = 0;
	for (const { 0: whole, index, groups } of text.matchAll(span)) {
		html += escaped(text.slice(at, index)) + spanOf(whole, groups ?? {});
		at = index + whole.length;
	}
	return html + escaped(text.slice(at));
}

function spanOf(whole: string, { escape, code, label, url, strong, under, gone, em, slanted }: Readonly<Record<string, string | undefined>>): string {
	if (escape !== undefined) return escaped(escape);
	if (code !== undefined) return `<code>${escaped(code)}</code>`;
	if (label !== undefined) return /^(?:https?:|mailto:)/i.test(url!) ? `<a href="${escaped(url!)}">${inline(label)}</a>` : escaped(whole);
	if ((strong ?? under) !== undefined) return `<b>${inline((strong ?? under)!)}</b>`;
	if (gone !== undefined) return `<s>${inline(gone)}</s>`;
	return `<i>${inline((em ?? slanted)!)}</i>`;
}

/** Without the characters that XML cannot hold. */
function escaped(text: string): string {
	return text
		.toWellFormed()
		.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
		.replace(/[&<>"]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character]!);
}
