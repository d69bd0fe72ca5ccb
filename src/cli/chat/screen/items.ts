// The parts of a conversation on the screen: texts of the person, notes, tool calls.
import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { JsonObject } from "../../../events/payloads/facts.ts";
import type { HookRecord } from "../../../events/record.ts";
import { visible, visibleLine } from "../../../system/visible.ts";
import { ms } from "../../output.ts";
import { callInShort, deedInWords } from "../words.ts";
import type { Item } from "./flat-screen.ts";
import type { Style, Theme } from "./theme.ts";

/** What items look at when they are drawn. */
export interface Look {
	theme: Theme;
	/** Whether folded parts are shown whole. */
	unfolded: boolean;
}

/** Remembers its lines until something changes. */
export abstract class DrawnItem implements Item {
	protected readonly look: Look;
	#lines: readonly string[] | undefined;
	#width = 0;

	constructor(look: Look) {
		this.look = look;
	}

	lines(width: number): readonly string[] {
		if (this.#lines === undefined || this.#width !== width) {
			this.#lines = this.draw(width);
			this.#width = width;
		}
		return this.#lines;
	}

	restyle(): void {
		this.#lines = undefined;
	}

	protected abstract draw(width: number): readonly string[];
}

/** Text with a mark before it and further lines set in under it. */
function marked(mark: string, indent: string, text: string, width: number, style: Style): string[] {
	const room = Math.max(1, width - indent.length);
	const lines = text.split("\n").flatMap((line) => wrapTextWithAnsi(line.replaceAll("\t", "   "), room));
	return lines.map((line, i) => (i === 0 ? mark : indent) + style(line));
}

/** Lines of what was pasted that are worth repeating. */
const saidLines = 20;

/** What the person said. */
export class SaidItem extends DrawnItem {
	readonly #text: string;

	constructor(look: Look, text: string) {
		super(look);
		this.#text = visible(text);
	}

	protected draw(width: number): readonly string[] {
		const { theme, unfolded } = this.look;
		const all = this.#text.split("\n");
		const shown = unfolded ? all : all.slice(0, saidLines);
		const lines = marked(theme.accent("❯ "), "  ", shown.join("\n"), width, theme.strong);
		if (shown.length < all.length) lines.push(`  ${theme.faint(`└ ${all.length - shown.length} more lines, Ctrl-O shows them`)}`);
		return lines;
	}
}

/** An empty line. */
export const gap: Item = { lines: () => [""], restyle: () => {} };

export type NoteKind = "faint" | "warning" | "bad" | "plain";

/** A word of the program itself, of a hook or an extension. */
export class NoteItem extends DrawnItem {
	readonly #text: string;
	readonly #kind: NoteKind;

	constructor(look: Look, text: string, kind: NoteKind) {
		super(look);
		this.#text = visible(text).replace(/^\n+|\n+$/g, "");
		this.#kind = kind;
	}

	protected draw(width: number): readonly string[] {
		const { theme } = this.look;
		const style = this.#kind === "plain" ? (text: string) => text : theme[this.#kind];
		return this.#text.split("\n").flatMap((line) => wrapTextWithAnsi(style(line.replaceAll("\t", "   ")), width));
	}
}

const foldedLines = 5;
/** Also when everything is shown: what is longer is in the session. */
const mostLines = 500;

interface ToolEnd {
	readonly status: "ok" | "error" | "blocked";
	readonly text: string;
	/** Absent when it is not known any more. */
	readonly durationMs?: number;
	readonly blockedBy?: string;
}

/** A tool call from the moment the model asks for it: what hooks did to it, what it gave. */
export class ToolItem extends DrawnItem {
	readonly #toolName: string;
	readonly #child: boolean;
	#args: JsonObject;
	#deeds: readonly HookRecord[] = [];
	#end: ToolEnd | undefined;

	constructor(look: Look, toolName: string, args: JsonObject, child: boolean) {
		super(look);
		this.#toolName = toolName;
		this.#args = args;
		this.#child = child;
	}

	get isOver(): boolean {
		return this.#end !== undefined;
	}

	deed(by: HookRecord): void {
		this.#deeds = [...this.#deeds, by];
		this.restyle();
	}

	/** It is over. `args` are those it ran with. */
	end(end: ToolEnd & { readonly args: JsonObject }): void {
		this.#end = end;
		this.#args = end.args;
		this.restyle();
	}

