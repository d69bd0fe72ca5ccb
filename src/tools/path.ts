// Paths as models write them, and what to tell the model when the file system says no.
import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, resolve } from "node:path";
import { nearest } from "../system/nearest.ts";

/** The absolute path that is meant: relative ones from `cwd`, a leading `~` is the user's home. Or the sentence that says why it is none. */
export function resolvePath(path: string, cwd: string): { readonly path: string } | { readonly mistake: string } {
	if (path === "") return { mistake: "The path is empty. Give the path of a file." };
	if (path.includes("\0")) return { mistake: `The path holds a NUL character (at position ${path.indexOf("\0") + 1}), which no file name can have. Leave it out.` };
	return { path: resolve(cwd, path.replace(/^~(?=\/|$)/, homedir())) };
}

/**
 * A sentence for an error of the file system. `path` is absolute, `name` is what the model wrote.
 * @throws The error itself when it is none of the file system's.
 */
export async function explain(error: unknown, path: string, name: string): Promise<string> {
	if (!(error instanceof Error) || !("code" in error)) throw error;
	switch (error.code) {
		case "ENOENT":
			return missing(path, name);
		case "ENOTDIR":
		case "EEXIST":
			return `'${name}' cannot be there: ${await wrongParent(path)} is a file, not a folder.`;
		case "EISDIR":
			return `'${name}' is a folder, not a file.`;
		case "EACCES":
		case "EPERM":
			return `The system does not permit this for '${name}' (${error.code}). Use another place, or have the permissions changed.`;
		case "EROFS":
			return `'${name}' lies on a read-only file system. Use another place.`;
		case "ENOSPC":
		case "EDQUOT":
			return `There is no space left where '${name}' lies (${error.code}). Nothing was changed there; make room first.`;
		case "ENAMETOOLONG":
			return `The name '${name.slice(0, 60)}...' is too long for the file system. Use a shorter one.`;
		case "ELOOP":
			return `'${name}' is a symbolic link that leads back to itself. Name the real file.`;
		default:
			return `The file system refused '${name}': ${error.message}.`;
	}
}

async function missing(path: string, name: string): Promise<string> {
	const folder = dirname(path);
	const entries = await readdir(folder).catch(() => undefined);
	if (entries === undefined) return `There is no '${name}': the folder ${await firstMissing(folder)} does not exist.`;
	const near = similar(basename(path), entries);
	if (near.length === 0) return `There is no '${name}'. Look for it with search_files, mode 'files'.`;
	return `There is no '${name}'. In the same folder there is ${near.map((entry) => `'${entry}'`).join(", ")}.`;
}

/** Up to three names, the nearest first, then those of the same stem. */
function similar(name: string, entries: readonly string[]): string[] {
	const found: string[] = [];
	for (let rest = entries; found.length < 3; rest = rest.filter((entry) => !found.includes(entry))) {
		const next = nearest(name, rest);
		if (next === undefined) break;
		found.push(next);
	}
	const stem = name.replace(/\..*$/, "").toLowerCase();
	const sameStem = entries.filter((entry) => stem.length > 2 && entry.toLowerCase().startsWith(stem) && !found.includes(entry)).sort();
	return [...found, ...sameStem].slice(0, 3);
}

/** The uppermost folder on the way that does not exist. */
async function firstMissing(folder: string): Promise<string> {
	const parent = dirname(folder);
	return parent === folder || (await stat(parent).catch(() => undefined)) ? folder : firstMissing(parent);
}

/** The part of the path that ought to be a folder and is not. */
async function wrongParent(path: string): Promise<string> {
	for (let parent = dirname(path); parent !== dirname(parent); parent = dirname(parent)) {
		const found = await stat(parent).catch(() => undefined);
		if (found) return found.isDirectory() ? path : parent;
	}
	return path;
}
