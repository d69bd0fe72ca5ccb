// A program that was started, whichever way: what the ways have in common.

export interface StartRequest {
	/** Absolute. */
	readonly file: string;
	readonly args: readonly string[];
	readonly stdin: string;
	/** Absolute. */
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
}

/** Bytes that are kept of each output. */
export const outputLimit = 1024 * 1024;

export interface Ended {
	/** Also the id of its group and its session. */
	readonly pid: number;
	/** Null when a signal ended it. */
	readonly exitCode: number | null;
	readonly signal: string | null;
	/** At most `outputLimit` bytes each. */
	readonly stdout: Buffer;
	readonly stderr: Buffer;
	readonly truncated: boolean;
}

export interface Started {
	/** Rejects with StartError when it could not be started, with WayEnded when nobody knows what became of it. */
	readonly ended: Promise<Ended>;
	/** Ends the group: SIGTERM, then SIGKILL after `graceMs`. Resolves when it is gone, which may be never. */
	end(graceMs: number): Promise<void>;
}

/** A program that could not be started. */
export class StartError extends Error {
	override readonly name = "StartError";
	/** The system's own word, such as `ENOENT`, or a sentence. */
	readonly code: string;
	/** The folder it was to start in is what is wrong. */
	readonly atFolder: boolean;

	constructor(code: string, atFolder: boolean, cause?: unknown) {
		super(code, { cause });
		this.code = code;
		this.atFolder = atFolder;
	}
}

/** What starts programs has ended itself; the message says how, with itself as the subject. */
export class WayEnded extends Error {
	override readonly name = "WayEnded";
}
