// A shell hook as config.yaml has it, read and checked.
import type { EventName } from "../../events/payloads/all.ts";
import type { Source } from "../../events/registration.ts";
import type { SandboxMode } from "../../hosts/shell/job.ts";

export interface ShellHook {
	/** `shell/<n>` in the order of the file, or `shell/<name>`; unique. The engine calls it the same. */
	readonly id: string;
	/** As it was written: a name of Hermes or one of ours. */
	readonly written: string;
	readonly event: EventName;
	/** As it was written. */
	readonly command: string;
	/** `command` split into words as a POSIX shell would, `~` at its beginning resolved. */
	readonly words: readonly [string, ...string[]];
	/** Matches a whole tool name; absent where all tools are meant. */
	readonly matcher?: string;
	readonly timeoutMs: number;
	readonly failClosed: boolean;
	/** Names of environment variables that are passed on. */
	readonly env: readonly string[];
	readonly priority?: number;
	/** Told without anybody waiting; its answer counts for nothing. */
	readonly async: boolean;
	readonly sandbox: SandboxMode;
	readonly mode: "strict" | "faithful";
	readonly trust: Source["trust"];
	/** Absolute, with where it stands there; both count from 1. */
	readonly file: string;
	readonly line: number;
	readonly column: number;
}

/** What consent makes of a hook: what is really started, or why nothing is. */
export type Consented =
	/** `file` and `args` name the private copy of what was hashed, where the hook runs a script. */
	| { readonly kind: "approved"; readonly file: string; readonly args: readonly string[] }
	/** Nothing was said yes to, or something else was: the reason is a sentence for model, user, lists. */
	| { readonly kind: "unapproved"; readonly reason: string };
