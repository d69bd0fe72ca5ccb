// The trace as rows. Records wait in memory and are written many at a time, outside the path of the dispatch.
import type { EventName } from "../../events/payloads/all.ts";
import type { DispatchRecord, HookSet } from "../../events/record.ts";
import { StoreError, type StoreOptions } from "../store.ts";
import { defaultMaxRecords, type TraceFilter, type Traces } from "../trace.ts";
import { busyTimeoutMs, type Database } from "./database.ts";
import { recentQuery } from "./trace-query.ts";

const batchSize = 100;
/** Records that are fewer than a batch are written after this long, in ms. */
const batchDelayMs = 250;
/** How many records wait at most while the database does not take them; the oldest are dropped. */
export const maxQueued = 10_000;
/** After a failure, in ms: a full disk does not empty in a moment. */
const retryDelayMs = 2000;
/** A background write waits this long, in ms, for another process, since the event loop waits with it. */
const patienceMs = 50;
const readChunk = 200;
const pruneChunk = 250;
const pruneDelayMs = 20;

export class SqliteTraces implements Traces {
	readonly #database: Database;
	readonly #onProblem: (message: string) => void;
	readonly #maxRecords: number;
	#records: DispatchRecord[] = [];
	/** Those this process has told of: a set may have to be written again when all that referred to it was pruned meanwhile. */
	readonly #sets = new Map<string, HookSet>();
	#newSets: readonly string[] = [];
	#timer: NodeJS.Timeout | undefined;
	#soon: NodeJS.Immediate | undefined;
	#pruning: NodeJS.Timeout | undefined;
	#writtenSincePrune = Number.POSITIVE_INFINITY;
	#isFailing = false;
	#hasToldOfFailure = false;
	#isClosed = false;

	constructor(database: Database, options: StoreOptions) {
		this.#database = database;
		this.#onProblem = options.onProblem;
		this.#maxRecords = options.maxRecords ?? defaultMaxRecords;
	}

	record(record: DispatchRecord): void {
		if (this.#isClosed) return;
		this.#records.push(record);
		if (this.#records.length > maxQueued) {
			this.#records.splice(0, this.#records.length - maxQueued);
			this.#tell("they come faster than they can be written");
		}
		this.#schedule();
	}

