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
	readonly grep?: string;
	readonly since?: string;
	readonly limit: string;
	readonly json?: boolean;
}

/** How often it is looked for new lines, in ms. */
const lookEveryMs = 100;

/** @returns the exit code; with `follow` only after Ctrl-C, or when nobody reads any more. */
export async function logs({ follow = false, level, limit, json = false, ...more }: LogsOptions): Promise<number> {
	const most = Number(limit);
	if (!Number.isInteger(most) || most < 1) throw new UsageError(`--limit must be a whole number from 1, not '${limit}'.`);
	const wanted = filterOf(levelOf(level), more);
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
	const known = logLevels.find((one) => one === level.toLowerCase());
	if (known === undefined) throw new UsageError(`There is no level '${level}'.${didYouMean(level.toLowerCase(), logLevels)} There are ${logLevels.join(", ")}.`);
	return known;
}

/** This level and worse; a hook by its id, or all of an extension by its name. */
function filterOf(level: LogLevel, { hook, grep, since }: Pick<LogsOptions, "hook" | "grep" | "since">): (entry: LogEntry) => boolean {
	const mildest = logLevels.indexOf(level);
	const after = since === undefined ? 0 : momentOf(since);
	const words = grep?.toLowerCase();
	return ({ at, level: one, from, message }) =>
		logLevels.indexOf(one) >= mildest &&
		at >= after &&
		(hook === undefined || from === hook || from.startsWith(`${hook}/`) || from.startsWith(`${hook}#`)) &&
		(words === undefined || `${from}  ${message}`.toLowerCase().includes(words));
}

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** In ms since the epoch. */
function momentOf(since: string): number {
	const [, count, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(since.trim().toLowerCase()) ?? [];
	const moment = count === undefined || unit === undefined ? Date.parse(since) : Date.now() - Number(count) * unitsMs[unit]!;
	if (Number.isNaN(moment)) throw new UsageError(`--since takes a time ago such as 90s, 15m, 1h or 2d, or a date such as 2030-01-31T12:00, not '${since}'.`);
	return moment;
}

function plain({ at, level, from, message }: LogEntry): string {
	return `${when(at)}  ${level.padEnd(7)}  ${visibleLine(from)}  ${visibleLine(message)}`;
}