	/** What a call of another time gave. */
	gave(text: string, failed: boolean): void {
		this.#end = { status: failed ? "error" : "ok", text };
		this.restyle();
	}

	protected draw(width: number): readonly string[] {
		const { theme, unfolded } = this.look;
		const indent = this.#child ? "    " : "  ";
		const end = this.#end;
		const mark = end === undefined ? theme.faint("○") : end.status === "ok" ? theme.good("●") : end.status === "error" ? theme.bad("●") : theme.warning("⊘");
		const took = end === undefined ? "" : end.status === "ok" ? (end.durationMs === undefined ? "" : ` ${ms(end.durationMs)}`) : end.status === "error" ? " failed" : ` blocked by ${visibleLine(end.blockedBy ?? "a hook")}`;
		const room = Math.max(8, width - indent.length);
		const call = callInShort(this.#toolName, this.#args);
		const head = wrapTextWithAnsi(`${theme.strong(this.#toolName)} ${call}${theme.faint(took)}`, room);
		const headLines = unfolded ? head : foldHead(head, theme);
		const lines = headLines.map((line, i) => (i === 0 ? `${this.#child ? "  " : ""}${mark} ` : indent) + line);
		const under = (text: string, style: Style) => {
			for (const line of wrapTextWithAnsi(text, Math.max(8, width - indent.length - 2))) lines.push(`${indent}  ${style(line)}`);
		};
		for (const by of this.#deeds) under(`⚑ ${deedInWords(by)}`, by.decision === "failed" || by.decision.includes("block") ? theme.warning : theme.accent);
		if (end !== undefined && end.text.trim() !== "") this.#result(end.text, indent, width, lines);
		return lines;
	}

	#result(text: string, indent: string, width: number, lines: string[]): void {
		const { theme, unfolded } = this.look;
		const all = visible(text).replace(/\n+$/, "").replaceAll("\t", "   ").split("\n");
		const most = unfolded ? mostLines : foldedLines;
		const room = Math.max(8, width - indent.length - 2);
		let left = most;
		let seen = 0;
		for (const line of all) {
			if (left <= 0) break;
			seen++;
			// Folded, a line is one line: minified files would otherwise fill the screen.
			const wrapped = unfolded ? wrapTextWithAnsi(line, room).slice(0, left) : wrapTextWithAnsi(line.slice(0, room), room).slice(0, 1);
			for (const part of wrapped) lines.push(`${indent}${theme.faint("│")} ${theme.faint(part)}`);
			left -= Math.max(1, wrapped.length);
		}
		const hidden = all.length - seen;
		if (hidden > 0) lines.push(`${indent}${theme.faint(`└ ${hidden} more line${hidden === 1 ? "" : "s"}${unfolded ? "" : ", Ctrl-O shows them"}`)}`);
	}
}

function foldHead(head: readonly string[], theme: Theme): readonly string[] {
	return head.length <= 3 ? head : [...head.slice(0, 3), theme.faint("…")];
}

/** What a command of the user's own gives, as it comes. */
export class ShellItem extends DrawnItem {
	readonly #command: string;
	#output = "";
	#failed: boolean | undefined;

	constructor(look: Look, command: string) {
		super(look);
		this.#command = command;
	}

	output(chunk: Buffer): void {
		// Bounded: only its end is shown.
		this.#output = (this.#output + chunk.toString("utf8")).slice(-200_000);
		this.restyle();
	}

	/** With the output as it was kept. */
	end(text: string, failed: boolean): void {
		this.#output = text;
		this.#failed = failed;
		this.restyle();
	}

	protected draw(width: number): readonly string[] {
		const { theme, unfolded } = this.look;
		const mark = this.#failed === undefined ? theme.faint("$") : this.#failed ? theme.bad("$") : theme.good("$");
		const all = visible(this.#output).replace(/\n+$/, "").replaceAll("\t", "   ").split("\n");
		const most = unfolded ? mostLines : 20;
		const shown = all.slice(-most);
		const lines = marked(`${mark} `, "  ", visibleLine(this.#command), width, theme.strong);
		if (all.length > shown.length) lines.push(`  ${theme.faint(`┌ ${all.length - shown.length} lines before${unfolded ? "" : ", Ctrl-O shows them"}`)}`);
		if (this.#output !== "") for (const line of shown) for (const part of wrapTextWithAnsi(line, Math.max(8, width - 4))) lines.push(`  ${theme.faint("│")} ${part}`);
		return lines;
	}
}
