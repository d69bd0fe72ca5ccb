// An answer while it arrives. Its Markdown is cut into blocks (a paragraph, a list, some lines of code) as soon as they are complete, so that a
// frame only has to read the last one again, however long the answer has become.
import { Markdown, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { visible } from "../../../system/visible.ts";
import type { Highlighter } from "./highlight.ts";
import { DrawnItem, gap, type Look } from "./items.ts";
import type { Item } from "./flat-screen.ts";

/** A block that has no natural end is cut here. */
const mostLines = { text: 60, code: 100 } as const;
const mostCharacters = 2_000;

export class Answer {
	readonly #look: Look;
	readonly #highlighter: Highlighter;
	readonly #add: (item: Item) => void;
	/** The line that is not complete yet. */
	#rest = "";
	#open: TextBlock | CodeBlock | undefined;
	/** The fence that ends the code, when code is open. */
	#fence: RegExp | undefined;
	/** A blank line was read: what comes next may be a block of its own. */
	#blank = false;
	#begun = false;

	/** `add` puts an item below everything. */
	constructor(look: Look, highlighter: Highlighter, add: (item: Item) => void) {
		this.#look = look;
		this.#highlighter = highlighter;
		this.#add = add;
	}

	write(delta: string): void {
		this.#rest += delta;
		let from = 0;
		for (let end = this.#rest.indexOf("\n"); end >= 0; end = this.#rest.indexOf("\n", from)) {
			this.#line(this.#rest.slice(from, end).replace(/\r$/, ""));
			from = end + 1;
		}
		this.#rest = this.#rest.slice(from);
		if (this.#rest.length > mostCharacters) {
			const at = this.#rest.lastIndexOf(" ");
			this.#line(this.#rest.slice(0, at > 0 ? at : this.#rest.length));
			this.#rest = at > 0 ? this.#rest.slice(at + 1) : "";
		}
		this.#showRest();
	}

	/** No more comes. */
	end(): void {
		if (this.#rest !== "") this.#line(this.#rest);
		this.#rest = "";
		this.#open?.unfinished("");
		this.#open = undefined;
	}

	#line(line: string): void {
		if (this.#fence !== undefined) {
			if (this.#fence.test(line)) this.#close();
			else this.#code(line);
			return;
		}
		const fence = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(line);
		if (fence) {
			this.#close();
			this.#fence = new RegExp(`^ {0,3}${fence[1]![0]}{${fence[1]!.length},}\\s*$`);
			this.#begin(new CodeBlock(this.#look, this.#highlighter, fence[2] ?? ""), true);
		} else if (line.trim() === "") this.#blank = true;
		else this.#text(line);
	}

	#text(line: string): void {
		this.#blockFor(line).push(line);
	}

	/** The block a line belongs to; the beginning of the line is enough to tell. */
	#blockFor(line: string): TextBlock {
		let block = this.#open instanceof TextBlock ? this.#open : undefined;
		// An indented line after a blank one still belongs to the list above it, and so does the next point of that list.
		const goesOn = /^(?: {2,}|\t)/.test(line) || (block?.isList === true && isPoint(line));
		const isFull = block !== undefined && block.isLong && !(block.isTable && line.startsWith("|"));
		if (block === undefined || (this.#blank && !goesOn) || isFull) {
			const apart = block === undefined || this.#blank;
			this.#close();
			block = this.#begin(new TextBlock(this.#look), apart);
		} else if (this.#blank) block.push("");
		this.#blank = false;
		return block;
	}

	#code(line: string): void {
		let block = this.#open as CodeBlock;
		if (block.count >= mostLines.code) block = this.#begin(new CodeBlock(this.#look, this.#highlighter, block.language), false);
		block.push(line);
	}

	#begin<Block extends TextBlock | CodeBlock>(block: Block, apart: boolean): Block {
		this.#open?.unfinished("");
		if (apart && this.#begun) this.#add(gap);
		this.#begun = true;
		this.#open = block;
		this.#add(block);
		return block;
	}

	#close(): void {
		this.#open?.unfinished("");
		this.#open = undefined;
		this.#fence = undefined;
	}

	/** What may still become a fence or the mark of a point is not shown before that is known. */
	#showRest(): void {
		if (this.#fence !== undefined) return this.#open?.unfinished(this.#rest);
		if (/^\s*(?:`{0,2}|~{0,2}|[-*+]|\d+[.)]?)$|^ {0,3}(?:`{3}|~{3})/.test(this.#rest)) return this.#open?.unfinished("");
		this.#blockFor(this.#rest).unfinished(this.#rest.replace(/\r$/, ""));
	}
}

const isPoint = (line: string) => /^\s*(?:[-*+]|\d+[.)])\s/.test(line);

/** Markdown that holds together. */
class TextBlock extends DrawnItem {
	#markdown: Markdown | undefined;
	#text = "";
	#unfinished = "";
	#count = 0;

	get isList(): boolean {
		return isPoint(this.#text);
	}

	get isTable(): boolean {
		return this.#text.startsWith("|");
	}

	get isLong(): boolean {
		return this.#count >= mostLines.text || this.#text.length > mostCharacters;
	}

	push(line: string): void {
		this.#text += this.#text === "" ? line : `\n${line}`;
		this.#count++;
		this.#unfinished = "";
		super.restyle();
	}

	unfinished(text: string): void {
		if (text === this.#unfinished) return;
		this.#unfinished = text;
		super.restyle();
	}

	protected draw(width: number): readonly string[] {
		const text = this.#unfinished === "" ? this.#text : this.#text === "" ? this.#unfinished : `${this.#text}\n${this.#unfinished}`;
		this.#markdown ??= new Markdown("", 0, 0, this.look.theme.markdown, undefined, { renderLatex: false });
		this.#markdown.setText(visible(text));
		return this.#markdown.render(width).map((line) => line.trimEnd());
	}

	override restyle(): void {
		super.restyle();
		this.#markdown = undefined;
	}
}

/** Lines of code, highlighted. */
class CodeBlock extends DrawnItem {
	readonly language: string;
	readonly #highlighter: Highlighter;
	#lines: string[] = [];
	#unfinished = "";

	constructor(look: Look, highlighter: Highlighter, language: string) {
		super(look);
		this.language = language;
		this.#highlighter = highlighter;
	}

	get count(): number {
		return this.#lines.length;
	}

	push(line: string): void {
		this.#lines.push(line);
		this.#unfinished = "";
		this.restyle();
	}

	unfinished(text: string): void {
		if (text === this.#unfinished) return;
		this.#unfinished = text;
		this.restyle();
	}

	protected draw(width: number): readonly string[] {
		const code = visible((this.#unfinished === "" ? this.#lines : [...this.#lines, this.#unfinished]).join("\n")).replaceAll("\t", "    ");
		const bar = this.look.theme.faint("▏");
		const lines = this.#highlighter.highlight(code, this.language, this.look.theme, () => this.restyle());
		return lines.flatMap((line) => wrapTextWithAnsi(line, Math.max(8, width - 2)).map((part) => `${bar} ${part}`));
	}
}
