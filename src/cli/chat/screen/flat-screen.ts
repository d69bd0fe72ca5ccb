// A screen whose cost does not grow with the conversation. Lines that have scrolled off the top belong to the terminal: they are never drawn
// or compared again, and nothing ever empties the terminal's scrollback, which also holds what the person did before us.
import { type Terminal, truncateToWidth, TuiMainScreen, visibleWidth } from "@earendil-works/pi-tui";

/** Part of a conversation, from top to bottom. */
export interface Item {
	/** Its lines for a width, at most that many cells each. Quick when nothing has changed: it is asked at every frame. */
	lines(width: number): readonly string[];
	/** Forgets what was drawn: the style has changed. */
	restyle(): void;
}

/** Lines above the window that are kept, to fill a screen that grows. */
const keptLines = 400;

export class FlatScreen extends TuiMainScreen {
	#items: Item[] = [];
	/** The first item that is not wholly above the window, and how many of its lines are. */
	#first = 0;
	#skip = 0;
	#foot: (width: number) => string[];
	#width = 0;
	#height = 0;
	/** Lines of the conversation in the last frame. */
	#shown = 0;
	/** What drawing the last frame took. */
	lastFrameMs = 0;

	/** `foot` gives the lines below the conversation. */
	constructor(terminal: Terminal, foot: (width: number) => string[]) {
		super(terminal);
		this.#foot = foot;
	}

	add(item: Item): void {
		this.#items.push(item);
		this.requestRender();
	}

	get items(): readonly Item[] {
		return this.#items;
	}

	/** Begins at the top of an empty screen, without what was there. */
	empty(): void {
		this.#items = [];
		this.#redraw();
	}

	/** Draws everything that fits anew: styles or folds have changed, also in lines that cannot be reached any more. */
	redraw(): void {
		for (const item of this.#items) item.restyle();
		this.#redraw();
	}

	override render(width: number): string[] {
		const lines: string[] = [];
		for (let i = this.#first; i < this.#items.length; i++) {
			const own = this.#items[i]!.lines(width);
			for (let n = i === this.#first ? this.#skip : 0; n < own.length; n++) lines.push(fitted(own[n]!, width));
		}
		this.#shown = lines.length;
		for (const line of this.#foot(width)) lines.push(fitted(line, width));
		return lines;
	}

	protected override doRender(): void {
		if (this.stopped) return;
		const { columns, rows } = this.terminal;
		if (this.#width !== 0 && (columns !== this.#width || rows !== this.#height)) this.#startOver(columns, rows);
		this.#width = columns;
		this.#height = rows;
		const began = performance.now();
		super.doRender();
		this.#letGo();
		this.lastFrameMs = performance.now() - began;
	}

	#redraw(): void {
		if (this.#width !== 0 && !this.stopped) this.#startOver(this.terminal.columns, this.terminal.rows);
		this.requestRender();
	}

	/** The next frame is drawn from the top of the screen, with as much of the end of the conversation as fits. */
	#startOver(columns: number, rows: number): void {
		// Not "clear screen": some terminals push what was there into the scrollback, which would have it twice.
		this.terminal.write("\u001b[H\u001b[J");
		this.restoreRenderState({ previousLines: [], previousWidth: columns, previousHeight: rows, cursorRow: 0, hardwareCursorRow: 0, maxLinesRendered: 0, previousViewportTop: 0 });
		let room = Math.max(1, rows - this.#foot(columns).length);
		this.#first = this.#items.length;
		this.#skip = 0;
		while (room > 0 && this.#first > 0) {
			const { length } = this.#items[--this.#first]!.lines(columns);
			this.#skip = Math.max(0, length - room);
			room -= length;
		}
	}

	/** Lets go of the lines that the frame pushed off the top. */
	#letGo(): void {
		const state = this.captureRenderState();
		const gone = Math.min(state.previousViewportTop, this.#shown);
		if (gone === 0) return;
		this.#skip += gone;
		while (this.#first < this.#items.length && this.#skip >= this.#items[this.#first]!.lines(this.#width).length) this.#skip -= this.#items[this.#first++]!.lines(this.#width).length;
		this.restoreRenderState({
			...state,
			previousLines: state.previousLines.slice(gone),
			cursorRow: state.cursorRow - gone,
			hardwareCursorRow: state.hardwareCursorRow - gone,
			maxLinesRendered: Math.max(0, state.maxLinesRendered - gone),
			previousViewportTop: state.previousViewportTop - gone,
		});
		this.#forget();
	}

	/** Items far above the window are of no use any more: a screen that grows does not reach them. */
	#forget(): void {
		let above = 0;
		let keep = this.#first;
		while (keep > 0 && above < keptLines) above += this.#items[--keep]!.lines(this.#width).length;
		if (keep === 0) return;
		this.#items.splice(0, keep);
		this.#first -= keep;
	}
}

/** A line too long would end the program. */
function fitted(line: string, width: number): string {
	return visibleWidth(line) > width ? truncateToWidth(line, width, "") : line;
}
