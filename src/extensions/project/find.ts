// Which `.hookline` folder belongs to a working folder. Names are looked at, nothing else: no git is started, and no `.git` is read or followed.
import { lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Home } from "../../system/home.ts";

/** What a project's files lie in, below its folder. */
export const ownFolder = ".hookline";

/**
 * The folders whose `.hookline` could be the project's, the nearest first: the working folder, and those above it up to the one that holds
 * a `.git`. Never the user's home folder, nor the one whose `.hookline` is Hookline's home, nor anything above either: what lies there is no project's.
 */
export function candidatesFor(cwd: string, home: Home, environment: Readonly<Record<string, string | undefined>>): readonly string[] {
	const start = realPath(cwd);
	if (start === undefined) return [];
	const ownHome = realPath(home.path) ?? home.path;
	const end = [realPath(environment["HOME"] || homedir()), ownHome, ...(basename(ownHome) === ownFolder ? [dirname(ownHome)] : [])];
	const passed: string[] = [];
	for (let folder = start; !end.includes(folder); folder = dirname(folder)) {
		passed.push(folder);
		if (isThere(join(folder, ".git"))) return passed;
		if (dirname(folder) === folder) break;
	}
	// Above a folder that is in no repository lies what belongs to others, such as /tmp.
	return passed.slice(0, 1);
}

/** Whether there is anything of this name, a link that leads nowhere included. */
export function isThere(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch {
		return false;
	}
}

function realPath(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch {
		return undefined;
	}
}
