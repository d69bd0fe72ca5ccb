// `hookline cron add | remove | run | pause | resume`. A gateway that runs sees it within half a second.
import { addJob, askForRun, enableJob, removeJob } from "../../gateway/cron/change.ts";
import { chatWords, nextOf, nextWords } from "../../gateway/cron/words.ts";
import { exitCodes } from "../exit.ts";
import { note, printJson } from "../output.ts";
import { noteWithoutGateway, openJobs } from "./store.ts";

interface Options {
	readonly json?: boolean;
}

export interface AddOptions extends Options {
	readonly zone?: string;
	readonly chat?: string;
	readonly catchUp?: boolean;
}

export async function add(name: string, schedule: string, prompt: readonly string[], { json, ...options }: AddOptions): Promise<number> {
	using store = openJobs();
	const now = Date.now();
	const job = addJob(store, { name, schedule, prompt: prompt.join(" "), ...options }, now);
	if (json) printJson({ name, next: nextOf(job, now) });
	else note(`The job ${name} runs next at ${nextWords(job, now)} (${job.zone}); its answers go to ${job.chat === undefined ? "gateway.home_chat" : chatWords(job)}.`);
	await noteWithoutGateway();
	return exitCodes.fine;
}

export async function remove(name: string, { json }: Options): Promise<number> {
	using store = openJobs();
	removeJob(store, name);
	if (json) printJson({ name });
	else note(`The job ${name} and its history are removed. The conversations it had are kept: 'hookline sessions'.`);
	return exitCodes.fine;
}

export async function run(name: string, { json }: Options): Promise<number> {
	using store = openJobs();
	askForRun(store, name, Date.now());
	if (json) printJson({ name });
	else note(`The job ${name} is to run now. 'hookline cron history ${name}' shows how it comes out.`);
	await noteWithoutGateway();
	return exitCodes.fine;
}

export async function enable(name: string, enabled: boolean, { json }: Options): Promise<number> {
	using store = openJobs();
	const now = Date.now();
	const job = enableJob(store, name, enabled, now);
	if (json) printJson({ name, enabled, next: nextOf(job, now) });
	else note(enabled ? `The job ${name} runs next at ${nextWords(job, now)} (${job.zone}).` : `The job ${name} is paused.`);
	return exitCodes.fine;
}
