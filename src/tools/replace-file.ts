// How the tools change files: one change at a time per file, and never half of one.
import { constants, mkdir, open, readlink, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { writeAtomically } from "../system/files.ts";

export interface Replaced {
	readonly bytes: number;
	/** Undefined when the file is new. */
	readonly previousBytes: number | undefined;
}

const turns = new Map<string, Promise<unknown>>();

/**
 * Runs `work` when everybody who came before has finished with this file: the tools of a step run together, and two patches of one file must not lose
 * one another's change. `work` gets the file a symbolic link leads to.
 */
export async function inTurn<T>(path: string, work: (target: string) => Promise<T>): Promise<T> {
	const target = await targetOf(path);
	const before = turns.get(target) ?? Promise.resolve();
	const mine = before.then(() => work(target));
	const over = mine.then(
		() => {},
		() => {},
	);
	turns.set(target, over);
	try {
		return await mine;
	} finally {
		if (turns.get(target) === over) turns.delete(target);
	}
}

/**
 * Puts `content` in the file's place in one step, parent folders included; an existing file keeps its mode. To be called in turn.
 * @throws The file system's error; the old content then stands.
 */
export async function replaceFile(target: string, content: string): Promise<Replaced> {
	const existing = await stat(target).catch(ignoreMissing);
	if (existing?.isDirectory()) throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
	if (existing && !existing.isFile()) throw Object.assign(new Error("it is no regular file but a device, a pipe or a socket"), { code: "EINVAL" });
	// Renaming over a write-protected file would work, and is not what its owner meant.
	if (existing) await (await open(target, constants.O_WRONLY)).close();
	else await mkdir(dirname(target), { recursive: true });
	const data = Buffer.from(content);
	await writeAtomically(target, data, existing ? {} : { mode: 0o666 & ~process.umask() });
	return { bytes: data.length, previousBytes: existing?.size };
}

/** Where a write through this path would end up, also when it does not exist yet. */
async function targetOf(path: string): Promise<string> {
	const real = await realpath(path).catch(ignoreMissing);
	if (real !== undefined) return real;
	const link = await readlink(path).catch(() => undefined);
	// A circle of links has made realpath throw, so this ends.
	return link === undefined ? path : targetOf(resolve(dirname(path), link));
}

function ignoreMissing(error: unknown): undefined {
	if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
	throw error;
}
