// Reads the log: the last lines over all of its files, and those that come.
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { type LogEntry, logFiles, logLevels } from "./log.ts";

/** A line of the log, as it stands in the file and as what it means. */
export interface LogLine {
	readonly text: string;
	readonly entry: LogEntry;
}

/** The log is there and cannot be read. The message is for the person. */
export class LogError extends Error {
	override readonly name = "LogError";
}

/** The log of a home, open for reading. Files may be moved while it is read: each is known by its number in the file system, not by its name. */
export class LogLines implements Disposable {
	readonly #files: readonly string[];
	/** The newest file that lines were read from; undefined while there is none. */
	#open: OpenFile | undefined;
	/** It was seen that another file is written now; the one that is open is read once more, for a line that was on its way. */
	#moved = false;

	constructor(home: string) {
		this.#files = logFiles(home);
	}

	/**
	 * The last lines that are wanted, at most `limit`, the newest last. `news` goes on behind them.
	 * @throws LogError when a file is there and cannot be read.
	 */
	last(limit: number, wanted: (entry: LogEntry) => boolean): readonly LogLine[] {
		// All are opened before any is read: a file that is moved meanwhile is then found twice, and never missed.
		const opened = this.#files.map(openIfThere);
		const seen = new Set<number>();
		const parts: (readonly LogLine[])[] = [];
		let found = 0;
		for (const file of opened) {
			if (file === undefined) continue;
			if (found < limit && !seen.has(file.inode)) {
				const lines = file.read().filter(({ entry }) => wanted(entry));
				found += lines.length;
				parts.unshift(lines);
			}
			seen.add(file.inode);
			// The newest there is: while nothing was written since the files were moved, that is not the first.
			if (this.#open === undefined) this.#open = file;
			else file.close();
		}
		return parts.flat().slice(-limit);
	}

	/**
	 * Every line written since the last call, the newest last. Never waits.
	 * @throws LogError as `last` does.
	 */
	news(): readonly LogLine[] {
		if (this.#open === undefined) {
			this.#open = openIfThere(this.#files[0]!);
			return this.#open?.read() ?? [];
		}
		const lines = [...this.#open.read()];
		if (inodeAt(this.#files[0]!) === this.#open.inode) return lines;
		if (!this.#moved) {
			this.#moved = true;
			return lines;
		}
		this.#moved = false;
		// Files filled and moved since then lie between ours and the newest. Ours may be gone by now; those that are older stay unread all the same.
		const { inode, modifiedMs } = this.#open;
		const ours = this.#files.findIndex((file) => {
			const stat = statSync(file, { throwIfNoEntry: false });
			return stat !== undefined && (stat.ino === inode || stat.mtimeMs < modifiedMs);
		});
		for (const path of this.#files.slice(0, ours < 0 ? this.#files.length : Math.max(1, ours)).toReversed()) {
			const file = openIfThere(path);
			if (file === undefined) continue;
			lines.push(...file.read());
			this.#open.close();
			this.#open = file;
		}
		return lines;
	}

	[Symbol.dispose](): void {
		this.#open?.close();
		this.#open = undefined;
	}
}

const chunkBytes = 1024 * 1024;

class OpenFile {
	readonly inode: number;
	readonly #file: number;
	#offset = 0;
	/** The beginning of a line whose end is not written yet. */
	#rest = Buffer.alloc(0);

	constructor(file: number, inode: number) {
		this.#file = file;
		this.inode = inode;
	}

	/** What was written since the last call, as far as the lines are complete. Lines that are none of ours are left out. */
	read(): readonly LogLine[] {
		// Somebody emptied it.
		if (fstatSync(this.#file).size < this.#offset) [this.#offset, this.#rest] = [0, Buffer.alloc(0)];
		const lines: LogLine[] = [];
		const chunk = Buffer.alloc(chunkBytes);
		for (let bytes: number; (bytes = readSync(this.#file, chunk, 0, chunkBytes, this.#offset)) > 0; ) {
			this.#offset += bytes;
			const text = Buffer.concat([this.#rest, chunk.subarray(0, bytes)]);
			const end = text.lastIndexOf("\n") + 1;
			this.#rest = text.subarray(end);
			for (const line of text.toString("utf8", 0, end).split("\n")) {
				const entry = parse(line);
				if (entry !== undefined) lines.push({ text: line, entry });
			}
		}
		return lines;
	}

	get modifiedMs(): number {
		return fstatSync(this.#file).mtimeMs;
	}

	close(): void {
		closeSync(this.#file);
	}
}

function parse(line: string): LogEntry | undefined {
	if (line === "") return undefined;
	let value: unknown;
	try {
		value = JSON.parse(line);
	} catch {
		return undefined;
	}
	const { at, level, from, message, pid } = (value ?? {}) as Record<keyof LogEntry, unknown>;
	const known = logLevels.find((one) => one === level);
	if (typeof at !== "number" || known === undefined || typeof from !== "string" || typeof message !== "string" || typeof pid !== "number") return undefined;
	return { at, level: known, from, message, pid };
}

function openIfThere(path: string): OpenFile | undefined {
	let file: number;
	try {
		// A pipe in the place of the file must not wait for its writer.
		file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === "ENOENT") return undefined;
		throw new LogError(`The log ${path} cannot be read (${message}).`, { cause: error });
	}
	const stat = fstatSync(file);
	if (stat.isFile()) return new OpenFile(file, stat.ino);
	closeSync(file);
	throw new LogError(`The log ${path} cannot be read: it is no file. Move it away; a new one is made.`);
}

function inodeAt(path: string): number | undefined {
	return statSync(path, { throwIfNoEntry: false })?.ino;
}
