// The private copy of a trusted content: extensions run from it, so that what is swapped in the project after the check is not what runs.
import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Home } from "../../system/home.ts";
import { type Content, readContent } from "./content.ts";
import { isThere, ownFolder } from "./find.ts";
import { TrustError } from "./record.ts";

/** A copy nobody has trusted or started from for so long is not needed by a process that still runs, in ms. */
const unusedMs = 24 * 60 * 60_000;

export const copiesFolder = (home: Home): string => join(home.path, "trusted");

/**
 * A folder of the user's own that holds `.hookline` with exactly this content, checked just now.
 * @throws TrustError
 */
export function copyOf(content: Content, home: Home): string {
	const folder = copiesFolder(home);
	const copy = join(folder, content.hash);
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		const { mode, uid } = lstatSync(folder);
		if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error("others may write to it");
		// Each time around one step is made: remove what is damaged, write it, find that it holds. Another process may be making the same ones.
		for (let tries = 0; tries < 4; tries++) {
			if (holds(copy, content)) {
				noteUse(copy);
				return copy;
			}
			if (isThere(copy)) rmSync(copy, { recursive: true, force: true });
			else write(copy, content);
		}
		throw new Error("what was written there does not stay as it is");
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw new TrustError(`The copy of the project's extensions, which is what runs, cannot be kept in ${folder} (${why}). Make that a folder only you can write to, with space in it, or start with --no-hooks.`, { cause: error });
	}
}

/**
 * Removes the copies that nobody trusts any more: the one that was just revoked, and those long unused. `kept` are the hashes that are trusted.
 * @throws TrustError
 */
export function removeCopies(home: Home, kept: readonly string[], revoked?: string): void {
	const folder = copiesFolder(home);
	try {
		for (const name of isThere(folder) ? readdirSync(folder) : []) {
			if (kept.includes(name)) continue;
			// What is younger may be another process's, which is just making it.
			const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
			const isOld = found !== undefined && Date.now() - found.mtimeMs > unusedMs;
			if (isOld || name === revoked) rmSync(join(folder, name), { recursive: true, force: true });
		}
	} catch (error) {
		throw new TrustError(`Copies in ${folder} that are not needed any more cannot be removed (${error instanceof Error ? error.message : String(error)}). Remove that folder yourself.`, { cause: error });
	}
}

function noteUse(copy: string): void {
	try {
		utimesSync(copy, new Date(), new Date());
	} catch {
		// A home that is read-only has its copies all the same.
	}
}

function holds(copy: string, { hash }: Content): boolean {
	const found = readContent(copy);
	return found.problems.length === 0 && found.hash === hash;
}

function write(copy: string, { files }: Content): void {
	const temporary = `${copy}.${randomBytes(6).toString("hex")}`;
	try {
		for (const { path, bytes } of files) {
			const file = join(temporary, ownFolder, path);
			mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
			writeFileSync(file, bytes, { mode: 0o600, flag: "wx" });
		}
		renameSync(temporary, copy);
	} catch (error) {
		rmSync(temporary, { recursive: true, force: true });
		// Another process was quicker.
		if (!["ENOTEMPTY", "EEXIST"].includes(String((error as NodeJS.ErrnoException).code))) throw error;
	}
}
