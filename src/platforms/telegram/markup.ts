// Markdown, as models write it, as Telegram shows it: a plain text and the ranges in it that look different. Not Telegram's own Markdown or HTML,
// which refuse a text for one wrong character.
import type { MessageEntity } from "grammy/types";

export interface Rendered {
	/** Never longer than the Markdown. */
	readonly text: string;
	readonly entities: readonly MessageEntity[];
}

type Look = { readonly type: "bold" | "italic" | "strikethrough" | "code" | "blockquote" } | { readonly type: "pre"; readonly language?: string } | { readonly type: "text_link"; readonly url: string };

/** Beyond this, markers stay as they are. */
const deepest = 8;
const fence = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const rule = /^\s*([-*_])(?:\s*\1){2,}\s*$/;
const heading = /^#{1,6}\s+(.*?)\s*#*$/;
const item = /^(\s*)[-*+]\s+(?=\S)/;
const quoted = /^\s*>\s?/;
const tableRule = /^\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/;

export function render(markdown: string): Rendered {
	const page = new Page();
	const lines = markdown.split("\n");
	for (let at = 0; at < lines.length; ) at = block(page, lines, at);
	return page;
}

class Page implements Rendered {
	text = "";
	readonly entities: MessageEntity[] = [];
	#began = false;

	/** Each block begins on a line of its own. */
	line(): void {
		if (this.#began) this.text += "\n";
		this.#began = true;
	}

	looking(look: Look, write: () => void): void {
		const offset = this.text.length;
		const entity = { ...look, offset, length: 0 };
		this.entities.push(entity);
		write();
		entity.length = this.text.length - offset;
		if (entity.length === 0) this.entities.splice(this.entities.indexOf(entity), 1);
	}
}

/** Writes what begins at a line; gives the line behind it. */
function block(page: Page, lines: readonly string[], at: number): number {
	const line = lines[at]!;
	const [, opening, language = ""] = fence.exec(line) ?? [];
	if (opening !== undefined) {
		const closing = new RegExp(`^\\s*${opening[0]!}{${opening.length},}\\s*$`);
		const found = lines.findIndex((one, i) => i > at && closing.test(one));
		const end = found < 0 ? lines.length : found;
		const code = lines.slice(at + 1, end).join("\n");
		if (code.trim() !== "") {
			page.line();
			page.looking({ type: "pre", ...(language !== "" && { language }) }, () => (page.text += code));
		}
		return end + 1;
	}
	const behind = (belongs: (line: string) => boolean) => {
		const end = lines.findIndex((one, i) => i > at && !belongs(one));
		return end < 0 ? lines.length : end;
	};
	page.line();
	// There are no tables in Telegram; the characters of this one stand below each other.
	if (line.includes("|") && tableRule.test(lines[at + 1] ?? "")) {
		const end = behind((one) => one.includes("|"));
		page.looking({ type: "pre" }, () => (page.text += lines.slice(at, end).join("\n")));
		return end;
	}
	if (quoted.test(line)) {
		const end = behind((one) => quoted.test(one));
		page.looking({ type: "blockquote" }, () => {
			for (const [i, one] of lines.slice(at, end).entries()) {
				if (i > 0) page.text += "\n";
				inline(page, one.replace(quoted, ""), 0);
			}
		});
		return end;
	}
	const [, title] = heading.exec(line) ?? [];
	if (title !== undefined) page.looking({ type: "bold" }, () => inline(page, title, 0));
	else if (rule.test(line)) page.text += "———";
	else {
		const [marker = "", indent = ""] = item.exec(line) ?? [];
		page.text += marker === "" ? "" : `${indent}• `;
		inline(page, line.slice(marker.length), 0);
	}
	return at + 1;
}

const code = /(`+)(?!`)(.+?)(?<!`)\1(?!`)/y;
const link = /!?\[((?:[^[\]\\]|\\.)+)\]\(\s*<?((?:[^\s<>()]|\([^\s<>()]*\))+)>?(?:\s+"[^"]*")?\s*\)/y;
const escaped = /\\([!-/:-@[-`{-~])/y;
const marker = /\*{1,3}|_{1,3}|~~/y;
const looks: Readonly<Record<string, readonly Look["type"][]>> = { "*": ["italic"], _: ["italic"], "**": ["bold"], __: ["bold"], "***": ["bold", "italic"], ___: ["bold", "italic"], "~~": ["strikethrough"] };
const word = /[\p{L}\p{N}_]/u;

function inline(page: Page, text: string, depth: number): void {
	for (let at = 0; at < text.length; ) {
		const [plain, escape] = found(escaped, text, at) ?? [];
		const [span, , inner] = found(code, text, at) ?? [];
		const [whole, words, url] = found(link, text, at) ?? [];
		if (plain !== undefined) {
			page.text += escape!;
			at += plain.length;
		} else if (span !== undefined) {
			page.looking({ type: "code" }, () => (page.text += inner!.replace(/^ (.*\S.*) $/, "$1")));
			at += span.length;
		} else if (whole !== undefined && depth < deepest) {
			const write = () => inline(page, words!, depth + 1);
			if (/^(?:https?|tg|mailto):/i.test(url!)) page.looking({ type: "text_link", url: url! }, write);
			else {
				write();
				page.text += ` (${url!})`;
			}
			at += whole.length;
		} else {
			const [mark] = found(marker, text, at) ?? [];
			const end = mark === undefined || depth >= deepest ? -1 : closing(text, at, mark);
			if (end < 0) {
				page.text += mark ?? text[at]!;
				at += mark?.length ?? 1;
			} else {
				const [outer, second] = looks[mark!]! as readonly ("bold" | "italic" | "strikethrough")[];
				const write = () => inline(page, text.slice(at + mark!.length, end), depth + 1);
				page.looking({ type: outer! }, second === undefined ? write : () => page.looking({ type: second }, write));
				at = end + mark!.length;
			}
		}
	}
}

/** Where the marker comes that ends what the one at `at` begins; -1 when it begins nothing: `2 * 3`, `snake_case`. */
function closing(text: string, at: number, mark: string): number {
	const narrow = mark === "*" || mark.startsWith("_");
	const from = at + mark.length;
	if (/^\s?$/.test(text[from] ?? "") || (narrow && word.test(text[at - 1] ?? ""))) return -1;
	for (let i = from; i < text.length; ) {
		const skipped = found(escaped, text, i)?.[0] ?? found(code, text, i)?.[0];
		const [here] = found(marker, text, i) ?? [];
		if (skipped === undefined && here === mark && i > from && !/\s/.test(text[i - 1]!) && !(narrow && word.test(text[i + mark.length] ?? ""))) return i;
		i += skipped?.length ?? here?.length ?? 1;
	}
	return -1;
}

function found(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(text);
}
