// What a handler gets beside the payload, in whatever host it runs.
import type { EventName } from "./payloads/all.ts";
import type { Cause, JsonObject } from "./payloads/facts.ts";

/** Durable notes of one extension; values are plain data. */
export interface DurableState {
	get(key: string): unknown;
	/** @throws Error when the value is no plain data, is over the quota, or cannot be written. */
	set(key: string, value: unknown): void;
	delete(key: string): void;
	keys(): readonly string[];
}

/** What handlers know of the dispatch they run in. Read what you need when you need it: everything here is made on demand. */
export interface HookContext {
	/** The id of this hook, `<extension>/<name>` or `<extension>#<n>`. */
	readonly hook: string;
	/** The event under way; a wildcard hook needs it. */
	readonly event: EventName;
	/** Aborted at the hook's time-out and when the user stops the turn. Pass it on to what you wait for. */
	readonly signal: AbortSignal;
	/** The turn under way; `state` is shared by all hooks of the turn and gone when it ends. */
	readonly turn: { readonly id: string | undefined; readonly state: Map<string, unknown> };
	/** Durable, of this extension alone. */
	readonly state: DurableState;
	/** Notes that hooks earlier in this dispatch left. */
	readonly metadata: JsonObject;
	/** Hand this to whatever fires further events, so that they name this hook as their cause. */
	readonly cause: Cause;
	/** Writes a line to Hookline's log under this hook's name. */
	log(message: string): void;
}
