// The queues as rows. Everything here runs inside the caller's transaction.
import type { EngineCounts, QueuedMessage } from "../../session-engine.ts";
import { TurnLostError } from "../../session-engine.ts";
import { StoreError } from "../../store.ts";
import type { Database } from "../database.ts";
import { isLive, type LeaseRow } from "../leases.ts";
import type { CheckedMessage } from "./values.ts";

/** What a step left: an intent has no outcome. */
export interface Recorded {
	readonly outcome: "result" | "error" | null;
	readonly json: string | null;
}

/** A message handed out. */
export interface Claim {
	readonly owner: string;
	readonly session: string;
	readonly fence: number;
	readonly n: number;
	readonly message: QueuedMessage;
	readonly attempt: number;
	readonly failures: number;
	readonly interrupt: string | null;
	readonly journal: Map<string, Recorded>;
}

/** How a turn ended. */
export type End =
	| { readonly handled: Staged }
	| { readonly failed: string; readonly pauseMs: number }
	| { readonly dead: string }
	/** Given back, as if this attempt had not been. */
	| "released";

/** What is committed with the turn. */
export interface Staged {
	/** JSON, or undefined to remove it. */
	readonly values: ReadonlyMap<string, string | undefined>;
	readonly emits: readonly { readonly id: string; readonly kind: string; readonly json: string }[];
	readonly sends: readonly CheckedMessage[];
}

export interface InboxRow {
	readonly n: number;
	readonly session: string;
	readonly id: string;
	readonly kind: string;
	readonly body: string;
	readonly at: number;
	readonly not_before: number | null;
	readonly attempts: number;
	readonly failures: number;
	readonly why: string | null;
}

/** Begins the session_id of the leases of those that serve. No session of a person's is called so. */
const servingPrefix = "serving ";
export const servingLease = (name: string): string => servingPrefix + name;
/** How long the ids of handled messages are remembered. */
export const rememberMs = 14 * 24 * 3600_000;
/** How many of them are forgotten in one transaction. */
const forgetAtOnce = 500;
/** How many timers are looked at in one transaction. */
const timersAtOnce = 500;

export const messageOf = (row: InboxRow): QueuedMessage => ({
	id: row.id,
	kind: row.kind,
	body: JSON.parse(row.body) as unknown,
	at: row.at,
	...(row.not_before !== null && { notBefore: row.not_before }),
});

/** @throws StoreError `over-quota` when the session has `limit` messages waiting and this would be one more */
export function accept(database: Database, { session, id, kind, json, notBefore }: CheckedMessage, limit: number): "accepted" | "duplicate" {
	const now = Date.now();
	const waiting = database.get<{ waiting: number }>("SELECT waiting FROM served_sessions WHERE id = ?", session)?.waiting ?? 0;
	if (waiting >= limit && !database.get("SELECT 1 FROM inbox WHERE session = ? AND id = ?", session, id)) {
		throw new StoreError("over-quota", `Session ${session} has ${waiting} messages waiting and takes no more until some are handled. Message ${id} was not accepted: send it again later.`);
	}
	const due = notBefore !== undefined && notBefore > now ? notBefore : null;
	const { changes } = database.run(
		"INSERT INTO inbox (session, id, kind, body, at, due_at, not_before) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		...[session, id, kind, json, now, due, notBefore ?? null],
	);
	if (changes === 0) return "duplicate";
	database.run("INSERT INTO served_sessions (id, waiting) VALUES (?, 1) ON CONFLICT DO UPDATE SET waiting = waiting + 1", session);
	if (due === null) lineUp(database, session);
	return "accepted";
}

