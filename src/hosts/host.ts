// Where an extension's code runs. A host reads an extension's file, runs its factory, and gives back hooks that the engine can call without
// knowing what lies behind them.
import type { Brings } from "../events/brings.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { HookDefinition, Source } from "../events/registration.ts";

/** An extension as a host takes it. */
export interface ExtensionFile {
	readonly name: string;
	/** Absolute; TypeScript or JavaScript. */
	readonly file: string;
	readonly trust: Source["trust"];
	/** What makes an extension of a file that exports none as it stands: a handler that was written for another agent. */
	readonly loader?: ScriptLoader;
}

/** The part of a dialect that runs where the file does. */
export interface ScriptLoader {
	/** One of our modules, absolute. It has `extensionOf(module, settings)`: an Extension of what the file exports, or an Error in words for the author. */
	readonly module: string;
	/** Plain data. */
	readonly settings: JsonObject;
}

/** An extension whose factory has returned. */
export interface LoadedExtension {
	readonly name: string;
	readonly file: string;
	/** In the order of registration; ready for `engine.register`. */
	readonly definitions: readonly HookDefinition[];
	/** What it brings beside hooks, when it does. */
	readonly brings?: Brings;
	/** Takes it out of its host, after the calls under way. Remove its hooks from the engine first. Calling it again does nothing. */
	unload(): Promise<void>;
}

export interface LoadOptions {
	/** Milliseconds for the file and its factory together; 10,000 when not given. */
	readonly timeoutMs?: number;
	/** What the extension brings has changed since it was loaded; this is all of it. */
	readonly onBrings?: (brings: Brings) => void;
}

export interface Host extends AsyncDisposable {
	/**
	 * Reads an extension's file anew, also when it was loaded before, and runs its factory.
	 * @throws LoadError that says in which line of which file what is wrong.
	 */
	load(extension: ExtensionFile, options?: LoadOptions): Promise<LoadedExtension>;
}

/** Something an extension did outside of any call, where nobody could catch it. */
export interface Stray {
	readonly extension: string;
	readonly file: string;
	readonly line?: number;
	/** What happened, without the stack. */
	readonly message: string;
	/** `run`: an error in a timer, a callback or a promise nobody waits for. `host`: it ended the process it runs in. */
	readonly during: "run" | "host";
}

export const defaultLoadMs = 10_000;

/** An extension that could not be loaded. The message is `<file>:<line>: <cause>`, made for the author. */
export class LoadError extends Error {
	override readonly name = "LoadError";
	readonly extension: string;
	/** Where the mistake is: the extension's file or one it imports. */
	readonly file: string;
	readonly line: number | undefined;
	/** The message without the place. */
	readonly why: string;

	constructor(extension: string, place: { readonly file: string; readonly line?: number | undefined }, why: string, cause?: unknown) {
		super(`${place.file}${place.line === undefined ? "" : `:${place.line}`}: ${why}`, { cause });
		this.extension = extension;
		this.file = place.file;
		this.line = place.line;
		this.why = why;
	}
}
