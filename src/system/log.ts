// The log file: what hooks and Hookline itself had to say, one JSON object a line. Any number of processes write it at once.
import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { longestSecret, redactText } from "./redact.ts";

/** The mildest first. `warning`: something failed or was dropped, and things go on. `error`: a failure stopped something. */
export const logLevels = ["info", "warning", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogEntry {
	/** Milliseconds since 1970. */
	readonly at: number;
	readonly level: LogLevel;
	/** The id of a hook, the name of an extension, or `hookline`. */
	readonly from: string;
	readonly message: string;
	readonly pid: number;
}

export interface LogFileOptions {
	/** Told once, in a sentence, when the file cannot be written. */
	readonly onProblem: (message: string) => void;
	/** Bytes after which a new file is begun; 5 MB. */
	readonly maxBytes?: number;
}

/** How many full files are kept beside the one that is written: `hookline.log.1`, the newest of them, to `hookline.log.3`. */
const keptFiles = 3;
const longestLine = 64 * 1024;
/** A process that died while it moved the files leaves its lock; after this, in ms, the lock is nobody's. */
const longestMoveMs = 10_000;
// A pipe in the place of the file must fail instead of waiting for a reader.
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/** The files of the log in a home, the newest first. None of them need exist. */
export function logFiles(home: string): readonly string[] {
	const newest = join(home, "logs", "hookline.log");
	return [newest, ...Array.from({ length: keptFiles }, (_, i) => `${newest}.${i + 1}`)];
}

/** Writes the log of a home. It opens the file for each line: who moves the files then never has to tell the others. */
export class LogFile {
	readonly #folder: string;
	readonly #files: readonly string[];
	readonly #maxBytes: number;
	readonly #onProblem: (message: string) => void;
	#told = false;
	/** The last line got only half onto the disk: the next begins on a line of its own. */
	#torn = false;

	/** `home` is absolute and need not exist; nothing is touched before the first line. */
	constructor(home: string, { onProblem, maxBytes = 5_000_000 }: LogFileOptions) {
		this.#folder = join(home, "logs");
		this.#files = logFiles(home);
		this.#maxBytes = maxBytes;
		this.#onProblem = onProblem;
	}

	/** Writes a line, without the secrets that can be told by their shape. Never throws. */
	write(level: LogLevel, from: string, message: string): void {
		try {
			this.#append(Buffer.from(lineOf(level, from, message)));
		} catch (error) {
			if (this.#told) return;
			this.#told = true;
			// Without a home there is no log either; the store has told the person about that.
			if (error instanceof NoHome) return;
			this.#onProblem(`The log ${this.#files[0]} cannot be written (${error instanceof Error ? error.message : String(error)}). Make it and its folder writable; until then what hooks say is not kept.`);
		}
	}

	#append(line: Buffer): void {
		const file = this.#open();
		let bytes: number;
		try {
			const stat = fstatSync(file);
			if (stat.isFile() && (stat.mode & 0o077) !== 0) fchmodSync(file, 0o600);
			const whole = this.#torn ? Buffer.concat([Buffer.from("\n"), line]) : line;
			const written = writeSync(file, whole);
			this.#torn = written < whole.length;
			if (this.#torn) throw new Error(`only ${written} of ${whole.length} bytes were written`);
			bytes = stat.size + written;
		} finally {
			closeSync(file);
		}
		if (bytes >= this.#maxBytes) this.#rotate();
	}

	#open(): number {
		const [newest] = this.#files as readonly [string];
		try {
			return openSync(newest, appending, 0o600);
		} catch (error) {
			if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") throw error;
		}
		try {
			mkdirSync(this.#folder, { mode: 0o700 });
		} catch (error) {
			if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") throw new NoHome();
			// Another process made it in the same moment; if it is no folder, opening says so.
			if (codeOf(error) !== "EEXIST") throw error;
		}
		return openSync(newest, appending, 0o600);
	}

	/** Moves each file one number up. Of several processes that want to, one does; the others go on with the file as it is. */
	#rotate(): void {
		const lock = join(this.#folder, ".moving");
		try {
			closeSync(openSync(lock, "wx", 0o600));
		} catch (error) {
			if (codeOf(error) !== "EEXIST") throw error;
			const since = sizeAndTime(lock)?.mtimeMs;
			if (since !== undefined && Math.abs(Date.now() - since) > longestMoveMs) rmSync(lock, { force: true });
			return;
		}
		try {
			// Another process may have moved it between our line and our lock.
			if ((sizeAndTime(this.#files[0]!)?.size ?? 0) < this.#maxBytes) return;
			for (let i = this.#files.length - 1; i > 0; i--) moveIfThere(this.#files[i - 1]!, this.#files[i]!);
		} finally {
			rmSync(lock, { force: true });
		}
	}
}

class NoHome extends Error {}

function lineOf(level: LogLevel, from: string, message: string): string {
	const line = (text: string) => `${JSON.stringify({ at: Date.now(), level, from: from.slice(0, 256), message: text, pid: process.pid } satisfies LogEntry)}\n`;
	const longest = longestLine + longestSecret;
	// What the cut goes through is no secret by its shape any more, so as much as one can be is left out before it.
	const clean = message.length <= longest ? redactText(message) : redactText(message.slice(0, longest)).slice(0, -longestSecret);
	const whole = line(clean);
	if (message.length <= longest && Buffer.byteLength(whole) <= longestLine) return whole;
	const note = `… [cut: ${message.length} characters]`;
	// Bytes per character differ, and escapes count: what does not fit is halved until it does, which is soon.
	for (let room = longestLine - 1024; ; room = Math.floor(room / 2)) {
		const cut = line(`${clean.slice(0, room)}${note}`);
		if (Buffer.byteLength(cut) <= longestLine) return cut;
	}
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

function sizeAndTime(path: string): { readonly size: number; readonly mtimeMs: number } | undefined {
	return statSync(path, { throwIfNoEntry: false });
}

function moveIfThere(from: string, to: string): void {
	try {
		renameSync(from, to);
	} catch (error) {
		if (codeOf(error) !== "ENOENT") throw error;
	}
}
