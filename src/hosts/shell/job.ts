// One run of a program for a hook: what is started, and what came of it.

export type SandboxMode = "off" | "auto" | "required";

export interface ShellJob {
	/** The program, absolute, and its arguments: no shell is in between. */
	readonly file: string;
	readonly args: readonly string[];
	/** One document; the program may leave it unread. */
	readonly stdin: string;
	/** Absolute. */
	readonly cwd: string;
	/** All of it, but for HOOKLINE_RUN, by which what it starts is found again: nothing of our own environment is added. */
	readonly env: Readonly<Record<string, string>>;
	readonly timeoutMs: number;
	/** The user's stop: ends the whole process group. */
	readonly signal: AbortSignal;
	/** `auto` uses bubblewrap where it is there; `required` fails where it is not. */
	readonly sandbox: SandboxMode;
}

export interface ShellEnded {
	/** Null when a signal ended it. */
	readonly exitCode: number | null;
	readonly signal: string | null;
	/** UTF-8, with U+FFFD for what is none; at most 1 MiB each. */
	readonly stdout: string;
	readonly stderr: string;
	/** Whether one of the two was cut. */
	readonly truncated: boolean;
	readonly sandboxed: boolean;
	readonly ms: number;
}

/** Runs programs for hooks. */
export interface ShellHost extends AsyncDisposable {
	/** How programs are started, for `doctor`: the quick way, or Node's own spawn and why. */
	readonly way: { readonly kind: "spawner" | "node"; readonly why?: string };
	/**
	 * Runs a program to its end, which is its own exit and not that of what it left behind.
	 * @throws HookFailure: `cannot-start` (not there, not executable, no sandbox where one is required), `timed-out`, `interrupted`, `host-ended`. The whole group is gone then.
	 */
	run(job: ShellJob): Promise<ShellEnded>;
}
