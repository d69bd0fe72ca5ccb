// HTML as text that reads like Markdown: headings, paragraphs, lists, links, code and tables; without scripts, navigation and what is hidden.
import { Tokenizer } from "htmlparser2";
import { readUrl } from "./web-address.ts";
import { ReadableText } from "./web-readable-text.ts";

const skipped = new Set(["script", "style", "template", "noscript", "nav", "svg", "iframe", "object", "canvas", "select", "textarea", "button", "audio", "video"]);
const blocks = new Set(
	"address article aside body caption center dd details div dl dt fieldset figcaption figure footer form header html legend main p section summary".split(" "),
);
/** Elements that may be hidden by an attribute and always have an end tag of their own. */
const hideable = new Set("a article aside b div em figure footer form header i li main ol p section small span strong table ul".split(" "));
/** Where navigation that nobody closed ends at the latest. */
const content = new Set(["main", "article", "h1"]);
/** Kept of one attribute, in characters. */
const longestAttribute = 2000;

type Attributes = Map<string, string>;

export interface Readable {
	/** Empty when the page has none. */
	readonly title: string;
	readonly text: string;
}

/** Takes time in proportion to the length, whatever stands in it: there is no tree and no stack of open elements. */
export function readable(html: string, base: URL): Readable {
	const page = new HtmlPage(html, base);
	const tokenizer = new Tokenizer({ decodeEntities: true }, page);
	tokenizer.write(html);
	tokenizer.end();
	return { title: page.title.replace(/\s+/g, " ").trim(), text: page.text.toString() };
}

/** What the tokenizer finds, one call after the other. */
class HtmlPage {
	readonly text = new ReadableText();
	title = "";
	readonly #html: string;
	#base: URL;
	#hasBase = false;
	#name = "";
	#attributes: Attributes = new Map();
	#attribute = "";
	#value = "";
	#inTitle: "no" | "now" | "over" = "no";
	/** The element whose content is left out, and how many of its name are open. */
	#skip: { readonly name: string; depth: number } | undefined;

	constructor(html: string, base: URL) {
		this.#html = html;
		this.#base = base;
	}

	ontext(start: number, end: number): void {
		this.#say(this.#html.slice(start, end));
	}

	ontextentity(codepoint: number): void {
		this.#say(String.fromCodePoint(codepoint));
	}

	oncdata(): void {}
	oncomment(): void {}
	ondeclaration(): void {}
	onprocessinginstruction(): void {}
	onend(): void {
		this.text.flush();
	}

	onopentagname(start: number, end: number): void {
		this.#name = this.#html.slice(start, end).toLowerCase();
		this.#attributes = new Map();
	}

	onattribname(start: number, end: number): void {
		this.#attribute = this.#html.slice(start, end).toLowerCase();
		this.#value = "";
	}

	onattribdata(start: number, end: number): void {
		if (this.#value.length < longestAttribute) this.#value += this.#html.slice(start, Math.min(end, start + longestAttribute));
	}

	onattribentity(codepoint: number): void {
		if (this.#value.length < longestAttribute) this.#value += String.fromCodePoint(codepoint);
	}

	onattribend(): void {
		if (interesting.has(this.#attribute) && !this.#attributes.has(this.#attribute)) this.#attributes.set(this.#attribute, this.#value);
	}

	onopentagend(): void {
		this.#open(this.#name, this.#attributes);
	}

	onselfclosingtag(): void {
		// HTML knows self-closing only in foreign content: `<div/>` opens a div.
		if (this.#name !== "svg") this.#open(this.#name, this.#attributes);
	}

	onclosetag(start: number, end: number): void {
		const name = this.#html.slice(start, end).toLowerCase();
		if (this.#skip) {
			if (name === this.#skip.name && --this.#skip.depth === 0) this.#skip = undefined;
			return;
		}
		if (name === "title") this.#inTitle = this.#inTitle === "now" ? "over" : this.#inTitle;
		else this.#close(name);
	}

	#say(text: string): void {
		if (this.#skip) return;
		if (this.#inTitle === "now") this.title += this.title.length < 500 ? text.slice(0, 500) : "";
		else this.text.say(text);
	}

	#open(name: string, attributes: Attributes): void {
		if (this.#skip?.name === "nav" && content.has(name)) this.#skip = undefined;
		if (this.#skip) {
			if (name === this.#skip.name) this.#skip.depth++;
			return;
		}
		if (skipped.has(name) || (hideable.has(name) && isHidden(attributes))) {
			this.#skip = { name, depth: 1 };
			return;
		}
		const { text } = this;
		if (name === "title") this.#inTitle = this.#inTitle === "no" ? "now" : this.#inTitle;
		else if (name === "base") this.#setBase(attributes.get("href"));
		else if (name === "a") text.openLink(this.#addressOf(attributes.get("href")));
		else if (name === "img") text.image(attributes.get("alt") ?? "");
		else if (name === "br") text.lineBreak();
		else if (name === "hr") text.rule();
		else if (name === "code") text.code();
		else if (name === "pre") text.openVerbatim();
		else if (name === "ul" || name === "ol") text.openList(name === "ol");
		else if (name === "li") text.item();
		else if (name === "blockquote") text.openQuote();
		else if (name === "table") text.openTable();
		else if (name === "tr") text.row();
		else if (name === "td" || name === "th") text.cell(name === "th");
		else if (/^h[1-6]$/.test(name)) text.heading(Number(name[1]));
		else if (blocks.has(name)) text.flush();
	}

	#close(name: string): void {
		const { text } = this;
		if (name === "a") text.closeLink();
		else if (name === "code") text.code();
		else if (name === "pre") text.closeVerbatim();
		else if (name === "ul" || name === "ol") text.closeList();
		else if (name === "blockquote") text.closeQuote();
		else if (name === "table") text.closeTable();
		else if (name === "tr") text.endRow();
		else if (name === "td" || name === "th") text.endCell();
		else if (name === "li" || /^h[1-6]$/.test(name) || blocks.has(name)) text.flush();
	}

	#setBase(href: string | undefined): void {
		const target = href === undefined || this.#hasBase ? undefined : readUrl(href, this.#base);
		if (target === undefined || "mistake" in target) return;
		this.#hasBase = true;
		this.#base = target.url;
	}

	/** Undefined for what leads nowhere outside the page, and for what is no address of the web. */
	#addressOf(href: string | undefined): string | undefined {
		if (href === undefined || href.trim() === "" || href.trim().startsWith("#") || href.length >= longestAttribute) return undefined;
		const target = readUrl(href.trim(), this.#base);
		return "url" in target ? target.url.href.replaceAll("(", "%28").replaceAll(")", "%29") : undefined;
	}
}

const interesting = new Set(["href", "alt", "hidden", "aria-hidden", "style"]);

function isHidden(attributes: Attributes): boolean {
	if (attributes.size === 0) return false;
	return attributes.has("hidden") || attributes.get("aria-hidden") === "true" || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.get("style") ?? "");
}
