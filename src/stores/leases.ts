// One process runs a session at a time: it holds the session's lease.

/** Who holds a lease. */
export interface Holder {
	readonly pid: number;
	/** The name of its machine. */
	readonly host: string;
	/** Milliseconds since the epoch. */
	readonly since: number;
}

export interface Lease {
	readonly sessionId: string;
	/**
	 * Aborted, with a SessionInUseError as its reason, when another process took the lease because this one did not answer (a machine that
	 * slept, a stopped process). What was running must stop: its view of the session is old. `append` refuses from then on.
	 */
	readonly lost: AbortSignal;
	/** Lets others have it. Calling it again does nothing, and it never throws. */
	release(): void;
	[Symbol.dispose](): void;
}

export interface Leases {
	/**
	 * A lease counts as free when its process is gone from this machine or gave no sign of life for 30 seconds.
	 * @throws SessionInUseError when it is held, also by this process.
	 */
	acquire(sessionId: string): Lease;
}

/** How often a holder says that it lives, in ms. */
export const heartbeatMs = 10_000;
/** After this long without a sign of life, in ms, a lease is free. */
export const staleAfterMs = 30_000;

/** Somebody else runs this session. */
export class SessionInUseError extends Error {
	override readonly name = "SessionInUseError";
	readonly sessionId: string;
	readonly holder: Holder;

	constructor(sessionId: string, holder: Holder, why: "held" | "taken") {
		const since = `${new Date(holder.since).toISOString().slice(0, 19).replace("T", " ")} UTC`;
		const who = `process ${holder.pid} on ${holder.host}`;
		super(
			why === "held"
				? `Session ${sessionId} is in use by ${who} since ${since}. End it there first, or start a new session.`
				: `Session ${sessionId} was taken over by ${who} at ${since}, because this process gave no sign of life for ${staleAfterMs / 1000} seconds. Resume it when it is free again, or start a new session.`,
		);
		this.sessionId = sessionId;
		this.holder = holder;
	}
}
