// How jobs come, go and are asked for, whoever wants it.
import type { CronJob, CronStore } from "../../stores/cron.ts";
import { newId } from "../../system/ids.ts";
import { didYouMean } from "../../system/nearest.ts";
import { targetIn, targetText } from "../target.ts";
import { machineZone, ScheduleError, scheduleIn } from "./schedule.ts";

export interface WantedJob {
	readonly name: string;
	readonly schedule: string;
	readonly prompt: string;
	/** The machine's when not given. */
	readonly zone?: string | undefined;
	/** `PLATFORM:CHAT`; `home` and nothing are the home chat. */
	readonly chat?: string | undefined;
	readonly catchUp?: boolean | undefined;
}

/** A job cannot be as it is wanted, or is not there. The message is for the person. */
export class CronError extends Error {
	override readonly name = "CronError";
}

const longestPrompt = 100_000;

/** @param platforms those that are served, where that is known. @throws CronError, StoreError */
export function addJob(store: CronStore, { name, schedule, prompt, zone = machineZone(), chat, catchUp = false }: WantedJob, now: number, platforms?: readonly string[]): CronJob {
	if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) throw new CronError(`A job cannot be called '${name}'. Take up to 64 letters, digits, '-', '_' and '.', the first a letter or a digit.`);
	if (prompt.trim() === "") throw new CronError(`There is nothing to do for the job ${name}. Say behind its schedule what the agent is to do.`);
	if (prompt.length > longestPrompt || !prompt.isWellFormed() || prompt.includes("\0")) throw new CronError(`What the job ${name} is to do must be text of at most ${longestPrompt.toLocaleString("en-US")} characters.`);
	const target = chat === undefined || chat === "home" ? undefined : targetIn(chat);
	if (chat !== undefined && chat !== "home" && target === undefined) throw new CronError(`'${chat}' is no chat. Write PLATFORM:CHAT, with a thread PLATFORM:CHAT#THREAD, or home.`);
	if (target !== undefined && platforms?.includes(target.platform) === false) throw new CronError(`There is no platform '${target.platform}' here.${didYouMean(target.platform, platforms)} There is ${platforms.join(", ")}.`);
	const job: CronJob = { name, schedule: schedule.trim().replace(/\s+/g, " "), zone, prompt: prompt.trim(), ...(target && { chat: targetText(target) }), enabled: true, catchUp, createdAt: now, settledAt: now };
	if (firstOf(job) === undefined) throw new CronError(job.schedule.toLowerCase().startsWith("at ") ? `'${job.schedule}' (${zone}) has gone by.` : `'${job.schedule}' never comes.`);
	if (!store.add(job)) throw new CronError(`There is a job ${name} already. Remove it first, or choose another name.`);
	return job;
}

function firstOf({ schedule, zone, createdAt }: CronJob): number | undefined {
	try {
		return scheduleIn(schedule, zone, createdAt).after(createdAt);
	} catch (error) {
		throw error instanceof ScheduleError ? new CronError(error.message) : error;
	}
}

/** @throws CronError when there is none of that name, StoreError */
export function jobNamed(store: CronStore, name: string): CronJob {
	const job = store.job(name);
	if (job !== undefined) return job;
	const names = store.jobs().map((one) => one.name);
	throw new CronError(`There is no job '${name}'.${didYouMean(name, names)}${names.length === 0 ? " There are none at all." : " 'cron list' shows them."}`);
}

/** @throws CronError, StoreError */
export function removeJob(store: CronStore, name: string): void {
	if (!store.remove(jobNamed(store, name).name)) throw new CronError(`The job ${name} was removed by somebody else just now.`);
}

/** One that is resumed is due from now on. @throws CronError, StoreError */
export function enableJob(store: CronStore, name: string, enabled: boolean, now: number): CronJob {
	store.enable(jobNamed(store, name).name, enabled, now);
	return jobNamed(store, name);
}

/** It is begun by the gateway that runs, or by the next one; paused ones too. @throws CronError, StoreError */
export function askForRun(store: CronStore, name: string, now: number): void {
	store.ask(jobNamed(store, name).name, `${name} asked ${newId("r")}`, now);
}
