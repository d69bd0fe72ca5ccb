// Markdown, as models write it, in Slack's mrkdwn; and what Slack hands in as the person wrote it.

/** Slack's three control characters. */
export const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const unescape = (text: string): string => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

const fence = /^ {0,3}(`{3,}|~{3,})[^`\n]*$/;
const tableRow = /^\s*\|.*\|\s*$/;
/** Slack takes a marker between two letters for one of them; this, which nobody sees, keeps them apart. */
const gap = "\u200b";

export function mrkdwn(markdown: string): string {
	const out: string[] = [];
	const lines = markdown.split("\n");
	for (let i = 0; i < lines.length; i++) {
		const line = lines[i]!;
		const open = fence.exec(line)?.[1];
		if (open !== undefined) {
			const code: string[] = [];
			for (i++; i < lines.length && !isEnd(lines[i]!, open); i++) code.push(lines[i]!);
			out.push(block(code));
		} else if (tableRow.test(line) && tableRow.test(lines[i + 1] ?? "")) {
			const rows: string[] = [];
			for (; i < lines.length && tableRow.test(lines[i]!); i++) rows.push(lines[i]!);
			i--;
			out.push(block(rows));
		} else out.push(lineOf(line));
	}
	return out.join("\n");
}

const isEnd = (line: string, open: string): boolean => /^ {0,3}(`{3,}|~{3,})\s*$/.test(line) && line.trim().startsWith(open);
// Slack has no longer fences than three.
const block = (lines: readonly string[]): string => `\`\`\`\n${escape(lines.join("\n")).replaceAll("```", `\`${gap}\`${gap}\``)}\n\`\`\``;

function lineOf(line: string): string {
	if (/^ {0,3}([-*_])(?: *\1){2,} *$/.test(line)) return "──────────";
	const heading = /^ {0,3}#{1,6} +(.*?)(?: +#+)? *$/.exec(line)?.[1];
	if (heading !== undefined) return inline(`**${heading.replace(/\*\*|__/g, "")}**`);
	const quote = /^>+( ?)(.*)$/.exec(line);
	if (quote !== null) return `>${quote[1]}${lineOf(quote[2]!)}`;
	const item = /^(\s*)[-*+] +(?:\[([ xX])\] +)?(.*)$/.exec(line);
	if (item === null) return inline(line);
	const [, indent, box, text] = item;
	return `${indent}${box === undefined ? "•" : box === " " ? "☐" : "☑"} ${inline(text!)}`;
}

/** What is taken out of a line before emphasis is looked for, in this order: code, what a backslash protects, links. */
const spans = /(?<ticks>(?<!`)`+(?!`))(?<code>.+?)(?<!`)\k<ticks>(?!`)|\\(?<plain>[!-/:-@[-`{-~])|!?\[(?<label>[^\]\n]*)\]\((?<url>(?:https?:\/\/|mailto:)[^\s()<>|]*(?:\([^\s()<>|]*\)[^\s()<>|]*)*)(?: +"[^"\n]*")?\)|<(?<auto>(?:https?:\/\/|mailto:)[^\s<>|]+)>|(?<bare>https?:\/\/[^\s<>|*]+)/g;

function inline(line: string): string {
	const kept: string[] = [];
	const keep = (text: string) => `\0${kept.push(text) - 1}\0`;
	const rest = line.replaceAll(/[\0-\x03]/g, "").replaceAll(spans, (...match) => {
		const { code, plain, label, url, auto, bare } = match.at(-1) as Record<string, string | undefined>;
		if (code !== undefined) return keep(code.includes("`") ? escape(code) : `\`${escape(code)}\``);
		if (plain !== undefined) return keep(escape(plain));
		if (url !== undefined) return keep(label?.trim() ? `<${escape(url)}|${escape(label.replaceAll(/\*\*|__|`|\|/g, ""))}>` : `<${escape(url)}>`);
		if (auto !== undefined) return keep(`<${escape(auto)}>`);
		return keep(escape(bare!));
	});
	return emphasised(escape(rest)).replaceAll(/\0(\d+)\0/g, (_, n: string) => kept[Number(n)]!);
}

/** Each kind is first put under a sign that no text has, so that the stars of bold are not taken for those of italics. */
function emphasised(text: string): string {
	return text
		.replaceAll(/\*\*\*(?=\S)(.+?)(?<=\S)\*\*\*/g, between("\x01\x02", "\x02\x01"))
		.replaceAll(/\*\*(?=\S)(.+?)(?<=\S)\*\*/g, between("\x01", "\x01"))
		.replaceAll(/(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\.?\w)/g, between("\x01", "\x01"))
		.replaceAll(/(?<![\d*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?!\*)/g, between("\x02", "\x02"))
		.replaceAll(/~~(?=\S)(.+?)(?<=\S)~~/g, between("\x03", "\x03"))
		.replaceAll("\x01", "*")
		.replaceAll("\x02", "_")
		.replaceAll("\x03", "~");
}

const between = (open: string, close: string) => (whole: string, inner: string, at: number, all: string) =>
	`${isLetter(all[at - 1]) ? gap : ""}${open}${inner}${close}${isLetter(all[at + whole.length]) ? gap : ""}`;
const isLetter = (character = "") => /[\p{L}\p{N}]/u.test(character);

/** What a person wrote, without the mentions of the agent at its beginning, and whether it mentions the agent at all. */
export function readText(text: string, self: string): { readonly text: string; readonly mentions: boolean } {
	const own = new RegExp(`<@${self}(?:\\|[^>]*)?>`);
	const rest = text.replace(new RegExp(`^\\s*(?:${own.source}[\\s,:]*)+`), "").replace(/^ +/, "");
	return { text: unescape(rest.replaceAll(/<([^<>|]*)(?:\|([^<>]*))?>/g, reference)), mentions: own.test(text) };
}

function reference(whole: string, to: string, label: string | undefined): string {
	if (to.startsWith("@")) return `@${label ?? to.slice(1)}`;
	if (to.startsWith("#")) return `#${label || to.slice(1)}`;
	if (to.startsWith("!subteam^")) return label ?? "@group";
	if (to.startsWith("!date^")) return label ?? "";
	if (to.startsWith("!")) return `@${to.slice(1)}`;
	const address = to.replace(/^mailto:/, "");
	if (label === undefined || address === label || address.replace(/^https?:\/\//, "").replace(/\/$/, "") === label) return address;
	return /^[a-z]+:/i.test(to) ? `${label} (${address})` : whole;
}
