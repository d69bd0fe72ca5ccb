// What SQLite and the file system say, as something a person can act on.
import { StoreError, type StoreProblem } from "../store.ts";

/** SQLite's primary result codes. */
const problems: Readonly<Record<number, StoreProblem>> = {
	5: "locked",
	6: "locked",
	8: "read-only",
	10: "unreadable",
	11: "damaged",
	13: "full",
	14: "unreadable",
	26: "damaged",
};
const fileProblems: Readonly<Record<string, StoreProblem>> = {
	ENOSPC: "full",
	EDQUOT: "full",
	EROFS: "read-only",
	EACCES: "read-only",
	EPERM: "read-only",
	EISDIR: "unreadable",
	ENOTDIR: "unreadable",
	ENOENT: "unreadable",
	ELOOP: "unreadable",
	EIO: "unreadable",
	EMFILE: "unreadable",
	ENFILE: "unreadable",
};
/** SQLITE_IOERR_SHMSIZE: the file beside the database could not grow, which is how a full disk shows when it is opened. */
const sharedMemoryCannotGrow = 4874;

/**
 * The StoreError that says what went wrong with this file.
 * @returns the error itself when it is no trouble with the file, but a defect of ours or already told
 */
export function storeError(error: unknown, path: string): unknown {
	if (!(error instanceof Error) || error instanceof StoreError) return error;
	const { code, errcode } = error as { code?: unknown; errcode?: unknown };
	if (code === "ERR_INVALID_STATE") return new StoreError("closed", `The store ${path} was used after it had been closed; this is a defect of Hookline.`, error);
	if (code === "ERR_SQLITE_ERROR" && typeof errcode === "number") {
		const problem = errcode === sharedMemoryCannotGrow ? "full" : problems[errcode & 0xff];
		return problem ? new StoreError(problem, sentence(problem, path, error.message), error) : error;
	}
	const problem = typeof code === "string" ? fileProblems[code] : undefined;
	return problem ? new StoreError(problem, sentence(problem, path, error.message), error) : error;
}

function sentence(problem: StoreProblem, path: string, detail: string): string {
	switch (problem) {
		case "full":
			return `The disk is full: ${path} cannot grow. Free some space, then go on.`;
		case "read-only":
			return `${path} cannot be written (${detail}). Make it and its folder writable, or set HOOKLINE_HOME to a folder that is.`;
		case "locked":
			return `Another process is writing to ${path} and does not finish. Try again; if it goes on, end the other hookline processes.`;
		case "damaged":
			return `${path} is damaged or is no database (${detail}). It was left as it is: move it away, with its -wal and -shm files, and a new one is made at the next start.`;
		default:
			return `${path} cannot be opened or read (${detail}). Check the path and the disk, or set HOOKLINE_HOME to another folder.`;
	}
}
