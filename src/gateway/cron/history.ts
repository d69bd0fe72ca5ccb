// What became of the times a job was due: the store knows when, the engine how its runs came out.
import type { CronJob, CronStore, CronTime } from "../../stores/cron.ts";
import type { SessionEngine } from "../../stores/session-engine.ts";
import type { JobRun } from "../job.ts";

export interface CronRun extends Pick<CronTime, "at" | "note"> {
	readonly state: Exclude<CronTime["state"], "begun"> | JobRun["state"] | "waiting" | "running" | "begun";
	/** Of one that ran. */
	readonly durationMs?: number;
	readonly sessionId?: string;
	/** The answer, or why it failed. */
	readonly text?: string;
}

/** The engine's session in which a job's runs follow one another. */
export const sessionOfJob = (name: string): string => `cron/${encodeURIComponent(name)}`;

/** The newest first. @throws StoreError */
export async function historyOf({ name }: CronJob, store: CronStore, sessions: Pick<SessionEngine, "read">, limit: number): Promise<readonly CronRun[]> {
	const snapshot = await sessions.read(sessionOfJob(name));
	const runs = new Map(((snapshot?.state["runs"] ?? []) as readonly JobRun[]).map((run) => [run.id, run]));
	return store.times(name, limit).map(({ id, at, state, note }) => {
		const run = runs.get(id);
		if (run !== undefined) return { at, state: run.state, durationMs: run.durationMs, text: run.text, ...(run.sessionId !== undefined && { sessionId: run.sessionId }) };
		if (state !== "begun" || (snapshot?.waiting ?? 0) === 0) return { at, state, ...(note !== undefined && { note }) };
		return { at, state: snapshot?.current?.id === id ? "running" : "waiting" };
	});
}
