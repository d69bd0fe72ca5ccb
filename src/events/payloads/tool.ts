import type { Facts, JsonObject } from "./facts.ts";

/** What a tool gave back, as the model will read it. */
export interface ToolResult {
	readonly text: string;
	readonly isError: boolean;
	/** More for hooks and stores: exit code, paths, counts. Plain data. */
	readonly details?: JsonObject;
}

export interface ToolFacts extends Facts {
	readonly toolName: string;
	/** The id the model gave the call. */
	readonly callId: string;
	readonly args: JsonObject;
}

export interface ToolCalling extends ToolFacts {}

export interface TerminalReturning extends Facts {
	readonly callId: string;
	readonly command: string;
	/** Raw: neither cut, nor stripped of escape sequences, nor redacted. */
	readonly output: string;
	/** Absent while a background command still runs, null when a signal ended it. */
	readonly exitCode?: number | null;
}

export interface ToolReturning extends ToolFacts {
	readonly result: ToolResult;
	readonly durationMs: number;
}

export interface ToolPersisting extends ToolFacts {
	readonly result: ToolResult;
}

export interface ToolCalled extends ToolFacts {
	readonly status: "ok" | "error" | "blocked";
	readonly result: ToolResult;
	readonly durationMs: number;
	/** Why it was blocked and by which hook, when it was. */
	readonly blockedBy?: string;
}

export interface ApprovalRequested extends Facts {
	readonly approvalId: string;
	readonly event: string;
	readonly toolName?: string;
	/** What will run, exactly, if the answer is yes. */
	readonly args: unknown;
	readonly reasons: readonly { readonly hook: string; readonly reason: string }[];
	/** SHA-256 of the value the answer is bound to. */
	readonly digest: string;
	/** What it is about: the command in its normal form where Hookline's own guard asks, else the command as it is, or the arguments as JSON. */
	readonly command: string;
	/** All reasons in one text. */
	readonly description: string;
	/** What asks, the first of `patternKeys`: a rule of Hookline's own guard, or the hook. */
	readonly patternKey: string;
	readonly patternKeys: readonly string[];
	readonly sessionKey: string;
}

export interface ApprovalResolved extends ApprovalRequested {
	readonly approved: boolean;
	readonly choice: "once" | "session" | "always" | "deny" | "timeout";
	/** `person`, or why nobody answered: `nobody-there`, `timed-out`, `interrupted`. */
	readonly by: string;
	readonly reason?: string;
	readonly waitedMs: number;
}