	hookSet(set: HookSet): void {
		if (this.#isClosed) return;
		this.#sets.set(set.id, set);
		this.#newSets = [...this.#newSets, set.id];
		this.#schedule();
	}

	flush(): void {
		this.#writeAll(busyTimeoutMs);
	}

	/** Writes what it can and stops. */
	close(): void {
		this.flush();
		this.#isClosed = true;
		clearTimeout(this.#timer);
		clearTimeout(this.#pruning);
		clearImmediate(this.#soon);
	}

	recent(filter: TraceFilter = {}): readonly DispatchRecord[] {
		return this.#read(filter).map(({ json }) => JSON.parse(json) as DispatchRecord);
	}

	*ofSession(sessionId: string, events: readonly EventName[]): Generator<DispatchRecord> {
		this.#writeAll(patienceMs);
		const sql = "SELECT n, json FROM dispatches WHERE session_id = ? AND n > ? AND event IN (SELECT value FROM json_each(?)) ORDER BY n LIMIT ?";
		for (let last = 0; ; ) {
			const rows = this.#database.all<{ n: number; json: string }>(sql, sessionId, last, JSON.stringify(events), readChunk);
			for (const row of rows) yield JSON.parse(row.json) as DispatchRecord;
			if (rows.length < readChunk) return;
			last = rows.at(-1)!.n;
		}
	}

	lastOf(events: EventName | readonly EventName[]): DispatchRecord | undefined {
		const last = [events].flat().flatMap((event) => this.#read({ event, limit: 1 }));
		const newest = last.sort((a, b) => b.n - a.n)[0];
		return newest && (JSON.parse(newest.json) as DispatchRecord);
	}

	findHookSet(id: string): HookSet | undefined {
		this.#writeAll(patienceMs);
		const row = this.#database.get<{ json: string }>("SELECT json FROM hook_sets WHERE id = ?", id);
		return row && (JSON.parse(row.json) as HookSet);
	}

	#read(filter: TraceFilter): readonly { readonly n: number; readonly json: string }[] {
		this.#writeAll(patienceMs);
		const { sql, values } = recentQuery(filter);
		return this.#database.all(sql, ...values);
	}

	/** Until nothing is left, or the database takes no more. */
	#writeAll(patience: number): void {
		while (!this.#isClosed && this.#isWaiting() && this.#write(patience));
	}

	#isWaiting(): boolean {
		return this.#records.length > 0 || this.#newSets.length > 0;
	}

	/** All timers let the process end; `close` writes the rest. */
	#schedule(): void {
		if (this.#records.length >= batchSize && !this.#isFailing) this.#soon ??= setImmediate(() => this.#writeSoon()).unref();
		else this.#timer ??= setTimeout(() => this.#writeSoon(), this.#isFailing ? retryDelayMs : batchDelayMs).unref();
	}

	#writeSoon(): void {
		clearTimeout(this.#timer);
		clearImmediate(this.#soon);
		this.#timer = this.#soon = undefined;
		// One batch at a time: what else waits for the event loop gets its turn in between.
		if (!this.#isClosed && this.#isWaiting()) this.#write(patienceMs);
		if (!this.#isClosed && this.#isWaiting()) this.#schedule();
	}

	/** Writes one batch. False when the database did not take it; it then stays in the queue. */
	#write(patience: number): boolean {
		const batch = this.#records.slice(0, batchSize);
		const newSets = this.#newSets;
		try {
			this.#database.withPatience(patience, () => this.#database.transaction(() => this.#insert(batch, newSets)));
		} catch (error) {
			this.#isFailing = true;
			// Somebody else writing at this moment is no trouble, as long as it ends before the queue is full.
			if (patience === busyTimeoutMs || !isLocked(error)) this.#tell(error instanceof Error ? error.message : String(error));
			return false;
		}
		this.#isFailing = false;
		this.#records = this.#records.slice(batch.length);
		this.#newSets = this.#newSets.slice(newSets.length);
		this.#writtenSincePrune += batch.length;
		if (this.#writtenSincePrune >= Math.min(1000, this.#maxRecords / 10)) this.#schedulePrune();
		return true;
	}

	#insert(batch: readonly DispatchRecord[], newSets: readonly string[]): void {
		const usedSets = new Set(newSets);
		const ran = new Map<string, { readonly hook: string; readonly event: EventName; readonly rows: number[] }>();
		for (const record of batch) {
			const json = this.#jsonOf(record);
			if (json === undefined) continue;
			const { sessionId } = record.facts;
			const values = [record.event, typeof sessionId === "string" ? sessionId : null, record.at, json];
			const { rowId } = this.#database.run("INSERT INTO dispatches (event, session_id, at, json) VALUES (?, ?, ?, ?)", ...values);
			usedSets.add(record.hookSet);
			for (const { hook } of record.hooks) {
				const key = `${record.event} ${hook}`;
				let entry = ran.get(key);
				if (!entry) ran.set(key, (entry = { hook, event: record.event, rows: [] }));
				// A hook that was asked twice in one dispatch has one row.
				if (entry.rows.at(-1) !== rowId) entry.rows.push(rowId);
			}
		}
		// One statement per hook, not per row: it is the calls that cost.
		for (const { hook, event, rows } of ran.values()) {
			this.#database.run("INSERT INTO dispatch_hooks (hook, n, event) SELECT ?, value, ? FROM json_each(?)", hook, event, JSON.stringify(rows));
		}
		for (const id of usedSets) this.#keepSet(id);
	}

	#keepSet(id: string): void {
		const now = Date.now();
		if (this.#database.run("UPDATE hook_sets SET last_used_at = ? WHERE id = ?", now, id).changes > 0) return;
		const set = this.#sets.get(id);
		const json = set && this.#jsonOf(set);
		if (json !== undefined) this.#database.run("INSERT INTO hook_sets (id, last_used_at, json) VALUES (?, ?, ?)", id, now, json);
	}

	/** A record that is no plain data is left out; it must not hold up those behind it. */
	#jsonOf(entry: DispatchRecord | HookSet): string | undefined {
		try {
			return JSON.stringify(entry);
		} catch (error) {
			this.#tell(`${entry.id} is no plain data (${error instanceof Error ? error.message.split("\n")[0] : String(error)})`);
			return undefined;
		}
	}

	/** Once in the life of a store: a full disk would fill the screen as well. */
	#tell(why: string): void {
		if (this.#hasToldOfFailure) return;
		this.#hasToldOfFailure = true;
		this.#onProblem(`Trace records could not be written, and some may be lost: ${why.replace(/\.$/, "")}. The agent goes on; this is told once.`);
	}

	#schedulePrune(): void {
		this.#pruning ??= setTimeout(() => {
			this.#pruning = undefined;
			if (!this.#isClosed) this.#prune();
		}, pruneDelayMs).unref();
	}

	/** Rows come at the new end and go from the old one, so the two ends tell how many there are; the gaps of deleted sessions count as well. */
	#prune(): void {
		try {
			this.#database.withPatience(patienceMs, () => {
				const ends = this.#database.get<{ first: number | null; last: number | null }>("SELECT (SELECT min(n) FROM dispatches) AS first, (SELECT max(n) FROM dispatches) AS last");
				const first = ends?.first ?? 0;
				const excess = (ends?.last ?? 0) - first + 1 - this.#maxRecords;
				this.#writtenSincePrune = 0;
				if (excess <= 0) return;
				this.#deleteBefore(first + Math.min(excess, pruneChunk));
				if (excess > pruneChunk) this.#schedulePrune();
			});
		} catch {
			// It is tried again after the next records; writing them tells what is wrong.
		}
	}

	#deleteBefore(n: number): void {
		this.#database.transaction(() => {
			this.#database.run(
				"DELETE FROM dispatch_hooks WHERE (hook, n) IN (SELECT json_extract(h.value, '$.hook'), d.n FROM dispatches d, json_each(d.json, '$.hooks') h WHERE d.n < ?)",
				n,
			);
			this.#database.run("DELETE FROM dispatches WHERE n < ?", n);
			this.#database.run("DELETE FROM hook_sets WHERE last_used_at < (SELECT at FROM dispatches WHERE n = ?)", n);
		});
	}
}

const isLocked = (error: unknown): boolean => error instanceof StoreError && error.problem === "locked";
