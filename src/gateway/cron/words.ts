// Jobs and times in words.
import type { CronJob } from "../../stores/cron.ts";
import { targetIn } from "../target.ts";
import type { CronRun } from "./history.ts";
import { scheduleIn } from "./schedule.ts";

/** Times of a job at which nothing could run. */
export interface Missed {
	readonly job: CronJob;
	/** In ms since the epoch. */
	readonly first: number;
	readonly last: number;
	/** 99 and more are so many that nobody counted them. */
	readonly count: number;
	/** Whether one run now makes up for them. */
	readonly isMadeUp: boolean;
}

const many = 99;
/** Jobs that one message names. */
const mostNamed = 30;
const longestPrompt = 60;

/** Date and time of day in a time zone. */
export const timeIn = (at: number, zone: string): string => new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }).format(at).replace(/:00$/, "");

export function missedWords({ job: { zone }, first, last, count, isMadeUp }: Missed): string {
	const from = timeIn(first, zone);
	const times = count === 1 ? from : `${count >= many ? `more than ${many}` : count} times from ${from} to ${timeIn(last, zone)}`;
	return `${times} (${zone})${isMadeUp ? "; it is run once now" : ""}`;
}

/** For the chat that would have had the answers. */
export function missedText(missed: readonly Missed[]): string {
	const lines = missed.slice(0, mostNamed).map((one) => `- ${one.job.name}: ${missedWords(one)}`);
	if (missed.length > mostNamed) lines.push(`- and ${missed.length - mostNamed} more jobs; 'hookline cron history NAME' tells of each`);
	return `${missed.length === 1 ? "A job was" : "Jobs were"} due while the gateway was off, the machine asleep, or its clock set forward, and did not run:\n${lines.join("\n")}`;
}

/** When it is due next, in ms since the epoch; undefined when never. */
export function nextOf(job: CronJob, now: number): number | undefined {
	if (!job.enabled) return undefined;
	try {
		return scheduleIn(job.schedule, job.zone, job.createdAt).after(Math.max(now, job.settledAt));
	} catch {
		// A time zone this machine does not know any more: the gateway says so.
		return undefined;
	}
}

export function nextWords(job: CronJob, now: number): string {
	if (!job.enabled) return "paused";
	const next = nextOf(job, now);
	return next === undefined ? "never again" : timeIn(next, job.zone);
}

export const chatWords = ({ chat }: CronJob): string => (chat !== undefined && targetIn(chat) !== undefined ? chat : "home");

export const promptWords = ({ prompt }: CronJob): string => {
	const line = prompt.replace(/\s+/g, " ");
	return line.length > longestPrompt ? `${line.slice(0, longestPrompt)}…` : line;
};

export const jobLine = (job: CronJob, now: number): string => `${job.name}: ${job.schedule} (${job.zone}), next ${nextWords(job, now)}, to ${chatWords(job)}${job.catchUp ? ", makes up for missed times" : ""}: ${promptWords(job)}`;

/** What is told of one time beside when and how. */
export const outcomeOf = ({ text, note }: CronRun): string => (text ?? note ?? "").replace(/\s+/g, " ").trim();

export function runLine(run: CronRun, zone: string): string {
	const outcome = outcomeOf(run);
	const took = run.durationMs === undefined ? "" : ` in ${(run.durationMs / 1000).toFixed(1)} s`;
	return `${timeIn(run.at, zone)} ${run.state}${took}${outcome === "" ? "" : `: ${outcome.length > 200 ? `${outcome.slice(0, 200)}…` : outcome}`}`;
}
