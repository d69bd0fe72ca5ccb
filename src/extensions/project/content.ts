// What a project brings, read once: the bytes that are hashed here are the ones that are shown, trusted, copied and run.
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { readRegular, sha256Of } from "../../system/regular-file.ts";
import { ownFolder } from "./find.ts";

export interface ProjectFile {
	/** Below `.hookline`, with slashes: `extensions/guard.ts`. */
	readonly path: string;
	readonly bytes: Buffer;
	/** SHA-256, hexadecimal. */
	readonly sha256: string;
}

export interface Content {
	/** Sorted by path. */
	readonly files: readonly ProjectFile[];
	/** SHA-256 over the paths and hashes of all files, hexadecimal. */
	readonly hash: string;
	/** Why it cannot be trusted as it is, a sentence each. */
	readonly problems: readonly string[];
}

/** Files and folders, and bytes of all files together. */
export const mostEntries = 1_000;
export const mostBytes = 8 * 1024 * 1024;

/** Reads `.hookline/extensions/**`, `.hookline/plugins/**` and `.hookline/config.yaml` of a folder. Follows no link; reads nothing but regular files, and not more than the caps. */
export function readContent(folder: string): Content {
	const reading = new Reading(join(folder, ownFolder));
	reading.read();
	const files = reading.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
	return { files, hash: sha256Of(`hookline project 1\n${files.map(({ path, sha256: hash }) => `${JSON.stringify(path)} ${hash}\n`).join("")}`), problems: reading.problems };
}

class Reading {
	readonly files: ProjectFile[] = [];
	readonly problems: string[] = [];
	readonly #top: string;
	#entries = 0;
	#bytes = 0;

	constructor(top: string) {
		this.#top = top;
	}

	read(): void {
		const top = this.#look("");
		if (top === undefined) return;
		if (!top.isDirectory()) return this.#refuse("", top);
		for (const folder of ["extensions", "plugins"]) this.#take(folder, (found) => (found.isDirectory() ? this.#folder(folder) : this.#refuse(folder, found)));
		this.#take("config.yaml", (found) => (found.isFile() ? this.#file("config.yaml") : this.#refuse("config.yaml", found)));
	}

	#folder(path: string): void {
		const entries = this.#orSay(path, () => readdirSync(join(this.#top, path)));
		for (const name of entries ?? []) {
			if (++this.#entries > mostEntries) return this.#tooMuch(`more than ${mostEntries} files and folders`);
			const below = `${path}/${name}`;
			this.#take(below, (found) => (found.isDirectory() ? this.#folder(below) : found.isFile() ? this.#file(below) : this.#refuse(below, found)));
		}
	}

	#file(path: string): void {
		const read = this.#orSay(path, () => readRegular(join(this.#top, path), mostBytes - this.#bytes));
		if (read === undefined) return;
		if (read === "too long") return this.#tooMuch(`more than ${mostBytes / 1024 / 1024} MB`);
		const { bytes } = read;
		this.#bytes += bytes.length;
		this.files.push({ path, bytes, sha256: sha256Of(bytes) });
	}

	#take(path: string, then: (found: Stats) => void): void {
		const found = this.#look(path);
		if (found !== undefined) then(found);
	}

	#look(path: string): Stats | undefined {
		return this.#orSay(path, () => lstatSync(join(this.#top, path), { throwIfNoEntry: false }));
	}

	#orSay<Result>(path: string, run: () => Result): Result | undefined {
		try {
			return run();
		} catch (error) {
			this.problems.push(`${join(this.#top, path)} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
			return undefined;
		}
	}

	#refuse(path: string, found: Stats): void {
		const what = found.isSymbolicLink() ? "a symbolic link, and links are not followed" : found.isDirectory() ? "a folder, and should be a file" : found.isFile() ? "a file, and should be a folder" : "no regular file";
		this.problems.push(`${join(this.#top, path)} is ${what}.`);
	}

	#tooMuch(what: string): void {
		const problem = `${this.#top} holds ${what}, which nobody can look through.`;
		if (!this.problems.includes(problem)) this.problems.push(problem);
	}
}
