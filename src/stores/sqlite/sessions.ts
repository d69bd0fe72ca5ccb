// Sessions as rows. What lists show is kept in columns when messages are added, so that no list reads a conversation.
import { nearest } from "../../system/nearest.ts";
import type { Surface } from "../../events/payloads/facts.ts";
import type { Message } from "../../events/payloads/model.ts";
import { type Found, type MessageSearch, type NewImage, type NewSession, type SessionEntry, type SessionRecord, type Sessions, type SessionSummary, type StoredImage, titleOf } from "../sessions.ts";
import { StoreError } from "../store.ts";
import type { Database } from "./database.ts";
import { deleteSessions, dropLastMessages, familyOf, forkSession } from "./session-changes.ts";
import { findImage, keepImages } from "./images.ts";
import { searchMessages } from "./search.ts";
import { holderOf, isLive, type LeaseRow, type SqliteLeases } from "./leases.ts";

interface SummaryRow {
	readonly id: string;
	readonly parent_id: string | null;
	readonly cwd: string;
	readonly model: string;
	readonly surface: Surface;
	readonly started_at: number;
	readonly updated_at: number;
	readonly turns: number;
	readonly messages: number;
	readonly title: string | null;
	readonly name: string | null;
	readonly forked_from: string | null;
	readonly forked_at: number | null;
}
type SessionRow = SummaryRow & { readonly system_prompt: string; readonly tools: string };
type ListRow = SummaryRow & { readonly [Column in keyof LeaseRow]: LeaseRow[Column] | null };

const summaryColumns = "id, parent_id, cwd, model, surface, started_at, updated_at, turns, messages, title, name, forked_from, forked_at";
const selectSession = `SELECT ${summaryColumns}, system_prompt, tools FROM sessions JOIN session_texts ON session_id = id`;
/** How many of the newest ids "did you mean" looks at. */
const nearestAmong = 1000;
/** How many messages are read at a time. */
const readChunk = 200;

export class SqliteSessions implements Sessions {
	readonly #database: Database;
	readonly #leases: SqliteLeases;

	constructor(database: Database, leases: SqliteLeases) {
		this.#database = database;
		this.#leases = leases;
	}

