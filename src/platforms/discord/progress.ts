// How far what Discord sent has been taken: kept in a file, so that a gateway that comes back gets the rest.
import { readFile } from "node:fs/promises";
import { writeAtomically } from "../../system/files.ts";

/** Discord's own session of a bot, which can be taken up again for a few minutes. */
export interface BotSession {
	readonly sessionId: string;
	/** Where it can be taken up. */
	readonly resumeURL: string;
	/** The bot itself. */
	readonly userId: string;
}

/** Between two writes, in ms. What is lost with a crash comes again, and the gateway drops it. */
const writeEveryMs = 1_000;

export class Progress {
	readonly #path: string;
	readonly #warn: (message: string) => void;
	#session: BotSession | undefined;
	#last = 0;
	/** Oldest first. */
	readonly #open = new Set<number>();
	#timer: NodeJS.Timeout | undefined;
	#written: string | undefined;
	#failing = false;
	#writing = Promise.resolve();

	private constructor(path: string, warn: (message: string) => void) {
		this.#path = path;
		this.#warn = warn;
	}

	/** A file that is missing, or holds something else, is a new beginning. */
	static async open(path: string, warn: (message: string) => void): Promise<Progress> {
		const progress = new Progress(path, warn);
		const text = await readFile(path, "utf8").catch(() => "");
		try {
			const { sessionId, resumeURL, userId, sequence } = JSON.parse(text) as Partial<BotSession & { readonly sequence: number }>;
			if ([sessionId, resumeURL, userId].every((value) => typeof value === "string") && Number.isSafeInteger(sequence)) {
				progress.#session = { sessionId: sessionId!, resumeURL: resumeURL!, userId: userId! };
				progress.#last = sequence!;
			}
		} catch {
			// Begun anew.
		}
		return progress;
	}

	get session(): BotSession | undefined {
		return this.#session;
	}

	/** Everything up to here is taken. */
	get sequence(): number {
		const [oldest] = this.#open;
		return oldest === undefined ? this.#last : oldest - 1;
	}

	begin(session: BotSession): void {
		this.#session = session;
		this.#last = 0;
		this.#open.clear();
		void this.save();
	}

	/** Discord has forgotten the session. */
	forget(): void {
		this.#session = undefined;
		this.#open.clear();
		this.#last = 0;
		this.#soon();
	}

	/** Something came; false when it came before. */
	came(sequence: number): boolean {
		if (sequence <= this.#last) return false;
		this.#last = sequence;
		this.#open.add(sequence);
		return true;
	}

	/** It is taken. What came in an earlier session counts no more. */
	taken(sequence: number, { sessionId }: BotSession): void {
		if (sessionId !== this.#session?.sessionId) return;
		this.#open.delete(sequence);
		this.#soon();
	}

	/** Writes what is not written yet. */
	async save(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#writing = this.#writing.then(async () => {
			const text = JSON.stringify({ ...this.#session, sequence: this.sequence });
			if (text === this.#written) return;
			try {
				await writeAtomically(this.#path, text);
				this.#written = text;
				this.#failing = false;
			} catch (error) {
				if (!this.#failing) this.#warn(`discord: ${this.#path} cannot be written: ${error instanceof Error ? error.message : String(error)}. What is said while the gateway is started again may be lost.`);
				this.#failing = true;
			}
		});
		await this.#writing;
	}

	#soon(): void {
		this.#timer ??= setTimeout(() => void this.save(), writeEveryMs).unref();
	}
}
