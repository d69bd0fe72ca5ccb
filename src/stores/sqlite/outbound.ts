// Deliveries to webhooks as rows, through a connection of its own to the home's file.
import type { Leases } from "../leases.ts";
import { type DeadDelivery, type Delivery, mostDead, mostWaiting, type NewDelivery, type OutboundStore, type TargetState } from "../outbound.ts";
import { type Database, inMemory, openDatabase } from "./database.ts";
import { SqliteLeases } from "./leases.ts";

/** Longer pauses are not made: a time beyond is one of a clock that was set back. */
const longestPauseMs = 86_400_000;

interface DeliveryRow extends NewDelivery {
	readonly n: number;
	readonly tries: number;
}

/**
 * Opens the database file, makes it when there is none; without one it is in memory.
 * @throws StoreError when it cannot be used; an existing file is then unchanged.
 */
export function openSqliteOutboundStore(path: string | undefined): OutboundStore {
	return new SqliteOutboundStore(openDatabase(path ?? inMemory));
}

class SqliteOutboundStore implements OutboundStore {
	readonly #database: Database;
	readonly #leases: SqliteLeases;

	constructor(database: Database) {
		this.#database = database;
		this.#leases = new SqliteLeases(database);
	}

	get leases(): Leases {
		return this.#leases;
	}

