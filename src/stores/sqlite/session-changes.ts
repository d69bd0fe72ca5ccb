// Sessions made from another one, and sessions that go. Both run inside the caller's transaction.
import { stateOfSession } from "../state.ts";
import { StoreError } from "../store.ts";
import type { Database } from "./database.ts";
import { dropImages, forgetImages, shareImages } from "./images.ts";

/** What the user said; a summary is nobody's word. */
const ofUser = "role = 'user' AND json_extract(json, '$.summarises') IS NULL";

/** @throws StoreError `bad-value` when the session cannot be cut there. */
export function forkSession(database: Database, from: string, id: string, given: number | undefined): void {
	const { total } = database.get<{ total: number }>("SELECT messages AS total FROM sessions WHERE id = ?", from)!;
	const count = given ?? total;
	if (total === 0) throw new StoreError("bad-value", `Session ${from} has no message yet, so there is nothing to fork.`);
	if (!Number.isInteger(count) || count < 1 || count > total) throw new StoreError("bad-value", `Session ${from} has messages 1 to ${total}; it cannot be forked at ${count}.`);
	refuseInsideCall(database, from, count);
	const now = Date.now();
	const kept = database.get<{ turns: number }>(`SELECT count(*) AS turns FROM messages WHERE session_id = ? AND seq <= ? AND ${ofUser}`, from, count);
	database.run(
		`INSERT INTO sessions (id, cwd, model, surface, started_at, updated_at, turns, messages, title, name, forked_from, forked_at)
		SELECT ?, cwd, model, surface, ?, ?, ?, ?, title, name, id, ? FROM sessions WHERE id = ?`,
		...[id, now, now, kept?.turns ?? 0, count, count, from],
	);
	database.run("INSERT INTO session_texts (session_id, system_prompt, tools) SELECT ?, system_prompt, tools FROM session_texts WHERE session_id = ?", id, from);
	for (const [table, columns] of [["state", "key, json, bytes"], ["state_sizes", "bytes"]] as const) {
		database.run(`INSERT INTO ${table} (extension, ${columns}) SELECT ?, ${columns} FROM ${table} WHERE extension = ?`, stateOfSession(id), stateOfSession(from));
	}
	// With their times: what hooks did to a call is found by them.
	database.run("INSERT INTO messages (session_id, seq, at, role, json) SELECT ?, seq, at, role, json FROM messages WHERE session_id = ? AND seq <= ? ORDER BY seq", id, from, count);
	shareImages(database, from, id);
}

/** A call without its result would look as if the program had ended while it ran. */
function refuseInsideCall(database: Database, from: string, count: number): void {
	const roleAt = (seq: number) => database.get<{ role: string }>("SELECT role FROM messages WHERE session_id = ? AND seq = ?", from, seq)?.role;
	if (roleAt(count + 1) !== "tool") return;
	const one = "SELECT seq FROM messages WHERE session_id = ? AND role <> 'tool' AND seq";
	const call = database.get<{ seq: number }>(`${one} <= ? ORDER BY seq DESC LIMIT 1`, from, count)?.seq ?? 0;
	const next = database.get<{ seq: number }>(`${one} > ? ORDER BY seq LIMIT 1`, from, count)?.seq;
	const total = database.get<{ total: number }>("SELECT messages AS total FROM sessions WHERE id = ?", from)!.total;
	const before = call > 1 ? `${call - 1} or ` : "";
	throw new StoreError("bad-value", `Message ${count} of session ${from} stands between a tool call and its results. Fork at ${before}${next === undefined ? total : next - 1}.`);
}

/** False when there is no such session. */
export function dropLastMessages(database: Database, id: string, count: number): boolean {
	const session = database.get<{ messages: number }>("SELECT messages FROM sessions WHERE id = ?", id);
	if (!session) return false;
	const kept = Math.max(0, session.messages - count);
	database.run("DELETE FROM message_words WHERE rowid IN (SELECT n FROM messages WHERE session_id = ? AND seq > ? AND n <= (SELECT up_to FROM words_indexed))", id, kept);
	database.run("DELETE FROM messages WHERE session_id = ? AND seq > ?", id, kept);
	forgetNumbers(database);
	dropImages(database, id);
	const users = database.get<{ turns: number }>(`SELECT count(*) AS turns FROM messages WHERE session_id = ? AND ${ofUser}`, id);
	const turns = users?.turns ?? 0;
	database.run("UPDATE sessions SET messages = ?, turns = ?, title = iif(? = 0, NULL, title) WHERE id = ?", kept, turns, turns, id);
	return true;
}

/** SQLite gives the numbers of deleted rows at the end again; they would count as indexed. */
function forgetNumbers(database: Database): void {
	database.run("UPDATE words_indexed SET up_to = min(up_to, coalesce((SELECT max(n) FROM messages), 0))");
}

/** The session and those it delegated to, and they in turn; empty when there is no such session. */
export function familyOf(database: Database, id: string): readonly string[] {
	const rows = database.all<{ id: string }>(
		"WITH RECURSIVE family (id) AS (SELECT id FROM sessions WHERE id = ? UNION SELECT s.id FROM sessions s JOIN family f ON s.parent_id = f.id) SELECT id FROM family",
		id,
	);
	return rows.map((row) => row.id);
}

export function deleteSessions(database: Database, ids: readonly string[]): void {
	for (const id of ids) {
		database.run("DELETE FROM message_words WHERE rowid IN (SELECT n FROM messages WHERE session_id = ? AND n <= (SELECT up_to FROM words_indexed))", id);
		database.run(
			"DELETE FROM dispatch_hooks WHERE (hook, n) IN (SELECT json_extract(h.value, '$.hook'), d.n FROM dispatches d, json_each(d.json, '$.hooks') h WHERE d.session_id = ?)",
			id,
		);
		database.run("DELETE FROM dispatches WHERE session_id = ?", id);
		for (const table of ["state", "state_sizes"]) database.run(`DELETE FROM ${table} WHERE extension = ?`, stateOfSession(id));
		database.run("DELETE FROM leases WHERE session_id = ?", id);
		// Its messages and texts go with it.
		database.run("DELETE FROM sessions WHERE id = ?", id);
	}
	forgetNumbers(database);
	forgetImages(database);
}
