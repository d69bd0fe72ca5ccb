// How commands print: answers on stdout, everything else on stderr; a table on a terminal, tab-separated lines in a pipe, JSON for programs.
import { Console } from "node:console";
import { visible, visibleLine } from "../system/visible.ts";

export function print(text: string): void {
	process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
	process.stdout.write(`${JSON.stringify(value, undefined, process.stdout.isTTY ? 2 : undefined)}\n`);
}

/** For the person, beside the answer. */
export function note(text: string): void {
	process.stderr.write(`${visible(text)}\n`);
}

export function warn(text: string): void {
	note(`hookline: ${text}`);
}

/** What extensions print goes to stderr: stdout is for the answer. */
export function keepStdoutForAnswers(): void {
	globalThis.console = new Console(process.stderr, process.stderr);
}

/** A reader that has gone (`hookline … | head`) ends the program quietly instead of with a stack trace. */
export function endWithReader(): void {
	let gone = false;
	for (const stream of [process.stdout, process.stderr]) {
		stream.on("error", (error: NodeJS.ErrnoException) => {
			if (gone) return;
			// A terminal that was closed says EIO.
			if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
			gone = true;
			onReaderGone();
		});
	}
}

let onReaderGone: () => void = () => process.exit(0);

/** Stops what is under way instead of ending at once when nobody reads any more: a turn has tools to end first. */
export function whenReaderGone(stop: () => void): void {
	onReaderGone = stop;
}

/** Prints rows under their headings, or what to say when there are none. Columns are cut to the terminal only at the last one. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[], none: string): void {
	if (!process.stdout.isTTY) {
		for (const row of rows) print(row.map(visibleLine).join("\t"));
		if (rows.length === 0) note(none);
		return;
	}
	if (rows.length === 0) return print(none);
	const cells = rows.map((row) => row.map(visibleLine));
	const widths = headings.map((heading, i) => Math.max(heading.length, ...cells.map((row) => row[i]?.length ?? 0)));
	const line = (row: readonly string[]) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!))).join("  ");
	print(line(headings));
	for (const row of cells) print(line(row));
}

/** Milliseconds for people. */
export function ms(value: number): string {
	return value < 10 ? `${value.toFixed(2)} ms` : `${Math.round(value)} ms`;
}

/** A time of day with its date, in the local zone. */
export function when(at: number): string {
	const date = new Date(at);
	const two = (n: number) => String(n).padStart(2, "0");
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
