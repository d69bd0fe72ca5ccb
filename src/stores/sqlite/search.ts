// Finds messages by their words. The index is brought up to date here and not when messages are added: a turn must not pay for it.
import type { SQLInputValue } from "node:sqlite";
import type { Message } from "../../events/payloads/model.ts";
import type { Found, MessageSearch } from "../sessions.ts";
import type { Database } from "./database.ts";

/** Messages indexed in one transaction; others may write in between. */
const chunk = 500;

interface FoundRow {
	readonly session_id: string;
	readonly seq: number;
	readonly at: number;
	readonly json: string;
	readonly cwd: string;
	readonly name: string | null;
	readonly title: string | null;
}

export function searchMessages(database: Database, { words, role, cwd, since, limit = 20 }: MessageSearch): readonly Found[] {
	const match = matchFor(words);
	if (match === "") return [];
	while (indexSome(database) === chunk);
	const conditions: readonly (readonly [sql: string, value: SQLInputValue | undefined])[] = [
		["m.role = ?", role],
		["s.cwd = ?", cwd],
		["m.at >= ?", since],
	];
	const given = conditions.filter(([, value]) => value !== undefined);
	const rows = database.all<FoundRow>(
		// CROSS JOIN: in this order, so that the newest come first without a sort and the limit ends the work.
		`SELECT m.session_id, m.seq, m.at, m.json, s.cwd, s.name, s.title
		FROM message_words w CROSS JOIN messages m ON m.n = w.rowid CROSS JOIN sessions s ON s.id = m.session_id
		WHERE message_words MATCH ? ${given.map(([sql]) => `AND ${sql}`).join(" ")} ORDER BY w.rowid DESC LIMIT ?`,
		...[match, ...given.map(([, value]) => value!), limit],
	);
	return rows.map(({ session_id, seq, at, json, cwd, name, title }) => {
		const known = name ?? title;
		return { sessionId: session_id, number: seq, at, message: JSON.parse(json) as Message, cwd, ...(known !== null && { title: known }) };
	});
}

/** Each word is quoted: what people type is no query language (and a null character would end the query). Words without a letter or digit say nothing to the index. */
function matchFor(words: string): string {
	const known = words.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
	return known.map((word) => `"${word.toWellFormed().replaceAll('"', '""').replaceAll("\0", "")}"*`).join(" ");
}

/** @returns how many messages were taken in. */
function indexSome(database: Database): number {
	const waiting = "SELECT n, json FROM messages WHERE n > (SELECT up_to FROM words_indexed) ORDER BY n LIMIT ?";
	// Nothing new is the usual case, and needs no write lock.
	if (!database.get(waiting, 1)) return 0;
	return database.transaction(() => {
		const rows = database.all<{ n: number; json: string }>(waiting, chunk);
		for (const { n, json } of rows) database.run("INSERT INTO message_words (rowid, text) VALUES (?, ?)", n, textOf(JSON.parse(json) as Message));
		const last = rows.at(-1);
		if (last) database.run("UPDATE words_indexed SET up_to = ?", last.n);
		return rows.length;
	});
}

/** Everything in a message that somebody may look for. */
function textOf(message: Message): string {
	const calls = message.role === "assistant" ? (message.toolCalls ?? []).map((call) => `${call.name} ${call.arguments}`) : [];
	return [message.text, ...calls].join("\n").toWellFormed();
}
