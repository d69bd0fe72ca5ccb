// Leases as rows: who runs which session, and when it was last heard of.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Holder, heartbeatMs, type Lease, type Leases, SessionInUseError, staleAfterMs } from "../leases.ts";
import type { Database } from "./database.ts";

/** A lease row, and of the columns joined to a session. */
export interface LeaseRow {
	readonly pid: number;
	readonly host: string;
	readonly token: string;
	readonly since: number;
	readonly heartbeat_at: number;
}

/**
 * The tokens this process holds, through whichever store. A row with our process id and another token is left over from an earlier
 * process with the same id: in a container it is always the same one.
 */
const tokensOfThisProcess = new Set<string>();

export class SqliteLeases implements Leases {
	readonly #database: Database;
	readonly #held = new Map<string, SqliteLease>();

	constructor(database: Database) {
		this.#database = database;
	}

	acquire(sessionId: string): Lease {
		const now = Date.now();
		const token = randomUUID();
		this.#database.transaction(() => {
			refuseIfHeld(sessionId, rowOf(this.#database, sessionId));
			const values = [sessionId, process.pid, hostname(), token, now, now];
			this.#database.run("INSERT OR REPLACE INTO leases (session_id, pid, host, token, since, heartbeat_at) VALUES (?, ?, ?, ?, ?, ?)", ...values);
		});
		const lease = new SqliteLease(this.#database, sessionId, token, () => {
			if (this.#held.get(sessionId) === lease) this.#held.delete(sessionId);
		});
		this.#held.set(sessionId, lease);
		return lease;
	}

	/**
	 * Called inside the transaction that is about to write to the session, so that nothing can change in between.
	 * @throws SessionInUseError when another process holds it, or took it from us.
	 */
	check(sessionId: string): void {
		const row = rowOf(this.#database, sessionId);
		const mine = this.#held.get(sessionId);
		// Once taken, it stays lost until it is acquired again: the one who took it may have gone on with the session and ended.
		if (mine) mine.check(row);
		else refuseIfHeld(sessionId, row);
	}

	/**
	 * Called inside the transaction that is about to delete the session.
	 * @throws SessionInUseError when anybody holds it, this process included.
	 */
	checkFree(sessionId: string): void {
		refuseIfHeld(sessionId, rowOf(this.#database, sessionId));
	}

	releaseAll(): void {
		for (const lease of this.#held.values()) lease.release();
	}
}

class SqliteLease implements Lease {
	readonly sessionId: string;
	readonly #database: Database;
	readonly #token: string;
	readonly #onRelease: () => void;
	readonly #lost = new AbortController();
	readonly #timer: NodeJS.Timeout;
	#released = false;

	constructor(database: Database, sessionId: string, token: string, onRelease: () => void) {
		this.#database = database;
		this.sessionId = sessionId;
		this.#token = token;
		this.#onRelease = onRelease;
		tokensOfThisProcess.add(token);
		this.#timer = setInterval(() => this.#beat(), heartbeatMs).unref();
	}

	get lost(): AbortSignal {
		return this.#lost.signal;
	}

	/** @throws SessionInUseError unless this row, the session's, is ours. */
	check(row: LeaseRow | undefined): void {
		if (row?.token !== this.#token) this.#lose(row);
		this.#lost.signal.throwIfAborted();
	}

	release(): void {
		if (this.#released) return;
		this.#released = true;
		this.#end();
		this.#onRelease();
		try {
			this.#database.run("DELETE FROM leases WHERE session_id = ? AND token = ?", this.sessionId, this.#token);
		} catch {
			// A full disk or a closed database: the row frees itself when this process ends.
		}
	}

	[Symbol.dispose](): void {
		this.release();
	}

	#beat(): void {
		try {
			const { changes } = this.#database.run("UPDATE leases SET heartbeat_at = ? WHERE session_id = ? AND token = ?", Date.now(), this.sessionId, this.#token);
			if (changes === 0) this.#lose(rowOf(this.#database, this.sessionId));
		} catch {
			// Not written this time. Should somebody take the session meanwhile, `check` finds out before anything is appended.
		}
	}

	#lose(row: LeaseRow | undefined): void {
		this.#end();
		const holder = row ? holderOf(row) : { pid: process.pid, host: hostname(), since: Date.now() };
		if (!this.#lost.signal.aborted) this.#lost.abort(new SessionInUseError(this.sessionId, holder, "taken"));
	}

	#end(): void {
		clearInterval(this.#timer);
		tokensOfThisProcess.delete(this.#token);
	}
}

function rowOf(database: Database, sessionId: string): LeaseRow | undefined {
	return database.get<LeaseRow>("SELECT pid, host, token, since, heartbeat_at FROM leases WHERE session_id = ?", sessionId);
}

function refuseIfHeld(sessionId: string, row: LeaseRow | undefined): void {
	if (row && isLive(row)) throw new SessionInUseError(sessionId, holderOf(row), "held");
}

/** Whether the row's process still runs the session, as far as can be known from here. */
export function isLive(row: LeaseRow): boolean {
	// A clock that was set back makes a sign of life come from the future; without the absolute value it would count for ever.
	if (Math.abs(Date.now() - row.heartbeat_at) > staleAfterMs) return false;
	if (row.host !== hostname()) return true;
	return row.pid === process.pid ? tokensOfThisProcess.has(row.token) : isRunning(row.pid);
}

export const holderOf = (row: LeaseRow): Holder => ({ pid: row.pid, host: row.host, since: row.since });

function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		// EPERM: it runs, as another user.
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}
