// `hookline cron list | history`.
import { jobNamed } from "../../gateway/cron/change.ts";
import { historyOf } from "../../gateway/cron/history.ts";
import { chatWords, nextOf, nextWords, outcomeOf, promptWords, timeIn } from "../../gateway/cron/words.ts";
import { openSqliteSessionEngine } from "../../stores/sqlite/session-engine.ts";
import { homeOf } from "../../system/home.ts";
import { exitCodes } from "../exit.ts";
import { ms, printJson, printTable } from "../output.ts";
import { countOf } from "../sessions/list.ts";
import { openJobs } from "./store.ts";

export async function list({ json }: { readonly json?: boolean }): Promise<number> {
	using store = openJobs();
	await using sessions = openSqliteSessionEngine(homeOf(process.env).database);
	const now = Date.now();
	const found = await Promise.all(store.jobs().map(async (job) => ({ job, last: (await historyOf(job, store, sessions, 1))[0] })));
	if (json) {
		printJson(found.map(({ job, last }) => ({ ...job, next: nextOf(job, now), last })));
		return exitCodes.fine;
	}
	const rows = found.map(({ job, last }) => [job.name, job.schedule, job.zone, nextWords(job, now), last === undefined ? "-" : `${timeIn(last.at, job.zone)} ${last.state}`, chatWords(job), promptWords(job)]);
	printTable(["JOB", "SCHEDULE", "ZONE", "NEXT", "LAST", "CHAT", "WHAT TO DO"], rows, 'There are no jobs. Add one with: hookline cron add NAME "0 9 * * *" "what to do"');
	return exitCodes.fine;
}

export async function history(name: string, options: { readonly limit: string; readonly json?: boolean }): Promise<number> {
	const limit = countOf("--limit", options.limit);
	using store = openJobs();
	const job = jobNamed(store, name);
	await using sessions = openSqliteSessionEngine(homeOf(process.env).database);
	const found = await historyOf(job, store, sessions, limit);
	if (options.json) printJson(found);
	else {
		const rows = found.map((run) => [timeIn(run.at, job.zone), run.state, run.durationMs === undefined ? "-" : ms(run.durationMs), run.sessionId ?? "-", outcomeOf(run)]);
		printTable([`DUE (${job.zone})`, "STATE", "TOOK", "SESSION", "OUTCOME"], rows, `The job ${job.name} was not due yet.`);
	}
	return exitCodes.fine;
}
