// What was sent into each chat, numbered and kept: a client that comes back gets what it missed. What the servers of other platforms do for theirs.
import { chmodSync, closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Handled, OutboundText } from "../../gateway/platform.ts";

/** As clients get it. */
export type ChatEvent = { readonly id: number; readonly chat: string; readonly thread?: string; readonly at: number } & (
	| { readonly type: "message"; readonly text: string; readonly purpose: string; readonly reply_to?: string }
	| { readonly type: "handled"; readonly message_id: string; readonly how: Handled["how"]; readonly into?: string }
);

/** How long it is kept, in ms. */
const keptMs = 30 * 24 * 3600_000;

export class ChatLog {
	readonly #database: DatabaseSync;

	/** @throws Error when the file cannot be used. */
	constructor(file: string) {
		closeSync(openSync(file, "a", 0o600));
		chmodSync(file, 0o600);
		this.#database = new DatabaseSync(file, { timeout: 5000 });
		this.#database.exec(`
			PRAGMA journal_mode = WAL;
			PRAGMA synchronous = FULL;
			CREATE TABLE IF NOT EXISTS events (n INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE NOT NULL, chat TEXT NOT NULL, about TEXT, at INTEGER NOT NULL, body TEXT NOT NULL);
			CREATE INDEX IF NOT EXISTS events_of_chat ON events (chat, n);
			CREATE INDEX IF NOT EXISTS events_about ON events (chat, about);
			CREATE INDEX IF NOT EXISTS events_by_age ON events (at);
		`);
		this.#database.prepare("DELETE FROM events WHERE at < ?").run(Date.now() - keptMs);
	}

	/** What came under this key before is the same. */
	message({ key, chatId, threadId, text, purpose, replyTo }: OutboundText): void {
		this.#add(key, chatId, replyTo, { type: "message", ...(threadId !== undefined && { thread: threadId }), text, purpose, ...(replyTo !== undefined && { reply_to: replyTo }) });
	}

	handled({ key, chatId, threadId, messageId, how, into }: Handled): void {
		this.#add(key, chatId, messageId, { type: "handled", ...(threadId !== undefined && { thread: threadId }), message_id: messageId, how, ...(into !== undefined && { into }) });
	}

	/** Oldest first, at most `limit`. */
	after(chat: string, n: number, limit: number): readonly ChatEvent[] {
		return this.#database.prepare("SELECT n, chat, at, body FROM events WHERE chat = ? AND n > ? ORDER BY n LIMIT ?").all(chat, n, limit).map(eventOf);
	}

	/** Everything about one message, oldest first. */
	about(chat: string, messageId: string): readonly ChatEvent[] {
		return this.#database.prepare("SELECT n, chat, at, body FROM events WHERE chat = ? AND about = ? ORDER BY n").all(chat, messageId).map(eventOf);
	}

	/** The number of a chat's last event; 0 when there is none. */
	last(chat: string): number {
		return Number(this.#database.prepare("SELECT max(n) AS n FROM events WHERE chat = ?").get(chat)?.["n"] ?? 0);
	}

	close(): void {
		this.#database.close();
	}

	#add(key: string, chat: string, about: string | undefined, body: object): void {
		this.#database.prepare("INSERT INTO events (key, chat, about, at, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING").run(key, chat, about ?? null, Date.now(), JSON.stringify(body));
	}
}

function eventOf({ n, chat, at, body }: Record<string, unknown>): ChatEvent {
	return { id: n, chat, at, ...(JSON.parse(String(body)) as object) } as ChatEvent;
}
