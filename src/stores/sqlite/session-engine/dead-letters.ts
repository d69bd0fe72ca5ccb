// Messages that were given up: looked at, and put back or forgotten by a person.
import type { DeadLetter, Settlement } from "../../session-engine.ts";
import { StoreError } from "../../store.ts";
import type { Database } from "../database.ts";
import { type InboxRow, journalOf, lineUp, messageOf } from "./rows.ts";
import { jsonOf } from "./values.ts";

export function listDeadLetters(database: Database, after: number, limit: number): readonly DeadLetter[] {
	const rows = database.all<InboxRow>("SELECT * FROM inbox WHERE state = 'dead' AND n > ? ORDER BY n LIMIT ?", after, limit);
	return rows.map((row) => ({
		number: row.n,
		session: row.session,
		message: messageOf(row),
		attempts: row.attempts,
		why: row.why ?? "",
		indeterminate: openSteps(database, row.n),
	}));
}

/** Inside the caller's transaction. @throws StoreError `bad-value` when `settled` names a step that is not open */
export function requeue(database: Database, session: string, id: string, settled: Readonly<Record<string, Settlement>>): boolean {
	const row = database.get<{ n: number }>("SELECT n FROM inbox WHERE session = ? AND id = ? AND state = 'dead'", session, id);
	if (!row) return false;
	const open = openSteps(database, row.n);
	for (const [step, settlement] of Object.entries(settled)) {
		if (!open.includes(step)) {
			const which = open.length === 0 ? "it has none" : `they are ${open.map((one) => `'${one}'`).join(", ")}`;
			throw new StoreError("bad-value", `Message ${id} of session ${session} has no indeterminate step '${step}'; ${which}.`);
		}
		if (settlement === "run again") database.run("DELETE FROM journal WHERE n = ? AND step = ?", row.n, step);
		else database.run("UPDATE journal SET outcome = 'result', json = ? WHERE n = ? AND step = ?", settlement.result === undefined ? null : jsonOf(`The result of step '${step}'`, settlement.result), row.n, step);
	}
	database.run("UPDATE inbox SET state = 'waiting', due_at = NULL, attempts = 0, failures = 0, settled_at = NULL WHERE n = ?", row.n);
	database.run("UPDATE served_sessions SET waiting = waiting + 1 WHERE id = ?", session);
	lineUp(database, session);
	return true;
}

/** Inside the caller's transaction. */
export function discard(database: Database, session: string, id: string): boolean {
	const row = database.get<{ n: number }>("UPDATE inbox SET state = 'handled', body = NULL, why = NULL, settled_at = ? WHERE session = ? AND id = ? AND state = 'dead' RETURNING n", Date.now(), session, id);
	if (!row) return false;
	database.run("DELETE FROM journal WHERE n = ?", row.n);
	return true;
}

const openSteps = (database: Database, n: number): readonly string[] => [...journalOf(database, n)].filter(([, { outcome }]) => outcome === null).map(([step]) => step);
