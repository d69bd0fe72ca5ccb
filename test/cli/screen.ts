// A terminal as a person has it: what the program writes is drawn by a terminal emulator, and what is seen there is what a test looks at.
import xterm from "@xterm/headless";
import type { Place, Running, StartOptions } from "./program.ts";

export interface Screen extends Pick<Running, "pid" | "ended" | "signal"> {
	/** Types. `\r` is Enter. */
	type(keys: string): void;
	resize(columns: number, rows: number): void;
	/** Everything the program wrote, as it wrote it. */
	readonly written: string;
	/** The lines one sees, without the empty ones at the end. */
	readonly lines: readonly string[];
	/** Those, and all that scrolled off. */
	readonly all: readonly string[];
	/** Waits until what is seen holds a text; gives it. */
	shows(text: string | RegExp): Promise<string>;
	/** Waits until it does not. */
	hides(text: string | RegExp): Promise<void>;
}

export interface ScreenOptions extends StartOptions {
	readonly columns?: number;
	readonly rows?: number;
	/** What the terminal answers when it is asked for its background; nothing unless given. */
	readonly background?: string;
}

export function onScreen(place: Place, args: readonly string[], { columns = 100, rows = 30, background, ...options }: ScreenOptions = {}): Screen {
	const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
	const running = place.onTerminal(args, { ...options, env: { TERM: "xterm-256color", COLUMNS: String(columns), LINES: String(rows), ...options.env } });
	let news = Promise.withResolvers<void>();
	let over = false;
	// It asks the terminal what it is and waits for the answer, as every terminal gives it.
	terminal.onData((answer) => running.write(answer));
	if (background !== undefined) terminal.parser.registerOscHandler(11, () => (running.write(`\u001b]11;${background}\u0007`), true));
	const drawn = () => {
		news.resolve();
		news = Promise.withResolvers();
	};
	running.onOutput((text) => terminal.write(text, drawn));
	void running.ended.then(() => {
		over = true;
		terminal.write("", drawn);
	});
	const text = (from: number) => {
		const { active } = terminal.buffer;
		const lines = Array.from({ length: active.length - from }, (_, i) => active.getLine(from + i)?.translateToString(true) ?? "");
		return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
	};
	const seen = () => text(terminal.buffer.active.baseY);
	const until = async (what: string, found: () => boolean): Promise<void> => {
		while (!found()) {
			if (over) throw new Error(`it ended before ${what}:\n${text(0).join("\n")}`);
			await news.promise;
		}
	};
	const holds = (wanted: string | RegExp) => (typeof wanted === "string" ? seen().join("\n").includes(wanted) : wanted.test(seen().join("\n")));
	return {
		pid: running.pid,
		ended: running.ended,
		signal: running.signal,
		type: (keys) => running.write(keys),
		resize(to, high) {
			terminal.resize(to, high);
			running.write(`\u001b[8;${high};${to}t`);
		},
		get written() {
			return running.stdout;
		},
		get lines() {
			return seen();
		},
		get all() {
			return text(0);
		},
		async shows(wanted) {
			await until(`it showed ${String(wanted)}`, () => holds(wanted));
			return seen().join("\n");
		},
		hides: (wanted) => until(`it hid ${String(wanted)}`, () => !holds(wanted)),
	};
}
