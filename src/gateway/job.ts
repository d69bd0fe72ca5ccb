// Work that no message began: a cron job whose time has come, a request of another program.
import type { Surface } from "../events/payloads/facts.ts";
import type { Target } from "./target.ts";

export interface Job {
	/** The engine's session it runs in: one at a time, in the order in which they were begun. `cron/…` or `hook/…`. */
	readonly session: string;
	/** Unique in its session: what is begun twice runs once. */
	readonly id: string;
	/** What the agent is to do. */
	readonly text: string;
	readonly surface: Extract<Surface, "cron" | "gateway">;
	/** Where the answer goes; nowhere when absent. An answer with `[SILENT]` in it goes nowhere either. */
	readonly to?: Target;
	/** Whether it goes on with the conversation that the last one of this session left. */
	readonly continues?: true;
}

/** How one came out; the last ones of a session are kept. */
export interface JobRun {
	readonly id: string;
	/** In ms since the epoch. */
	readonly at: number;
	readonly durationMs: number;
	/** `interrupted`: the gateway ended while it ran, and it was not run again. */
	readonly state: "done" | "failed" | "interrupted";
	/** Its conversation, where it came to one. */
	readonly sessionId?: string;
	/** The answer, or why it failed; at most 2,000 characters. */
	readonly text: string;
}
