// `hookline logs`: what hooks and Hookline itself wrote into the log, and what they write now.
import { setTimeout as pause } from "node:timers/promises";
import { homeOf } from "../system/home.ts";
import { type LogEntry, type LogLevel, logLevels } from "../system/log.ts";
import { type LogLine, LogLines } from "../system/log-lines.ts";
import { didYouMean } from "../system/nearest.ts";
import { visibleLine } from "../system/visible.ts";
import { exitCodes, UsageError } from "./exit.ts";
import { note, print, when } from "./output.ts";
import { stopOnSignals } from "./signals.ts";

export interface LogsOptions {
	readonly follow?: boolean;
	readonly level: string;
	readonly hook?: string;
	readonly limit: string;
	readonly json?: boolean;
}

/** How often it is looked for new lines, in ms. */
const lookEveryMs = 100;

/** @returns the exit code; with `follow` only after Ctrl-C, or when nobody reads any more. */
export async function logs({ follow = false, level, hook, limit, json = false }: LogsOptions): Promise<number> {
	const most = Number(limit);
	if (!Number.isInteger(most) || most < 1) throw new UsageError(`--limit must be a whole number from 1, not '${limit}'.`);
	const wanted = filterOf(levelOf(level), hook);
	const show = (lines: readonly LogLine[]) => {
		if (lines.length > 0) print(lines.map((line) => (json ? line.text : plain(line.entry))).join("\n"));
	};
	using log = new LogLines(homeOf(process.env).path);
	const last = log.last(most, wanted);
	show(last);
	if (!follow) {
		if (last.length === 0) note("The log has no such line.");
		return exitCodes.fine;
	}
	using stop = stopOnSignals();
	while (!stop.signal.aborted) {
		show(log.news().filter(({ entry }) => wanted(entry)));
		await pause(lookEveryMs, undefined, { signal: stop.signal }).catch(() => {});
	}
	return exitCodes.fine;
}

function levelOf(level: string): LogLevel {
	const known = logLevels.find((one) => one === level);
	if (known === undefined) throw new UsageError(`There is no level '${level}'.${didYouMean(level, logLevels)} There are ${logLevels.join(", ")}.`);
	return known;
}

/** This level and worse; a hook by its id, or all of an extension by its name. */
function filterOf(level: LogLevel, hook: string | undefined): (entry: LogEntry) => boolean {
	const from = logLevels.indexOf(level);
	return (entry) => logLevels.indexOf(entry.level) >= from && (hook === undefined || entry.from === hook || entry.from.startsWith(`${hook}/`) || entry.from.startsWith(`${hook}#`));
}

function plain({ at, level, from, message }: LogEntry): string {
	return `${when(at)}  ${level.padEnd(7)}  ${visibleLine(from)}  ${visibleLine(message)}`;
}