/** How much there is to do; only reads. */
export function countAll(database: Database): EngineCounts {
	const count = (sql: string) => database.get<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`)?.n ?? 0;
	const running = count("served_sessions WHERE owner IS NOT NULL");
	return {
		waiting: Math.max(0, count("inbox WHERE state = 'waiting' AND due_at IS NULL") - running),
		running,
		outgoing: count("outbox"),
		deadLetters: count("inbox WHERE state = 'dead'"),
	};
}

/** Puts the session at the end of the line if it has something to do and is neither there nor in somebody's hands. */
export function lineUp(database: Database, session: string): void {
	database.run(
		`UPDATE served_sessions SET place = 1 + coalesce((SELECT place FROM served_sessions WHERE place IS NOT NULL ORDER BY place DESC LIMIT 1), 0)
		WHERE id = ? AND owner IS NULL AND place IS NULL AND CASE WHEN current IS NULL
			THEN EXISTS (SELECT 1 FROM inbox WHERE session = served_sessions.id AND state = 'waiting' AND due_at IS NULL)
			ELSE (SELECT due_at IS NULL FROM inbox WHERE n = current) END`,
		session,
	);
}

/** Whether `claim` would find something, or `tidy` something to do, for this owner; only reads. */
export function hasWork(database: Database, owner: string): boolean {
	return (
		database.get("SELECT 1 FROM served_sessions WHERE place IS NOT NULL LIMIT 1") !== undefined ||
		database.get("SELECT 1 FROM inbox WHERE state = 'waiting' AND due_at <= ? LIMIT 1", Date.now()) !== undefined ||
		deadLeases(database, owner).length > 0 ||
		orphaned(database).length > 0
	);
}

/** Timers whose time has come join the queue, and sessions of processes that are gone the line. */
export function tidy(database: Database, owner: string): void {
	const due = database.all<{ session: string }>(
		"UPDATE inbox SET due_at = NULL WHERE n IN (SELECT n FROM inbox WHERE state = 'waiting' AND due_at <= ? ORDER BY due_at LIMIT ?) RETURNING session",
		...[Date.now(), timersAtOnce],
	);
	for (const { session } of due) lineUp(database, session);
	for (const { session_id } of deadLeases(database, owner)) database.run("DELETE FROM leases WHERE session_id = ?", session_id);
	for (const { id } of orphaned(database)) {
		database.run("UPDATE served_sessions SET owner = NULL WHERE id = ?", id);
		lineUp(database, id);
	}
}

function deadLeases(database: Database, owner: string): readonly (LeaseRow & { readonly session_id: string })[] {
	const sql = "SELECT session_id, pid, host, token, since, heartbeat_at FROM leases WHERE session_id >= ? AND session_id < ? AND session_id <> ?";
	return database.all<LeaseRow & { readonly session_id: string }>(sql, servingPrefix, `${servingPrefix}\u{10FFFF}`, owner).filter((row) => !isLive(row));
}

const orphaned = (database: Database) =>
	database.all<{ id: string }>("SELECT id FROM served_sessions WHERE owner IS NOT NULL AND owner NOT IN (SELECT session_id FROM leases) LIMIT 200");

export function forgetHandled(database: Database): void {
	database.run("DELETE FROM inbox WHERE n IN (SELECT n FROM inbox WHERE state = 'handled' AND settled_at < ? LIMIT ?)", Date.now() - rememberMs, forgetAtOnce);
}

/**
 * Takes up to `count` sessions from the front of the line.
 * @throws TurnLostError when others took this owner for dead: what it claims now would be taken from it at once.
 */
export function claim(database: Database, owner: string, count: number): readonly Claim[] {
	if (!database.get("SELECT 1 FROM leases WHERE session_id = ?", owner)) throw new TurnLostError("This process gave no sign of life for so long that others took over its sessions.");
	const front = database.all<{ id: string }>("SELECT id FROM served_sessions WHERE place IS NOT NULL ORDER BY place LIMIT ?", count);
	return front.map(({ id }) => {
		const session = database.get<{ fence: number; current: number; interrupt: string | null }>(
			`UPDATE served_sessions SET owner = ?, place = NULL, fence = fence + 1, current = coalesce(current,
				(SELECT n FROM inbox WHERE session = served_sessions.id AND state = 'waiting' AND due_at IS NULL ORDER BY n LIMIT 1))
			WHERE id = ? RETURNING fence, current, interrupt`,
			...[owner, id],
		)!;
		const row = database.get<InboxRow>("UPDATE inbox SET attempts = attempts + 1 WHERE n = ? RETURNING *", session.current)!;
		return {
			owner,
			session: id,
			fence: session.fence,
			n: row.n,
			message: messageOf(row),
			attempt: row.attempts,
			failures: row.failures,
			interrupt: session.interrupt,
			journal: journalOf(database, row.n),
		};
	});
}

export function journalOf(database: Database, n: number): Map<string, Recorded> {
	const rows = database.all<Recorded & { readonly step: string }>("SELECT step, outcome, json FROM journal WHERE n = ? ORDER BY step", n);
	return new Map(rows.map(({ step, outcome, json }) => [step, { outcome, json }]));
}

/** @throws TurnLostError unless the session is still in the hands it was put into by this claim */
function checkOwned(database: Database, { session, owner, fence }: Claim): void {
	if (database.get("SELECT 1 FROM served_sessions WHERE id = ? AND owner = ? AND fence = ?", session, owner, fence)) return;
	throw new TurnLostError(`The turn of session ${session} is not this process's any more.`);
}

/** @throws TurnLostError */
export function record(database: Database, claimed: Claim, step: string, { outcome, json }: Recorded): void {
	checkOwned(database, claimed);
	database.run("INSERT OR REPLACE INTO journal (n, step, outcome, json) VALUES (?, ?, ?, ?)", claimed.n, step, outcome, json);
}

/** @throws TurnLostError */
export function settle(database: Database, claimed: Claim, end: End): void {
	checkOwned(database, claimed);
	const { session, n } = claimed;
	const now = Date.now();
	const leave = (isOver: 0 | 1) =>
		database.run(
			"UPDATE served_sessions SET owner = NULL, current = iif(?1, NULL, current), interrupt = iif(?1, NULL, interrupt), waiting = waiting - ?1 WHERE id = ?2",
			...[isOver, session],
		);
	if (end === "released") {
		database.run("UPDATE inbox SET attempts = attempts - 1 WHERE n = ?", n);
		leave(0);
	} else if ("failed" in end) {
		database.run("UPDATE inbox SET failures = failures + 1, why = ?, due_at = ? WHERE n = ?", end.failed, end.pauseMs > 0 ? Math.ceil(now + end.pauseMs) : null, n);
		leave(0);
	} else if ("dead" in end) {
		database.run("UPDATE inbox SET state = 'dead', why = ?, settled_at = ? WHERE n = ?", end.dead, now, n);
		leave(1);
	} else {
		database.run("UPDATE inbox SET state = 'handled', body = NULL, why = NULL, settled_at = ? WHERE n = ?", now, n);
		database.run("DELETE FROM journal WHERE n = ?", n);
		leave(1);
		keep(database, session, end.handled, now);
	}
	lineUp(database, session);
}

function keep(database: Database, session: string, { values, emits, sends }: Staged, now: number): void {
	for (const [key, json] of values) {
		if (json === undefined) database.run("DELETE FROM session_values WHERE session = ? AND key = ?", session, key);
		else database.run("INSERT OR REPLACE INTO session_values (session, key, json) VALUES (?, ?, ?)", session, key, json);
	}
	for (const { id, kind, json } of emits) database.run("INSERT INTO outbox (id, session, kind, body, at) VALUES (?, ?, ?, ?, ?)", id, session, kind, json, now);
	for (const message of sends) accept(database, message, Number.POSITIVE_INFINITY);
}
