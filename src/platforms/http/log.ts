// What was sent into each chat, numbered and kept: a client that comes back gets what it missed. What the servers of other platforms do for theirs.
import { createHash } from "node:crypto";
import { chmodSync, closeSync, copyFileSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Button, Handled, OutboundText } from "../../gateway/platform.ts";

/** As clients get it. */
export type ChatEvent = { readonly id: number; readonly chat: string; readonly thread?: string; readonly at: number } & (
	| { readonly type: "message"; readonly text: string; readonly purpose: string; readonly reply_to?: string; readonly buttons?: readonly Button[]; readonly files?: readonly ChatFile[] }
	/** Its buttons can be pressed no more. */
	| { readonly type: "pressed"; readonly event: number; readonly says: string }
	| { readonly type: "handled"; readonly message_id: string; readonly how: Handled["how"]; readonly into?: string }
);

/** A file that was sent: what `GET /v1/files/ID` gives. */
export interface ChatFile {
	readonly id: string;
	readonly name: string;
	readonly media_type: string;
}

/** How long it is kept, in ms. */
const keptMs = 30 * 24 * 3600_000;
const tidyEveryMs = 3600_000;
/** So far back, in events of a chat, buttons can be pressed. */
const pressable = 500;

export class ChatLog {
	readonly #database: DatabaseSync;
	readonly #files: string;
	readonly #now: () => number;
	/** When it was last, in ms since the epoch. */
	#tidied = 0;

	/**
	 * @param now in ms since the epoch
	 * @param files the folder for files that are sent; made when it is needed
	 * @throws Error when the file of the chats cannot be used
	 */
	constructor(file: string, files: string, now: () => number = Date.now) {
		this.#files = files;
		this.#now = now;
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
			CREATE TABLE IF NOT EXISTS files (id TEXT PRIMARY KEY, name TEXT NOT NULL, media_type TEXT NOT NULL, at INTEGER NOT NULL);
		`);
		this.#tidy();
	}

	/** Forgets what is too old, now and then. */
	#tidy(): void {
		const now = this.#now();
		// Also by a clock that was set back.
		if (Math.abs(now - this.#tidied) < tidyEveryMs) return;
		this.#tidied = now;
		this.#database.prepare("DELETE FROM events WHERE at < ?").run(now - keptMs);
		for (const { id } of this.#database.prepare("DELETE FROM files WHERE at < ? RETURNING id").all(now - keptMs)) rmSync(join(this.#files, String(id)), { force: true });
	}

	/** What came under this key before is the same. @throws Error when a file cannot be kept */
	message({ key, chatId, threadId, text, purpose, replyTo, buttons, files = [] }: OutboundText): void {
		const kept = files.map(({ path, name, mediaType }, i) => {
			const id = createHash("sha256").update(`${key} ${i}`).digest("hex").slice(0, 32);
			mkdirSync(this.#files, { recursive: true, mode: 0o700 });
			copyFileSync(path, join(this.#files, id));
			this.#database.prepare("INSERT INTO files (id, name, media_type, at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING").run(id, name, mediaType, this.#now());
			return { id, name, media_type: mediaType } satisfies ChatFile;
		});
		this.#add(key, chatId, replyTo, { type: "message", ...(threadId !== undefined && { thread: threadId }), text, purpose, ...(replyTo !== undefined && { reply_to: replyTo }), ...(buttons && { buttons }), ...(kept.length > 0 && { files: kept }) });
	}

	/** Somebody said what a button of this chat says: then it was pressed. */
	pressed(chat: string, says: string): boolean {
		if (!says.startsWith("/")) return false;
		const events = this.#database.prepare("SELECT n, chat, at, body FROM (SELECT * FROM events WHERE chat = ? ORDER BY n DESC LIMIT ?) WHERE body LIKE '%\"buttons\":%' ORDER BY n DESC").all(chat, pressable).map(eventOf);
		const found = events.find((event) => event.type === "message" && event.buttons?.some((button) => button.says === says));
		if (found === undefined) return false;
		this.#add(`pressed ${found.id}`, chat, undefined, { type: "pressed", event: found.id, says });
		return true;
	}

	/** A file that was sent, and where it lies. */
	file(id: string): (ChatFile & { readonly path: string }) | undefined {
		const row = this.#database.prepare("SELECT id, name, media_type FROM files WHERE id = ?").get(id);
		return row === undefined ? undefined : { ...(row as unknown as ChatFile), path: join(this.#files, id) };
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
		this.#tidy();
		this.#database.prepare("INSERT INTO events (key, chat, about, at, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING").run(key, chat, about ?? null, this.#now(), JSON.stringify(body));
	}
}

function eventOf({ n, chat, at, body }: Record<string, unknown>): ChatEvent {
	return { id: n, chat, at, ...(JSON.parse(String(body)) as object) } as ChatEvent;
}
