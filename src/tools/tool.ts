// A tool as the agent's loop sees it.
import type { JsonObject } from "../events/payloads/facts.ts";
import type { ToolResult } from "../events/payloads/tool.ts";

/** Where and for whom a tool runs. */
export interface ToolContext {
	/** Absolute; relative paths in arguments are resolved against it. */
	readonly cwd: string;
	/** Aborting it ends the tool and everything it started. */
	readonly signal: AbortSignal;
	readonly callId: string;
	/** Background processes belong to the session and end with it. */
	readonly processes: BackgroundProcesses;
	/**
	 * Raw terminal output on its way to anybody: the hooks of `terminal.returning` see it here, before it is cut and cleaned.
	 * Gives the output to go on with, or throws when it is withheld.
	 */
	readonly onTerminalOutput: (raw: { readonly command: string; readonly output: string; readonly exitCode?: number | null }) => Promise<string> | string;
}

/** One process a command left running in the background. */
export interface BackgroundProcess {
	readonly id: string;
	readonly command: string;
	readonly pid: number;
	/** Undefined while it runs; null when a signal ended it. */
	readonly exitCode: number | null | undefined;
	/** Output since the last read, bounded; says what was dropped. */
	read(): string;
	/** Ends its whole process group. Resolves when it is gone. */
	end(): Promise<void>;
}

export interface BackgroundProcesses {
	add(process: BackgroundProcess): void;
	get(id: string): BackgroundProcess | undefined;
	readonly all: readonly BackgroundProcess[];
	[Symbol.asyncDispose](): Promise<void>;
}

export interface Tool {
	readonly name: string;
	/** For the model. Constant: it is part of what providers cache. */
	readonly description: string;
	/** JSON Schema (2020-12) of the arguments, an object. Constant as well. */
	readonly parameters: JsonObject;
	/**
	 * Runs with arguments that fit `parameters`. What goes wrong in the tool's own trade is a result with `isError`, worded so that the model
	 * can mend it; a throw is a defect of the tool and is told to the model as such.
	 */
	run(args: JsonObject, context: ToolContext): Promise<ToolResult>;
}
