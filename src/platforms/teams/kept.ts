// What has to be there after a restart: where each chat is reached, and what questions with buttons say.
import { chmodSync, closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export interface Conversation {
	/** Where texts for it go. */
	readonly serviceUrl: string;
	/** The bot's own id there. */
	readonly bot: string;
	readonly isGroup: boolean;
}

/** How long a question is kept, in ms. */
const keptMs = 30 * 24 * 3600_000;

export class Kept {
	readonly #database: DatabaseSync;

	/** @throws Error when the file cannot be used. */
	constructor(file: string) {
		closeSync(openSync(file, "a", 0o600));
		chmodSync(file, 0o600);
		this.#database = new DatabaseSync(file, { timeout: 5000 });
		this.#database.exec(`
			PRAGMA journal_mode = WAL;
			PRAGMA synchronous = FULL;
			CREATE TABLE IF NOT EXISTS conversations (chat TEXT PRIMARY KEY, service_url TEXT NOT NULL, bot TEXT NOT NULL, is_group INTEGER NOT NULL) WITHOUT ROWID;
			CREATE TABLE IF NOT EXISTS questions (chat TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (chat, id)) WITHOUT ROWID;
		`);
		this.#database.prepare("DELETE FROM questions WHERE at < ?").run(Date.now() - keptMs);
	}

	conversation(chat: string): Conversation | undefined {
		const row = this.#database.prepare("SELECT service_url, bot, is_group FROM conversations WHERE chat = ?").get(chat);
		return row && { serviceUrl: String(row["service_url"]), bot: String(row["bot"]), isGroup: row["is_group"] === 1 };
	}

	keepConversation(chat: string, { serviceUrl, bot, isGroup }: Conversation): void {
		const known = this.conversation(chat);
		// It is the same with nearly every message, and a write waits for the disk.
		if (known?.serviceUrl === serviceUrl && known.bot === bot && known.isGroup === isGroup) return;
		this.#database.prepare("INSERT OR REPLACE INTO conversations (chat, service_url, bot, is_group) VALUES (?, ?, ?, ?)").run(chat, serviceUrl, bot, Number(isGroup));
	}

	dropConversation(chat: string): void {
		this.#database.prepare("DELETE FROM conversations WHERE chat = ?").run(chat);
	}

	keepQuestion(chat: string, id: string, text: string): void {
		this.#database.prepare("INSERT OR REPLACE INTO questions (chat, id, text, at) VALUES (?, ?, ?, ?)").run(chat, id, text, Date.now());
	}

	/** What a question says, while it has buttons. */
	question(chat: string, id: string): string | undefined {
		const row = this.#database.prepare("SELECT text FROM questions WHERE chat = ? AND id = ?").get(chat, id);
		return row && String(row["text"]);
	}

	dropQuestion(chat: string, id: string): void {
		this.#database.prepare("DELETE FROM questions WHERE chat = ? AND id = ?").run(chat, id);
	}

	close(): void {
		if (this.#database.isOpen) this.#database.close();
	}
}
