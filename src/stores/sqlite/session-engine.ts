// Durable turns on the embedded database: a connection of its own to the home's file.
import type { DeadLetter, EngineCounts, Handler, NewMessage, Outgoing, ServeOptions, SessionEngine, SessionSnapshot, Settlement } from "../session-engine.ts";
import { StoreError } from "../store.ts";
import { type Database, inMemory, openDatabase } from "./database.ts";
import { SqliteLeases } from "./leases.ts";
import { Commits } from "./session-engine/commits.ts";
import { discard, listDeadLetters, requeue } from "./session-engine/dead-letters.ts";
import { accept, countAll, lineUp } from "./session-engine/rows.ts";
import { pollMs, SqliteServing } from "./session-engine/serving.ts";
import { checked } from "./session-engine/values.ts";

export interface SqliteSessionEngineOptions {
	/** How many messages may wait in one session before `append` refuses; 10,000 when not given. */
	readonly maxWaiting?: number;
}

/** How many emitted things are read at a time. */
const readChunk = 100;

/**
 * Opens the database file, makes it when there is none. Other processes may have it open, and the agent's store too.
 * @throws StoreError when it cannot be used; an existing file is then unchanged.
 */
export function openSqliteSessionEngine(path: string, options: SqliteSessionEngineOptions = {}): SessionEngine {
	return new SqliteSessionEngine(openDatabase(path), options);
}

export class SqliteSessionEngine implements SessionEngine {
	readonly #database: Database;
	readonly #commits: Commits;
	readonly #leases: SqliteLeases;
	readonly #maxWaiting: number;
	readonly #servings = new Set<SqliteServing>();
	readonly #closing = new AbortController();
	/** Of those that read the outbox to its end; called when there may be more. */
	readonly #waiting = new Set<() => void>();
	#closed: Promise<void> | undefined;

	/** The database is this engine's alone from now on: it waits for the disk at each commit, which others need not. */
	constructor(database: Database, { maxWaiting = 10_000 }: SqliteSessionEngineOptions) {
		this.#database = database;
		if (database.path !== inMemory) database.exec("PRAGMA synchronous = FULL");
		this.#commits = new Commits(database);
		this.#leases = new SqliteLeases(database);
		this.#maxWaiting = maxWaiting;
	}

	async append(session: string, message: NewMessage): Promise<"accepted" | "duplicate"> {
		const given = checked(session, message);
		const accepted = this.#commits.write(() => accept(this.#database, given, this.#maxWaiting));
		// In the same commit, if there is room.
		for (const serving of this.#servings) serving.wake();
		return accepted;
	}

	async serve(handler: Handler, options: ServeOptions): Promise<SqliteServing> {
		const { concurrency } = options;
		if (!Number.isInteger(concurrency) || concurrency < 1) throw new StoreError("bad-value", `concurrency must be a whole number of turns, 1 or more, not ${concurrency}: nothing would ever run.`);
		const serving = new SqliteServing(
			{
				database: this.#database,
				commits: this.#commits,
				leases: this.#leases,
				onSettled: () => this.#wakeReaders(),
				onStopped: (stopped) => void this.#servings.delete(stopped),
			},
			handler,
			options,
		);
		this.#servings.add(serving);
		return serving;
	}

	async interrupt(session: string, why: string): Promise<boolean> {
		const database = this.#database;
		// At once, also when the store cannot be written: this is how a person stops something.
		for (const serving of this.#servings) serving.interrupt(session, why);
		const fence = database.get<{ fence: number }>("SELECT fence FROM served_sessions WHERE id = ?", session)?.fence;
		if (fence === undefined) return false;
		const isThere = await this.#commits.write(() => {
			// Bound to the fence: by now the session may have gone on to its next message, which nobody wants to stop.
			const row = database.get<{ current: number }>("UPDATE served_sessions SET interrupt = ? WHERE id = ? AND fence = ? AND current IS NOT NULL RETURNING current", why, session, fence);
			if (!row) return false;
			database.run("UPDATE inbox SET due_at = NULL WHERE n = ?", row.current);
			lineUp(database, session);
			return true;
		});
		for (const serving of this.#servings) serving.wake();
		return isThere;
	}

	async read(session: string): Promise<SessionSnapshot | undefined> {
		const database = this.#database;
		return database.snapshot(() => {
			const row = database.get<{ waiting: number; fence: number; id: string | null; attempts: number; running: 0 | 1 }>(
				"SELECT waiting, fence, inbox.id, attempts, owner IS NOT NULL AS running FROM served_sessions LEFT JOIN inbox ON n = current WHERE served_sessions.id = ?",
				session,
			);
			if (!row) return undefined;
			const values = database.all<{ key: string; json: string }>("SELECT key, json FROM session_values WHERE session = ? ORDER BY key", session);
			return {
				// Not by assignment, for which '__proto__' is no key.
				state: Object.fromEntries(values.map(({ key, json }) => [key, JSON.parse(json) as unknown])),
				waiting: row.waiting,
				fence: row.fence,
				...(row.id !== null && { current: { id: row.id, attempt: row.attempts, running: row.running === 1 } }),
			};
		});
	}

	async *outbox(after: number, signal: AbortSignal): AsyncGenerator<Outgoing> {
		const ended = AbortSignal.any([signal, this.#closing.signal]);
		for (let last = after; !ended.aborted; ) {
			const rows = this.#database.all<{ n: number; id: string; session: string; kind: string; body: string; at: number }>("SELECT * FROM outbox WHERE n > ? ORDER BY n LIMIT ?", last, readChunk);
			for (const { n, id, session, kind, body, at } of rows) {
				if (ended.aborted) return;
				last = n;
				yield { number: n, id, session, kind, body: JSON.parse(body) as unknown, at };
			}
			if (rows.length === 0) await this.#mayBeMore(ended);
		}
	}

	async acknowledge(...numbers: readonly number[]): Promise<void> {
		await this.#commits.write(() => {
			for (const number of numbers) this.#database.run("DELETE FROM outbox WHERE n = ?", number);
		});
	}

	async deadLetters({ after = 0, limit = 100 }: { readonly after?: number; readonly limit?: number } = {}): Promise<readonly DeadLetter[]> {
		return this.#database.snapshot(() => listDeadLetters(this.#database, after, limit));
	}

	async requeue(session: string, id: string, settled: Readonly<Record<string, Settlement>> = {}): Promise<boolean> {
		const wasThere = await this.#commits.write(() => requeue(this.#database, session, id, settled));
		for (const serving of this.#servings) serving.wake();
		return wasThere;
	}

	async discard(session: string, id: string): Promise<boolean> {
		return this.#commits.write(() => discard(this.#database, session, id));
	}

	async counts(): Promise<EngineCounts> {
		return this.#database.snapshot(() => countAll(this.#database));
	}

	close(): Promise<void> {
		this.#closed ??= this.#close();
		return this.#closed;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}

	async #close(): Promise<void> {
		this.#closing.abort();
		await Promise.all([...this.#servings].map((serving) => serving.stop(0)));
		this.#commits.flush();
		this.#database.close();
	}

	#wakeReaders(): void {
		for (const wake of this.#waiting) wake();
	}

	/** Resolves when a turn was settled here, or it is time to look what other processes did. */
	#mayBeMore(ended: AbortSignal): Promise<void> {
		return new Promise((resolve) => {
			const done = () => {
				clearTimeout(timer);
				this.#waiting.delete(done);
				ended.removeEventListener("abort", done);
				resolve();
			};
			const timer = setTimeout(done, pollMs);
			this.#waiting.add(done);
			ended.addEventListener("abort", done);
		});
	}
}
