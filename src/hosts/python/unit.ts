// What lives in a Python host: a plugin, a handler, an extension, loaded by the Python part of its dialect.
import type { JsonObject } from "../../events/payloads/facts.ts";

/** Something that is loaded as one and leaves as one. */
export interface PythonUnit {
	/** The extension in lists, messages and the trace. */
	readonly name: string;
	/** The Python part of its dialect, one of ours, absolute: it has `load(unit, host)`, which imports the user's code and says what it registered. */
	readonly loader: string;
	/** What the loader is told: paths, configuration. Plain data. */
	readonly settings: JsonObject;
	/** What is said of a callback without what may differ when the unit is loaded again; all of it counts when absent. */
	readonly withoutPassing?: (what: JsonObject) => JsonObject;
}

/** One callback of a unit, as its loader named it. Plain data of the dialect beside the id. */
export interface PythonCallback {
	readonly id: number;
	readonly what: JsonObject;
}

export interface PythonCall {
	/** Plain data. */
	readonly payload: JsonObject;
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
}

export interface LoadedUnit {
	readonly name: string;
	readonly callbacks: readonly PythonCallback[];
	/**
	 * Calls a callback: a coroutine function on the host's loop, any other in a thread of its own. Gives what it returned, as plain data.
	 * @throws HookFailure: `threw`, `bad-answer` (what it returned is no plain data), `timed-out`, `interrupted`, `host-ended`, `suspended`.
	 */
	call(id: number, call: PythonCall): Promise<unknown>;
	/** Runs what it registered to be run at its end, in reverse order, and forgets it. */
	unload(): Promise<void>;
}

/**
 * What Python code can ask of the agent, by name. A rejection is raised there with its message. `signal` is aborted when nobody waits for the answer any
 * more: the call that asked is over, or its process has ended.
 */
export type PythonServices = Readonly<Record<string, (unit: string, args: JsonObject, signal: AbortSignal) => Promise<unknown>>>;

export interface PythonHostOptions {
	/** Of the trust domain, for messages: `user`, `project …`. */
	readonly name: string;
	/** An interpreter, absolute or on PATH, or the folder of a virtual environment; `python3` when neither is given. */
	readonly python?: { readonly executable?: string; readonly venv?: string };
	readonly services: PythonServices;
	/** Variables that its code gets beside the harmless ones. */
	readonly environment?: Readonly<Record<string, string>>;
	/** What a unit prints, a line at a time. */
	readonly log: (unit: string, line: string) => void;
	/** A unit failed outside of any call, or the host ended. */
	readonly onStray: (stray: { readonly unit: string; readonly message: string; readonly during: "run" | "host" }) => void;
}

/** One Python interpreter for one trust domain. Started by the first load. */
export interface PythonHost extends AsyncDisposable {
	/**
	 * Loads a unit. After the host ended it is loaded again by itself, with the same callbacks.
	 * @throws LoadError in words for its author; also when there is no Python, which is said once in the same words for all.
	 */
	load(unit: PythonUnit): Promise<LoadedUnit>;
}
