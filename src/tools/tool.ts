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
	/** What tools keep with the session. */
	readonly kept: Kept;
	readonly settings: ToolSettings;
	/** Where somebody watches a command while it runs: pieces of its output, raw. */
	readonly onOutput?: (chunk: Buffer) => void;
	/**
	 * Raw terminal output on its way to anybody: the hooks of `terminal.returning` see it here, before it is cut and cleaned.
	 * Gives the output to go on with, or throws when it is withheld.
	 */
	readonly onTerminalOutput: (raw: { readonly command: string; readonly output: string; readonly exitCode?: number | null }) => Promise<string> | string;
}

/** Plain data by key, kept with a session and there again when it is resumed. */
export interface Kept {
	/** A fresh copy; undefined when there is none. */
	get(key: string): unknown;
	/** @throws StoreError when it cannot be kept; the old value then stands. */
	set(key: string, value: unknown): void;
}

/** What the user configured for the tools. Absent parts are not there for them. */
export interface ToolSettings {
	readonly web?: {
		/** `host` or `host:port`; these may have a private address. */
		readonly allowHosts?: readonly string[];
		readonly search?: WebSearchSettings;
	};
	/** Takes secrets out of terminal output, after its hooks and before anybody else; absent, it stays as it is. */
	readonly redact?: (text: string) => string;
	/** Where `memory` keeps its notes, absolute. */
	readonly memoryFolder?: string;
}

export interface WebSearchSettings {
	readonly provider: "searxng" | "brave";
	/** Where it answers, when that is not the provider's own address. */
	readonly baseUrl?: string;
	/** The variable the key is to be in; for messages. */
	readonly apiKeyEnv?: string;
	readonly apiKey?: string;
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
