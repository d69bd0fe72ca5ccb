// What a child leaves behind for the moment when it can no longer say anything: a small file without a name, held open by both. Writing into it
// takes 2 µs, is done before the next instruction, and survives a busy loop, a crash and SIGKILL.
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject } from "../checks.ts";
import { notesFd } from "../protocol.ts";

const size = 1024;
const wordsAt = 8;

/** The last words of a child: which extension ended the process, and how. */
export interface LastWords {
	/** Its number; undefined when the child does not know. */
	readonly extension: number | undefined;
	readonly did: string;
}

/** The agent's side. */
export interface Notes extends Disposable {
	readonly fd: number;
	/** The call whose handler runs right now, on the stack; 0 for none. */
	runningCall(): number;
	lastWords(): LastWords | undefined;
}

/** Undefined where no file can be made; then it is not known who ended a process. */
export function createNotes(): Notes | undefined {
	let folder: string | undefined;
	try {
		folder = mkdtempSync(join(tmpdir(), "hookline-"));
		const fd = openSync(join(folder, "notes"), "w+", 0o600);
		// All of its space now: on a disk that is full later, notes can still be taken.
		writeSync(fd, Buffer.alloc(size));
		return { fd, runningCall: () => read(fd).readDoubleLE(0), lastWords: () => toWords(read(fd)), [Symbol.dispose]: () => closeSync(fd) };
	} catch {
		return undefined;
	} finally {
		if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
	}
}

function read(fd: number): Buffer {
	const bytes = Buffer.alloc(size);
	try {
		readSync(fd, bytes, 0, size, 0);
	} catch {
		// Nothing is known then.
	}
	return bytes;
}

function toWords(bytes: Buffer): LastWords | undefined {
	const end = bytes.indexOf(0, wordsAt);
	if (end === wordsAt) return undefined;
	try {
		const words: unknown = JSON.parse(bytes.toString("utf8", wordsAt, end < 0 ? size : end));
		if (!isObject(words) || typeof words["did"] !== "string") return undefined;
		return { extension: typeof words["extension"] === "number" ? words["extension"] : undefined, did: words["did"] };
	} catch {
		return undefined;
	}
}

const mark = Buffer.alloc(wordsAt);

/** The child's side: this call's handler runs from now on; 0 when it has returned. */
export function noteRunningCall(id: number): void {
	mark.writeDoubleLE(id);
	note(mark, 0);
}

/** The child's side: it is about to end. */
export function noteLastWords(words: LastWords): void {
	note(Buffer.from(JSON.stringify({ ...words, did: words.did.slice(0, 200) })), wordsAt);
}

function note(bytes: Buffer, at: number): void {
	try {
		writeSync(notesFd, bytes, 0, bytes.length, at);
	} catch {
		// An extension closed it. It hurts only the blame.
	}
}
