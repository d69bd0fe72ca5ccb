// shell-hooks-allowlist.json in the home: which shell hooks the user said yes to. What it does not say in so many words is not approved.
import { readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../../system/files.ts";
import { ensureHome, type Home } from "../../system/home.ts";
import { takeLock } from "../../system/lock.ts";
import type { ApprovedFile, Definition } from "./definition.ts";
import { identityOf } from "./hashes.ts";

/** An approval cannot be recorded, or what was approved cannot be kept. The message is for the person. */
export class ConsentError extends Error {
	override readonly name = "ConsentError";
}

/** One entry. Hermes writes the first four; without the others it tells only that the hook is to be asked about again. */
export interface Approval {
	/** As config.yaml has it. */
	readonly event: string;
	readonly command: string;
	/** ISO 8601. */
	readonly approved_at?: string;
	readonly script_mtime_at_approval?: string | null;
	/** Of the definition and the files. */
	readonly digest?: string;
	readonly definition?: Definition;
	readonly files?: readonly ApprovedFile[];
	/** The private copy of those files that are run from one. */
	readonly copy?: string;
}

export const allowListFile = (home: Home): string => join(home.path, "shell-hooks-allowlist.json");

export interface AllowList {
	readonly approvals: readonly Approval[];
	/** Why the file cannot be relied on, in a sentence; nothing is approved then. */
	readonly problem?: string;
}

/** The allow list as it is now: it is read again when it has become another file. */
export class AllowListReader {
	readonly #home: Home;
	#identity: string | undefined;
	#list: AllowList = { approvals: [] };

	constructor(home: Home) {
		this.#home = home;
	}

	read(): AllowList {
		const identity = this.#look();
		if (identity === undefined || identity !== this.#identity) {
			this.#list = readAllowList(this.#home);
			this.#identity = identity;
		}
		return this.#list;
	}

	/** Undefined where that cannot be told. */
	#look(): string | undefined {
		try {
			const found = statSync(allowListFile(this.#home), { bigint: true, throwIfNoEntry: false });
			// Written just now: another write may leave the same times.
			return found === undefined ? "none" : Date.now() - Number(found.ctimeMs) < 2_000 ? undefined : identityOf(found);
		} catch {
			return undefined;
		}
	}
}

export function readAllowList(home: Home): AllowList {
	const file = allowListFile(home);
	try {
		return { approvals: parse(file) };
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		return { approvals: [], problem: `${file} cannot be relied on, so no shell hook is approved: ${why}. Mend it; the next approval moves it aside and begins a new one.` };
	}
}

/**
 * Changes the list, one process after the other; gives what stands there then. A broken list is kept beside it as `.broken`.
 * @throws ConsentError when it cannot be written; HomeError.
 */
export async function changeAllowList(home: Home, change: (approvals: readonly Approval[]) => readonly Approval[], warn: (message: string) => void): Promise<readonly Approval[]> {
	ensureHome(home);
	const file = allowListFile(home);
	try {
		const lock = await takeLock(join(home.path, "shell-hooks-allowlist.lock"));
		try {
			const { approvals, problem } = readAllowList(home);
			const changed = change(approvals);
			if (problem !== undefined) {
				const aside = `${file}.broken${statSync(`${file}.broken`, { throwIfNoEntry: false }) ? `-${Date.now()}` : ""}`;
				renameSync(file, aside);
				warn(`${file} could not be relied on and is now ${aside}; a new one is begun.`);
			}
			await writeAtomically(file, `${JSON.stringify({ approvals: changed }, undefined, "\t")}\n`, { mode: 0o600, until: "disk" });
			return changed;
		} finally {
			lock.close();
		}
	} catch (error) {
		throw new ConsentError(`${file} cannot be written (${error instanceof Error ? error.message : String(error)}), so nothing was changed. Make its folder writable, or wait for the other process that writes it.`, { cause: error });
	}
}

/** @throws Error that says what is wrong with the file. */
function parse(file: string): readonly Approval[] {
	const found = statSync(file, { throwIfNoEntry: false });
	if (found === undefined) return [];
	// The home may be a folder that others can write to: what they put there is not the user's word.
	if (found.uid !== process.getuid?.()) throw new Error("it belongs to another user");
	if ((found.mode & 0o022) !== 0) throw new Error("others may write to it");
	// Some editors begin a file with a byte order mark.
	const whole: unknown = JSON.parse(readFileSync(file, "utf8").replace(/^\ufeff/, ""));
	const approvals = isObject(whole) ? whole["approvals"] : undefined;
	if (!Array.isArray(approvals)) throw new Error("it has no list 'approvals'");
	return approvals.map((entry: unknown, i) => {
		if (!isObject(entry) || typeof entry["event"] !== "string" || typeof entry["command"] !== "string") throw new Error(`entry ${i + 1} of 'approvals' names no event and command`);
		const { digest, definition, files, copy } = entry;
		const bound = typeof digest === "string" && /^[0-9a-f]{64}$/.test(digest) && isObject(definition) && Array.isArray(files) && files.every(isApprovedFile) && (copy === undefined || (typeof copy === "string" && /^[0-9a-f]{64}$/.test(copy)));
		// What it was bound to cannot be told: it is asked about again, and an entry of a later version is not lost.
		if (!bound) return { ...withoutBinding(entry), event: entry["event"], command: entry["command"] };
		return entry as unknown as Approval;
	});
}

function withoutBinding({ digest: _, definition: __, files: ___, copy: ____, ...rest }: Record<string, unknown>): Record<string, unknown> {
	return rest;
}

const isApprovedFile = (file: unknown): boolean => isObject(file) && typeof file["path"] === "string" && typeof file["as"] === "string" && typeof file["sha256"] === "string";

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