	create(session: NewSession): SessionRecord {
		const now = Date.now();
		const { id, parentId = null, cwd, model, surface, systemPrompt, tools, name = null } = session;
		this.#database.transaction(() => {
			const { changes } = this.#database.run(
				"INSERT INTO sessions (id, parent_id, cwd, model, surface, started_at, updated_at, name) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
				id,
				parentId,
				cwd,
				model,
				surface,
				now,
				now,
				name,
			);
			if (changes === 0) throw new StoreError("session-exists", `There already is a session ${id}. Resume it, or take another id.`);
			this.#database.run("INSERT INTO session_texts (session_id, system_prompt, tools) VALUES (?, ?, ?)", id, JSON.stringify(systemPrompt), JSON.stringify(tools));
		});
		return { ...session, startedAt: now, updatedAt: now, turns: 0, messages: 0 };
	}

	get(idOrPrefix: string): SessionRecord | undefined {
		if (idOrPrefix === "") return undefined;
		const exact = this.#database.get<SessionRow>(`${selectSession} WHERE id = ?`, idOrPrefix);
		if (exact) return recordOf(exact);
		// The last code point sorts behind everything that can follow the prefix, and a range uses the index where LIKE would not.
		const found = this.#database.all<{ id: string }>("SELECT id FROM sessions WHERE id > ? AND id < ? ORDER BY id DESC LIMIT 6", idOrPrefix, `${idOrPrefix}\u{10FFFF}`);
		const [first] = found;
		if (!first) return undefined;
		if (found.length === 1) return this.get(first.id);
		const names = found.slice(0, 5).map(({ id }) => id);
		throw new StoreError("ambiguous", `'${idOrPrefix}' could be ${names.join(", ")}${found.length > 5 ? " or others" : ""}. Give more of the session's id.`);
	}

	nearest(id: string): string | undefined {
		const ids = this.#database.all<{ id: string }>("SELECT id FROM sessions ORDER BY updated_at DESC LIMIT ?", nearestAmong);
		return nearest(id, ids.map((row) => row.id));
	}

	latest(cwd?: string): SessionRecord | undefined {
		const order = "parent_id IS NULL ORDER BY updated_at DESC, id DESC LIMIT 1";
		const row =
			cwd === undefined
				? this.#database.get<SessionRow>(`${selectSession} WHERE ${order}`)
				: this.#database.get<SessionRow>(`${selectSession} WHERE cwd = ? AND ${order}`, cwd);
		return row && recordOf(row);
	}

	list(options: { readonly limit?: number } = {}): readonly SessionSummary[] {
		const rows = this.#database.all<ListRow>(
			`SELECT ${summaryColumns}, pid, host, token, since, heartbeat_at FROM sessions LEFT JOIN leases ON session_id = id ORDER BY updated_at DESC, id DESC LIMIT ?`,
			options.limit ?? 20,
		);
		return rows.map((row) => (row.pid !== null && isLive(row as LeaseRow) ? { ...summaryOf(row), inUseBy: holderOf(row as LeaseRow) } : summaryOf(row)));
	}

	append(sessionId: string, messages: readonly Message[], images: readonly NewImage[] = []): void {
		if (messages.length === 0) return;
		// A summary is nobody's word.
		const users = messages.filter((message) => message.role === "user" && message.summarises === undefined);
		const title = users[0] ? titleOf(users[0].text) : null;
		const now = Date.now();
		this.#database.transaction(() => {
			this.#leases.check(sessionId);
			const counted = this.#database.get<{ messages: number }>(
				"UPDATE sessions SET updated_at = ?, turns = turns + ?, messages = messages + ?, title = coalesce(title, ?) WHERE id = ? RETURNING messages",
				now,
				users.length,
				messages.length,
				title,
				sessionId,
			);
			if (!counted) throw unknown(sessionId);
			let seq = counted.messages - messages.length;
			for (const message of messages) {
				this.#database.run("INSERT INTO messages (session_id, seq, at, role, json) VALUES (?, ?, ?, ?, ?)", sessionId, ++seq, now, message.role, JSON.stringify(message));
			}
			keepImages(this.#database, sessionId, images);
		});
	}

	image(sessionId: string, sha256: string): StoredImage | undefined {
		return findImage(this.#database, sessionId, sha256);
	}

	messages(sessionId: string): readonly Message[] {
		const rows = this.#database.all<{ json: string }>("SELECT json FROM messages WHERE session_id = ? ORDER BY seq", sessionId);
		return rows.map((row) => JSON.parse(row.json) as Message);
	}

	*entries(sessionId: string, after = 0): Generator<SessionEntry> {
		for (let last = after; ; ) {
			const rows = this.#database.all<{ seq: number; at: number; json: string }>("SELECT seq, at, json FROM messages WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?", sessionId, last, readChunk);
			for (const { seq, at, json } of rows) yield { number: seq, at, message: JSON.parse(json) as Message };
			if (rows.length < readChunk) return;
			last = rows.at(-1)!.seq;
		}
	}

	search(query: MessageSearch): readonly Found[] {
		return searchMessages(this.#database, query);
	}

	rename(sessionId: string, name: string | undefined): void {
		const line = name === undefined ? "" : titleOf(name);
		const { changes } = this.#database.run("UPDATE sessions SET name = ? WHERE id = ?", line === "" ? null : line, sessionId);
		if (changes === 0) throw unknown(sessionId);
	}

	fork(sessionId: string, newId: string, messages?: number): SessionRecord {
		this.#database.transaction(() => {
			if (!this.#database.get("SELECT 1 FROM sessions WHERE id = ?", sessionId)) throw unknown(sessionId);
			forkSession(this.#database, sessionId, newId, messages);
		});
		return this.get(newId)!;
	}

	delete(sessionId: string): readonly string[] {
		return this.#database.transaction(() => {
			const family = familyOf(this.#database, sessionId);
			if (family.length === 0) throw unknown(sessionId);
			for (const id of family) this.#leases.checkFree(id);
			deleteSessions(this.#database, family);
			return family;
		});
	}

	dropLast(sessionId: string, count: number): void {
		this.#database.transaction(() => {
			this.#leases.check(sessionId);
			if (!dropLastMessages(this.#database, sessionId, count)) throw unknown(sessionId);
		});
	}

	setModel(sessionId: string, model: string): void {
		this.#database.transaction(() => {
			this.#leases.check(sessionId);
			const { changes } = this.#database.run("UPDATE sessions SET model = ? WHERE id = ?", model, sessionId);
			if (changes === 0) throw unknown(sessionId);
		});
	}

	setSystemPrompt(sessionId: string, text: string): void {
		this.#database.transaction(() => {
			this.#leases.check(sessionId);
			const { changes } = this.#database.run("UPDATE session_texts SET system_prompt = ? WHERE session_id = ?", JSON.stringify(text), sessionId);
			if (changes === 0) throw unknown(sessionId);
		});
	}
}

const unknown = (sessionId: string) =>
	new StoreError("unknown-session", `There is no session ${sessionId} in this store. 'hookline sessions' lists those there are.`);

function summaryOf(row: SummaryRow): SessionSummary {
	return {
		id: row.id,
		...(row.parent_id !== null && { parentId: row.parent_id }),
		cwd: row.cwd,
		model: row.model,
		surface: row.surface,
		startedAt: row.started_at,
		updatedAt: row.updated_at,
		turns: row.turns,
		messages: row.messages,
		...(row.title !== null && { title: row.title }),
		...(row.name !== null && { name: row.name }),
		...(row.forked_from !== null && { forkedFrom: { sessionId: row.forked_from, messages: row.forked_at ?? 0 } }),
	};
}

const recordOf = (row: SessionRow): SessionRecord => ({
	...summaryOf(row),
	systemPrompt: JSON.parse(row.system_prompt) as string,
	tools: JSON.parse(row.tools) as string,
});
