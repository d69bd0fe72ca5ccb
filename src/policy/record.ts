// approvals.json in the home: what the user always approves. What it does not say in so many words is asked about.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../system/files.ts";
import { ensureHome, type Home } from "../system/home.ts";
import { newId } from "../system/ids.ts";
import { takeLock } from "../system/lock.ts";

/** The approvals cannot be written. The message is for the person. */
export class ApprovalsError extends Error {
	override readonly name = "ApprovalsError";
}

/** One rule that does not ask about one command in one folder. */
export interface Approved {
	readonly id: string;
	readonly rule: string;
	/** The normal form: another command is asked about. */
	readonly command: string;
	/** The folder it runs in, absolute. */
	readonly folder: string;
	/** Milliseconds since 1970. */
	readonly at: number;
}

export const approvalsFile = (home: Home): string => join(home.path, "approvals.json");

/** What is always approved. A file that cannot be relied on approves nothing, and `problem` says why, in a sentence. */
export function readApprovals(home: Home): { readonly approvals: readonly Approved[]; readonly problem?: string } {
	const file = approvalsFile(home);
	try {
		return { approvals: parse(file) };
	} catch (error) {
		return { approvals: [], problem: `${file} cannot be relied on, so everything is asked about: ${error instanceof Error ? error.message : String(error)}. Mend it, or move it away.` };
	}
}

/**
 * Changes what stands there, one process after the other.
 * @throws ApprovalsError when the file is broken, so that nothing in it is lost, or cannot be written; HomeError.
 */
export async function changeApprovals(home: Home, change: (approvals: readonly Approved[]) => readonly Approved[]): Promise<void> {
	ensureHome(home);
	const file = approvalsFile(home);
	try {
		const lock = await takeLock(join(home.path, "approvals.lock"));
		try {
			const { approvals, problem } = readApprovals(home);
			if (problem !== undefined) throw new ApprovalsError(problem);
			await writeAtomically(file, `${JSON.stringify({ version: 1, approvals: change(approvals) }, undefined, "\t")}\n`, { mode: 0o600, until: "disk" });
		} finally {
			lock.close();
		}
	} catch (error) {
		if (error instanceof ApprovalsError) throw error;
		throw new ApprovalsError(`${file} cannot be written (${error instanceof Error ? error.message : String(error)}), so nothing was changed. Make its folder writable, or wait for the other process that writes it.`, { cause: error });
	}
}

/** The approvals with these among them, each once. */
export function withApprovals(approvals: readonly Approved[], added: readonly Omit<Approved, "id" | "at">[]): readonly Approved[] {
	const isNew = (one: Omit<Approved, "id" | "at">) => !approvals.some((other) => other.rule === one.rule && other.command === one.command && other.folder === one.folder);
	return [...approvals, ...added.filter(isNew).map((one) => ({ id: newId("p"), ...one, at: Date.now() }))];
}

/** @throws Error that says what is wrong with the file. */
function parse(file: string): readonly Approved[] {
	const found = statSync(file, { throwIfNoEntry: false });
	if (found === undefined) return [];
	// The home may be a folder that others can write to: what they put there is not the user's word.
	if (found.uid !== process.getuid?.()) throw new Error("it belongs to another user");
	if ((found.mode & 0o022) !== 0) throw new Error("others may write to it");
	const whole = JSON.parse(readFileSync(file, "utf8")) as { version?: unknown; approvals?: unknown } | null;
	if (whole?.version !== 1 || !Array.isArray(whole.approvals)) throw new Error("it is not a list of approvals of version 1");
	return whole.approvals.map((entry: unknown, i) => {
		const { id, rule, command, folder, at } = (typeof entry === "object" && entry !== null ? entry : {}) as Partial<Approved>;
		if (typeof id !== "string" || typeof rule !== "string" || typeof command !== "string" || typeof folder !== "string" || typeof at !== "number") throw new Error(`entry ${i + 1} is no approval`);
		return { id, rule, command, folder, at };
	});
}
