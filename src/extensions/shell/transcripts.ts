// Conversations as files, for scripts that want to read them: one JSON object a line, `{number, at, message}`. Written on when a hook asks for one, and
// gone with the process.
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Sessions } from "../../stores/sessions.ts";
import type { Home } from "../../system/home.ts";

export class Transcripts implements Disposable {
	readonly #sessions: Sessions;
	/** In the home and not in /tmp: a hook in a sandbox has a /tmp of its own. */
	readonly #folder: string;
	/** By session, how many messages its file has. */
	readonly #written = new Map<string, number>();

	constructor(home: Home, sessions: Sessions) {
		this.#sessions = sessions;
		this.#folder = join(home.path, "transcripts", String(process.pid));
	}

	/** The file of a session, absolute, with all of its messages; undefined where it cannot be written. */
	readonly of = (sessionId: string): string | undefined => {
		const file = join(this.#folder, `${sessionId}.jsonl`);
		const written = this.#written.get(sessionId) ?? 0;
		try {
			if (this.#written.size === 0) {
				// What a process of the same number left behind is not this conversation.
				rmSync(this.#folder, { recursive: true, force: true });
				mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
			}
			let text = "";
			let last = written;
			for (const entry of this.#sessions.entries(sessionId, written)) {
				text += `${JSON.stringify(entry)}\n`;
				last = entry.number;
			}
			appendFileSync(file, text, { mode: 0o600 });
			this.#written.set(sessionId, last);
			return file;
		} catch {
			// A full disk stops no hook; the script is told that there is none.
			return undefined;
		}
	};

	[Symbol.dispose](): void {
		if (this.#written.size > 0) rmSync(this.#folder, { recursive: true, force: true });
	}
}
