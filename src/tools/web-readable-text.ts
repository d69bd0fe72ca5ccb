// Builds a page's text block by block. Everything is pushed to lists and joined once: asking a growing text for its end would copy it each time.

const deepest = 8;
const fence = "```";

interface List {
	readonly ordered: boolean;
	items: number;
}

export class ReadableText {
	readonly #out: string[] = [];
	/** What the last block was: items and rows follow one another without an empty line. */
	#last: "none" | "item" | "row" | "block" = "none";
	#lastQuote = "";
	/** The block under way. */
	#pieces: string[] = [];
	#endsWithSpace = true;
	#heading = 0;
	#marker: string | undefined;
	readonly #lists: List[] = [];
	#listsBeyond = 0;
	#quotes = 0;
	#verbatim = false;
	#link: { readonly at: number; readonly address: string } | undefined;
	#row: { readonly cells: string[]; header: boolean; open: boolean } | undefined;
	#rowsInTable = 0;

	say(text: string): void {
		if (text === "") return;
		if (this.#verbatim) {
			this.#pieces.push(text);
			return;
		}
		const spaced = text.replace(/[\s\u00a0]+/g, " ");
		const rest = this.#endsWithSpace && spaced.startsWith(" ") ? spaced.slice(1) : spaced;
		if (rest === "") return;
		this.#pieces.push(rest);
		this.#endsWithSpace = rest.endsWith(" ");
	}

	image(alt: string): void {
		if (alt.trim() !== "") this.say(`[image: ${alt.trim()}]`);
	}

	lineBreak(): void {
		this.#pieces.push(this.#row ? " " : "\n");
		this.#endsWithSpace = true;
	}

	code(): void {
		if (!this.#verbatim) this.say("`");
	}

	openLink(address: string | undefined): void {
		this.closeLink();
		if (address === undefined || this.#verbatim) return;
		this.#link = { at: this.#pieces.length, address };
		// Its place is kept for the bracket, which only comes if there is something in the link.
		this.#pieces.push("");
	}

	closeLink(): void {
		const link = this.#link;
		this.#link = undefined;
		if (link === undefined) return;
		const inside = this.#pieces.slice(link.at).join("");
		if (inside.trim() === "") return;
		this.#pieces.splice(link.at, Infinity, inside.startsWith(" ") ? " [" : "[", inside.trim(), `](${link.address})`, inside.endsWith(" ") ? " " : "");
	}

	heading(level: number): void {
		this.flush();
		this.#heading = level;
	}

	rule(): void {
		this.flush();
		if (this.#row === undefined) this.#emit("---", "block");
	}

	openVerbatim(): void {
		this.flush();
		this.#verbatim = true;
	}

	closeVerbatim(): void {
		if (!this.#verbatim) return;
		this.#verbatim = false;
		// A cell is one line; what stands in it is closed up with it.
		if (this.#row?.open) return;
		const code = this.#pieces.join("").replaceAll("\r\n", "\n");
		this.#reset();
		if (code.trim() === "") return;
		const marks = code.includes(fence) ? `${fence}${fence}` : fence;
		this.#emit(`${marks}\n${code.replace(/^\n/, "").trimEnd()}\n${marks}`, "block");
	}

	openList(ordered: boolean): void {
		this.flush();
		if (this.#lists.length < deepest) this.#lists.push({ ordered, items: 0 });
		else this.#listsBeyond++;
	}

	closeList(): void {
		this.flush();
		this.#marker = undefined;
		if (this.#listsBeyond > 0) this.#listsBeyond--;
		else this.#lists.pop();
		if (this.#lists.length === 0 && this.#last === "item") this.#last = "block";
	}

	item(): void {
		this.flush();
		const list = this.#lists.at(-1);
		if (list) list.items++;
		this.#marker = list?.ordered ? `${list.items}. ` : "- ";
	}

	openQuote(): void {
		this.flush();
		this.#quotes++;
	}

	closeQuote(): void {
		this.flush();
		this.#quotes = Math.max(0, this.#quotes - 1);
	}

	openTable(): void {
		this.endRow();
		this.flush();
		this.#rowsInTable = 0;
	}

	closeTable(): void {
		this.endRow();
		if (this.#last === "row") this.#last = "block";
	}

	row(): void {
		this.endRow();
		this.flush();
		this.#row = { cells: [], header: false, open: false };
	}

	cell(header: boolean): void {
		if (this.#row === undefined) return this.flush();
		this.endCell();
		this.#row.open = true;
		this.#row.header ||= header;
	}

	endCell(): void {
		if (!this.#row?.open) return;
		this.closeVerbatim();
		this.closeLink();
		this.#row.cells.push(this.#pieces.join("").replace(/\s+/g, " ").trim());
		this.#row.open = false;
		this.#reset();
	}

	endRow(): void {
		if (this.#row === undefined) return;
		this.endCell();
		const { cells, header } = this.#row;
		this.#row = undefined;
		if (cells.every((cell) => cell === "")) return;
		// A table of one column is there for its looks.
		if (cells.length === 1) return this.#emit(cells[0]!, "block");
		this.#emit(`| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`, "row");
		if (header && this.#rowsInTable === 0) this.#emit(`|${" --- |".repeat(cells.length)}`, "row");
		this.#rowsInTable++;
	}

	/** Ends the block under way; in a cell of a table, which is one line, only the word. */
	flush(): void {
		if (this.#verbatim) return;
		if (this.#row?.open) return this.say(" ");
		this.closeLink();
		const text = this.#pieces.join("").split("\n").map((line) => line.trim()).join("\n").trim();
		const heading = this.#heading;
		this.#reset();
		if (text === "") return;
		if (heading > 0) this.#emit(`${"#".repeat(heading)} ${text.replaceAll("\n", " ")}`, "block");
		else this.#emit(text, this.#lists.length > 0 || this.#marker !== undefined ? "item" : "block");
	}

	/** All of it. Ends what is still open. */
	toString(): string {
		this.closeVerbatim();
		this.endRow();
		this.flush();
		return this.#out.join("\n");
	}

	#reset(): void {
		this.#pieces = [];
		this.#endsWithSpace = true;
		this.#heading = 0;
		this.#link = undefined;
	}

	#emit(text: string, kind: "item" | "row" | "block"): void {
		const quote = "> ".repeat(Math.min(this.#quotes, deepest));
		const indent = "  ".repeat(Math.max(0, this.#lists.length - 1));
		const list = this.#lists.at(-1);
		// What follows in an item stands below its first word.
		const marker = this.#marker ?? (list ? " ".repeat(list.ordered ? String(list.items).length + 2 : 2) : "");
		this.#marker = undefined;
		if (this.#last !== "none" && (kind === "block" || this.#last !== kind)) this.#out.push(quote.length < this.#lastQuote.length ? quote.trimEnd() : this.#lastQuote.trimEnd());
		this.#lastQuote = quote;
		const [first = "", ...others] = text.split("\n");
		const margin = indent + " ".repeat(marker.length);
		this.#out.push(`${quote}${indent}${marker}${first}`, ...others.map((line) => `${quote}${line === "" ? "" : margin}${line}`));
		this.#last = kind;
	}
}
