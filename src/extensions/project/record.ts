// trust.json in the home: which content of which folder the user trusts. What it does not say in so many words is not trusted.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../../system/files.ts";
import { ensureHome, type Home } from "../../system/home.ts";
import { takeLock } from "../../system/lock.ts";

/** The trust cannot be recorded, or not be relied on. The message is for the person. */
export class TrustError extends Error {
	override readonly name = "TrustError";
}

export interface Trusted {
	readonly hash: string;
	/** The SHA-256 of each file, by its path below `.hookline`, absolute for programs outside: it tells what has changed. */
	readonly files: Readonly<Record<string, string>>;
	/** The SHA-256 of what is not copied, by what the file system said of it: as long as it says the same, it is not read again. */
	readonly identities?: Readonly<Record<string, string>>;
	/** Milliseconds since 1970. */
	readonly at: number;
}

/** What the user decided about a folder. */
export interface Decided {
	readonly trusted?: Trusted;
	/** The hash of the content they do not want to be asked about. */
	readonly declined?: string;
}

/** By the real path of the folder that holds `.hookline`. */
export type Decisions = ReadonlyMap<string, Decided>;

export const recordFile = (home: Home): string => join(home.path, "trust.json");

/** What was decided. A file that cannot be relied on trusts nothing, and `problem` says why, in a sentence. */
export function readDecisions(home: Home): { readonly decisions: Decisions; readonly problem?: string } {
	const file = recordFile(home);
	try {
		return { decisions: parse(file) };
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		return { decisions: new Map(), problem: `${file} cannot be relied on, so no folder is trusted: ${why}. Mend it, or move it away and trust your folders anew.` };
	}
}

/**
 * Changes what stands there, one process after the other; gives what stands there then.
 * @throws TrustError when the file is broken, so that nothing in it is lost, or cannot be written; HomeError.
 */
export async function changeDecisions(home: Home, change: (decisions: Map<string, Decided>) => void): Promise<Decisions> {
	ensureHome(home);
	const lock = await orRefuse(home, () => takeLock(join(home.path, "trust.lock")));
	try {
		const { decisions, problem } = readDecisions(home);
		if (problem !== undefined) throw new TrustError(problem);
		const changed = new Map(decisions);
		change(changed);
		const folders = Object.fromEntries([...changed].toSorted(([a], [b]) => (a < b ? -1 : 1)));
		await orRefuse(home, () => writeAtomically(recordFile(home), `${JSON.stringify({ version: 1, folders }, undefined, "\t")}\n`, { mode: 0o600, until: "disk" }));
		return changed;
	} finally {
		lock.close();
	}
}

async function orRefuse<Result>(home: Home, run: () => Promise<Result>): Promise<Result> {
	try {
		return await run();
	} catch (error) {
		throw new TrustError(`${recordFile(home)} cannot be written (${error instanceof Error ? error.message : String(error)}), so nothing was changed. Make its folder writable, or wait for the other process that writes it.`, { cause: error });
	}
}

/** @throws Error that says what is wrong with the file. */
function parse(file: string): Decisions {
	const found = statSync(file, { throwIfNoEntry: false });
	if (found === undefined) return new Map();
	// The home may be a folder that others can write to: what they put there is not the user's word.
	if (found.uid !== process.getuid?.()) throw new Error("it belongs to another user");
	if ((found.mode & 0o022) !== 0) throw new Error("others may write to it");
	const { version, folders } = objectIn(JSON.parse(readFileSync(file, "utf8")), "the whole");
	if (version !== 1) throw new Error(`its version is ${JSON.stringify(version)}, and 1 is what this Hookline knows`);
	return new Map(Object.entries(objectIn(folders, "'folders'")).map(([folder, decided]) => [folder, decidedIn(objectIn(decided, folder), folder)]));
}

function decidedIn({ trusted, declined }: Record<string, unknown>, folder: string): Decided {
	if (declined !== undefined && typeof declined !== "string") throw new Error(`what it says of ${folder} is no decision`);
	if (trusted === undefined) return declined === undefined ? {} : { declined };
	const { hash, files, at, identities } = objectIn(trusted, folder);
	if (typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash) || typeof at !== "number") throw new Error(`what it says of ${folder} is no decision`);
	return { trusted: { hash, at, files: textsIn(files, folder), ...(identities !== undefined && { identities: textsIn(identities, folder) }) }, ...(declined !== undefined && { declined }) };
}

function textsIn(value: unknown, folder: string): Readonly<Record<string, string>> {
	const texts = objectIn(value, folder);
	if (!Object.values(texts).every((text) => typeof text === "string")) throw new Error(`what it says of ${folder} is no decision`);
	return texts as Record<string, string>;
}

function objectIn(value: unknown, what: string): Record<string, unknown> {
	if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${what} is no JSON object`);
	return value as Record<string, unknown>;
}
