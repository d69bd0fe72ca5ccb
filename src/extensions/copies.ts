// Private copies of what the user agreed to: what was hashed is what runs, whatever is swapped in its place afterwards.
import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A copy nobody agreed to or started from for so long is not needed by a process that still runs, in ms. */
const unusedMs = 24 * 60 * 60_000;

/** A file of a copy. */
export interface CopiedFile {
	/** In the copy, with slashes. */
	readonly path: string;
	readonly bytes: Buffer;
	/** Permission bits. */
	readonly mode: number;
}

export interface CopyOptions {
	/** The name of the copy's folder; a hash of its content. */
	readonly name: string;
	readonly files: readonly CopiedFile[];
	/** Whether a folder holds exactly these files. */
	readonly holds: (copy: string) => boolean;
}

/**
 * The copy of this name in a folder of the user's own, made where it is not there or not as it was, and checked just now.
 * @throws Error that says why it cannot be kept.
 */
export function keepCopy(folder: string, options: CopyOptions): string {
	const copy = join(folder, options.name);
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const { mode, uid } = lstatSync(folder);
	if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error("others may write to it");
	// Each time around one step is made: remove what is damaged, write it, find that it holds. Another process may be making the same ones.
	for (let tries = 0; tries < 4; tries++) {
		if (options.holds(copy)) {
			noteUse(copy);
			return copy;
		}
		if (lstatSync(copy, { throwIfNoEntry: false })) rmSync(copy, { recursive: true, force: true });
		else write(copy, options);
	}
	throw new Error("what was written there does not stay as it is");
}

/** Removes the copies whose name is not `kept`: those in `revoked` at once, the others when they are long unused. @throws the file system's error. */
export function removeUnused(folder: string, kept: readonly string[], revoked: readonly string[]): void {
	for (const name of lstatSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : []) {
		if (kept.includes(name)) continue;
		// What is younger may be another process's, which is just making it.
		const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
		const isOld = found !== undefined && Date.now() - found.mtimeMs > unusedMs;
		if (isOld || revoked.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
	}
}

function noteUse(copy: string): void {
	try {
		utimesSync(copy, new Date(), new Date());
	} catch {
		// A home that is read-only has its copies all the same.
	}
}

function write(copy: string, { files }: CopyOptions): void {
	const temporary = `${copy}.${randomBytes(6).toString("hex")}`;
	try {
		for (const { path, bytes, mode } of files) {
			const file = join(temporary, path);
			mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
			writeFileSync(file, bytes, { mode, flag: "wx" });
		}
		renameSync(temporary, copy);
	} catch (error) {
		rmSync(temporary, { recursive: true, force: true });
		// Another process was quicker.
		if (!["ENOTEMPTY", "EEXIST"].includes(String((error as NodeJS.ErrnoException).code))) throw error;
	}
}
