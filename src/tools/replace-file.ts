// How the tools change files: one change at a time per file, and never half of one.
import { constants, mkdir, open, readlink, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { writeAtomically } from "../system/files.ts";

export interface Replaced {
	readonly bytes: number;
	/** Undefined when the file is new. */
	readonly previousBytes: number | undefined;
}

type Turns = Map<string, Promise<void>>;
const byPath: Turns = new Map();
const byTarget: Turns = new Map();

/**
 * Runs `work` when everybody who came before has finished with this file, in the order of the calls: the tools of a step run together, and two patches of
 * one file must not lose one another's change. `work` gets the file a symbolic link leads to.
 */
export function inTurn<T>(path: string, work: (target: string) => Promise<T>): Promise<T> {
	// By the path first: where it leads is known only later, and by then somebody else could have overtaken us.
	return after(byPath, path, async () => {
		const target = await targetOf(path);
		return after(byTarget, target, () => work(target));
	});
}

async function after<T>(turns: Turns, name: string, work: () => Promise<T>): Promise<T> {
	const mine = (turns.get(name) ?? Promise.resolve()).then(work);
	const over = mine.then(
		() => {},
		() => {},
	);
	turns.set(name, over);
	try {
		return await mine;
	} finally {
		if (turns.get(name) === over) turns.delete(name);
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
