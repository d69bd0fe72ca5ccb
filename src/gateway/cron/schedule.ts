// When a job is due: what people write, and the times it means.
import { Cron } from "croner";
import { didYouMean } from "../../system/nearest.ts";

export interface Schedule {
	/** The first time after this one, in ms since the epoch as all times here; undefined when none comes. */
	after(time: number): number | undefined;
	/** The last time up to this one. Only asked where there is one. */
	last(time: number): number;
}

/** A schedule or a time zone nobody can go by. The message is for the person. */
export class ScheduleError extends Error {
	override readonly name = "ScheduleError";
}

/** The time zone of this machine. */
export const machineZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * @param zone IANA name; what is written without an offset is read there
 * @param from when it was written: `in 20m` and `every 2h` count from there
 * @throws ScheduleError
 */
export function scheduleIn(text: string, zone: string, from: number): Schedule {
	checkZone(zone);
	const words = text.trim().replace(/\s+/g, " ");
	const every = /^every (\d*) ?([a-z]+)$/i.exec(words);
	if (every !== null) return intervals(from, durationOf(every[1] === "" ? "1" : every[1]!, every[2]!, text));
	const within = /^in (\d+) ?([a-z]+)$/i.exec(words);
	if (within !== null) return once(from + durationOf(within[1]!, within[2]!, text));
	const at = /^at (.+)$/i.exec(words);
	if (at !== null) return once(momentIn(at[1]!, zone, text));
	if (words === "@reboot") throw new ScheduleError("There is no @reboot: what is to be done at each start of the gateway stands in BOOT.md (the extension boot-md).");
	if (!words.startsWith("@") && ![5, 6].includes(words.split(" ").length)) throw new ScheduleError(`'${text}' is no schedule. ${forms}`);
	return lines(words, zone, text);
}

const forms = "Write 'every 2h', 'in 20m', 'at 2026-12-01T09:00', '@daily', or the five fields of a cron line (minute, hour, day, month, weekday; with six the first one is the second).";

function checkZone(zone: string): void {
	try {
		new Intl.DateTimeFormat("en", { timeZone: zone });
	} catch {
		throw new ScheduleError(`There is no time zone '${zone}'.${didYouMean(zone, Intl.supportedValuesOf("timeZone"))} Zones are called like Europe/Berlin, or UTC.`);
	}
}

const units: Readonly<Record<string, number>> = { s: 1_000, sec: 1_000, second: 1_000, m: 60_000, min: 60_000, minute: 60_000, h: 3_600_000, hour: 3_600_000, d: 86_400_000, day: 86_400_000, w: 604_800_000, week: 604_800_000 };
/** Ten years. */
const longest = 3650 * units["d"]!;

function durationOf(count: string, unit: string, text: string): number {
	const name = unit.toLowerCase();
	const ms = Number(count) * ((Object.hasOwn(units, name) ? units[name] : units[name.replace(/s$/, "")]) ?? Number.NaN);
	if (Number.isNaN(ms)) throw new ScheduleError(`'${text}': '${unit}' is no unit of time. Take s, m, h, d or w.`);
	if (ms < 1_000 || ms > longest) throw new ScheduleError(`'${text}': that must be a second at least, and ten years at most.`);
	return ms;
}

const intervals = (from: number, ms: number): Schedule => ({
	after: (time) => from + (time < from ? 1 : Math.floor((time - from) / ms) + 1) * ms,
	last: (time) => from + Math.floor((time - from) / ms) * ms,
});

const once = (moment: number): Schedule => ({ after: (time) => (time < moment ? moment : undefined), last: () => moment });

function momentIn(when: string, zone: string, text: string): number {
	const found = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d:\d\d)(:\d\d)?(Z|[+-]\d\d:\d\d)?$/i.exec(when);
	if (found !== null) {
		const [, year, month, day, minutes, seconds = ":00", offset] = found;
		const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
		const iso = `${year}-${month}-${day}T${minutes}${seconds}`;
		const moment = isDay && !Number.isNaN(Date.parse(`${iso}Z`)) ? (offset === undefined ? new Cron(iso, { timezone: zone, paused: true }).getOnce()?.getTime() : Date.parse(`${iso}${offset.toUpperCase()}`)) : undefined;
		if (moment !== undefined && !Number.isNaN(moment)) return moment;
	}
	throw new ScheduleError(`'${text}': '${when}' is no time. Write it like 2026-12-01T09:00 (in the job's time zone), or with an offset, 2026-12-01T09:00Z.`);
}

function lines(line: string, zone: string, text: string): Schedule {
	let cron: Cron;
	try {
		cron = new Cron(line, { timezone: zone, mode: "5-or-6-parts", paused: true });
	} catch (error) {
		throw new ScheduleError(`'${text}' is no schedule: ${(error instanceof Error ? error.message : String(error)).replace(/^\w+: /, "").replace(/\.?$/, ".")} ${forms}`);
	}
	return {
		after: (time) => cron.nextRun(new Date(time))?.getTime(),
		// What it is given counts only for what lies before that second.
		last: (time) => cron.previousRuns(1, new Date(Math.floor(time / 1000) * 1000 + 1000))[0]?.getTime() ?? time,
	};
}
