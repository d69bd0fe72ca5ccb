// What can be done with jobs in a chat, by a person or by the model, as a text.
import type { CronStore } from "../../stores/cron.ts";
import type { SessionEngine } from "../../stores/session-engine.ts";
import type { Deliverer } from "../deliverer.ts";
import { addJob, askForRun, enableJob, jobNamed, removeJob, type WantedJob } from "./change.ts";
import { historyOf } from "./history.ts";
import { chatWords, jobLine, nextWords, runLine } from "./words.ts";

export interface CronPlace {
	readonly store: CronStore;
	readonly sessions: Pick<SessionEngine, "read">;
	readonly deliverer: Deliverer;
}

export type CronAction = { readonly action: "list" } | ({ readonly action: "add" } & WantedJob) | { readonly action: (typeof onOne)[number]; readonly name: string };

/** What is done with one job by its name. */
export const onOne = ["remove", "run", "history", "pause", "resume"] as const;
const shownTimes = 10;

/** @throws CronError, StoreError */
export async function act({ store, sessions, deliverer }: CronPlace, wanted: CronAction): Promise<string> {
	const now = Date.now();
	switch (wanted.action) {
		case "list": {
			const jobs = store.jobs();
			return jobs.length === 0 ? "There are no jobs." : jobs.map((job) => jobLine(job, now)).join("\n");
		}
		case "add": {
			const job = addJob(store, wanted, now, deliverer.platforms());
			const homeless = job.chat === undefined && deliverer.home === undefined ? " There is no home chat, so its answers go to the history only: set gateway.home_chat." : "";
			return `The job ${job.name} runs next at ${nextWords(job, now)} (${job.zone}); its answers go to ${chatWords(job)}.${homeless}`;
		}
		case "remove":
			removeJob(store, wanted.name);
			return `The job ${wanted.name} and its history are removed.`;
		case "run":
			askForRun(store, wanted.name, now);
			return `The job ${wanted.name} is run now.`;
		case "history": {
			const job = jobNamed(store, wanted.name);
			const runs = await historyOf(job, store, sessions, shownTimes);
			return runs.length === 0 ? `The job ${job.name} was not due yet.` : runs.map((run) => runLine(run, job.zone)).join("\n");
		}
		case "pause":
			enableJob(store, wanted.name, false, now);
			return `The job ${wanted.name} is paused.`;
		case "resume":
			return `The job ${wanted.name} runs next at ${nextWords(enableJob(store, wanted.name, true, now), now)}.`;
	}
}
