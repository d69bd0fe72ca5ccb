// What is kept beyond a turn, behind one interface, so that another database can take the place of the embedded one.
import type { Leases } from "./leases.ts";
import type { Sessions } from "./sessions.ts";
import type { States } from "./state.ts";
import type { Traces } from "./trace.ts";

export interface Store {
	/** Whether anything is left of it when the process ends. */
	readonly durable: boolean;
	/** The file, or `memory`. */
	readonly location: string;
	readonly sessions: Sessions;
	readonly leases: Leases;
	readonly trace: Traces;
	readonly state: States;
	/** Writes what is queued, releases the leases, closes. Calling it again does nothing. */
	close(): void;
	[Symbol.dispose](): void;
}

export interface StoreOptions {
	/** Told in one sentence, for the person, of what goes wrong where nobody waits for an answer. */
	readonly onProblem: (message: string) => void;
	/** How many dispatches the trace keeps; the oldest go first. 1,000,000 when not given. */
	readonly maxRecords?: number;
}

/** Why a store refused; the caller decides by it, the message is for the person. */
export type StoreProblem =
	| "full"
	| "read-only"
	| "locked"
	/** Not a database, or one with broken pages. */
	| "damaged"
	/** Written by a later Hookline than this one, or by another program. */
	| "foreign"
	| "unreadable"
	| "closed"
	| "unknown-session"
	| "session-exists"
	| "ambiguous"
	| "bad-value"
	| "over-quota";

/** A store could not do what was asked. The message says what happened, to which file or extension, and what to do. */
export class StoreError extends Error {
	override readonly name = "StoreError";
	readonly problem: StoreProblem;

	constructor(problem: StoreProblem, message: string, cause?: unknown) {
		super(message, { cause });
		this.problem = problem;
	}
}