	add(deliveries: readonly NewDelivery[], patienceMs: number): ReadonlyMap<string, number> {
		const database = this.#database;
		const forgotten = new Map<string, number>();
		// Tidying the log up waits for the disk (20 ms): whoever writes next can do that.
		database.exec("PRAGMA wal_autocheckpoint = 0");
		try {
			database.withPatience(patienceMs, () => database.transaction(() => deliveries.forEach((delivery) => this.#add(delivery, forgotten))));
		} finally {
			database.exec("PRAGMA wal_autocheckpoint = 1000");
		}
		return forgotten;
	}

	next(target: string, now: number): Delivery | undefined {
		const state = this.#database.get<{ failures: number; next_at: number }>("SELECT failures, next_at FROM outbound_targets WHERE target = ? AND waiting > 0", target);
		if (state === undefined || (state.next_at > now && state.next_at <= now + longestPauseMs)) return undefined;
		const row = this.#database.get<DeliveryRow>("SELECT id, target, event, body, at, tries FROM outbound_deliveries WHERE target = ? AND dead = 0 ORDER BY n LIMIT 1", target);
		return row && { ...row, failures: state.failures };
	}

	taken(id: string): void {
		this.#settle(id, (target) => {
			this.#database.run("DELETE FROM outbound_deliveries WHERE id = ?", id);
			this.#leave(target, 1);
			this.#answers(target);
		});
	}

	refused(id: string, why: string): void {
		this.#settle(id, (target) => {
			this.#database.run("UPDATE outbound_deliveries SET dead = 1, tries = tries + 1, why = ? WHERE id = ?", why, id);
			this.#leave(target, 1);
			this.#answers(target);
			this.#forgetDead(target);
		});
	}

	failed(id: string, why: string, nextAt: number, givenUpBefore: number): number {
		let givenUp = 0;
		this.#settle(id, (target) => {
			this.#database.run("UPDATE outbound_deliveries SET tries = tries + 1, why = ? WHERE id = ?", why, id);
			this.#database.run("UPDATE outbound_targets SET failures = failures + 1, next_at = ? WHERE target = ?", nextAt, target);
			givenUp = this.#giveUp(target, givenUpBefore, why);
		});
		return givenUp;
	}

	giveUpOthers(targets: readonly string[], before: number, why: string): number {
		return this.#database.transaction(() => {
			const others = this.#database.all<{ target: string }>("SELECT target FROM outbound_targets WHERE waiting > 0 AND target NOT IN (SELECT value FROM json_each(?))", JSON.stringify(targets));
			return others.reduce((sum, { target }) => sum + this.#giveUp(target, before, why), 0);
		});
	}

	targets(): readonly TargetState[] {
		const rows = this.#database.all<Omit<TargetState, "nextAt" | "why"> & { readonly next_at: number; readonly why: string | null }>(
			`SELECT target, waiting, failures, next_at, (SELECT count(*) FROM outbound_deliveries d WHERE d.target = t.target AND dead = 1) AS dead,
			(SELECT why FROM outbound_deliveries d WHERE d.target = t.target AND dead = 0 ORDER BY n LIMIT 1) AS why FROM outbound_targets t ORDER BY target`,
		);
		return rows.map(({ next_at: nextAt, why, ...row }) => ({ ...row, nextAt, ...(why !== null && { why }) }));
	}

	dead(): readonly DeadDelivery[] {
		return this.#database.all<DeadDelivery>("SELECT id, target, event, at, tries, why FROM outbound_deliveries WHERE dead = 1 ORDER BY n");
	}

	retry(id: string, now: number): boolean {
		return this.#database.transaction(() => {
			const row = this.#database.get<{ target: string }>("UPDATE outbound_deliveries SET dead = 0, since = ? WHERE id = ? AND dead = 1 RETURNING target", now, id);
			if (row !== undefined) this.#database.run("UPDATE outbound_targets SET waiting = waiting + 1, next_at = 0 WHERE target = ?", row.target);
			return row !== undefined;
		});
	}

	drop(id: string): boolean {
		return this.#database.run("DELETE FROM outbound_deliveries WHERE id = ? AND dead = 1", id).changes > 0;
	}

	[Symbol.dispose](): void {
		this.#leases.releaseAll();
		this.#database.close();
	}

	#add({ id, target, event, body, at }: NewDelivery, forgotten: Map<string, number>): void {
		const database = this.#database;
		if (database.run("INSERT OR IGNORE INTO outbound_deliveries (id, target, event, body, at, since) VALUES (?, ?, ?, ?, ?, ?)", id, target, event, body, at, at).changes === 0) return;
		const { waiting } = database.get<{ waiting: number }>("INSERT INTO outbound_targets (target, waiting) VALUES (?, 1) ON CONFLICT (target) DO UPDATE SET waiting = waiting + 1 RETURNING waiting", target)!;
		if (waiting <= mostWaiting) return;
		this.#leave(target, database.run("DELETE FROM outbound_deliveries WHERE n IN (SELECT n FROM outbound_deliveries WHERE target = ? AND dead = 0 ORDER BY n LIMIT ?)", target, waiting - mostWaiting).changes);
		forgotten.set(target, (forgotten.get(target) ?? 0) + waiting - mostWaiting);
	}

	/** Does nothing for one that no longer waits: it was forgotten meanwhile. */
	#settle(id: string, work: (target: string) => void): void {
		this.#database.transaction(() => {
			const row = this.#database.get<{ target: string }>("SELECT target FROM outbound_deliveries WHERE id = ? AND dead = 0", id);
			if (row !== undefined) work(row.target);
		});
	}

	#leave(target: string, count: number): void {
		this.#database.run("UPDATE outbound_targets SET waiting = waiting - ? WHERE target = ?", count, target);
	}

	#answers(target: string): void {
		this.#database.run("UPDATE outbound_targets SET failures = 0, next_at = 0 WHERE target = ? AND failures > 0", target);
	}

	#giveUp(target: string, before: number, why: string): number {
		const { changes } = this.#database.run("UPDATE outbound_deliveries SET dead = 1, why = ? WHERE target = ? AND dead = 0 AND since < ?", why, target, before);
		if (changes > 0) {
			this.#leave(target, changes);
			this.#forgetDead(target);
		}
		return changes;
	}

	#forgetDead(target: string): void {
		this.#database.run("DELETE FROM outbound_deliveries WHERE target = ?1 AND dead = 1 AND n <= (SELECT n FROM outbound_deliveries WHERE target = ?1 AND dead = 1 ORDER BY n DESC LIMIT 1 OFFSET ?2)", target, mostDead);
	}
}
