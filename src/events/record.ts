// What the trace keeps of a dispatch. Written by the engine, kept by a store, read by `hookline hooks trace` and `explain`.
import type { FailurePolicy, Stage } from "./catalog.ts";
import type { EventName } from "./payloads/all.ts";
import type { JsonObject } from "./payloads/facts.ts";
import type { HostName, Source } from "./registration.ts";

/** The kinds of failure; they all count alike (design: a failure is one class). */
export type FailureKind = "threw" | "timed-out" | "bad-answer" | "invalid-rewrite" | "host-ended" | "cannot-start" | "suspended" | "interrupted" | "too-deep";

/** One live hook in words, as lists show it and as the trace remembers it. */
export interface HookSummary {
	/** `<extension>/<name>`, or `<extension>#<n>`: the same in every process that loads the same files. */
	readonly id: string;
	readonly event: EventName;
	readonly stage: Stage;
	/** Patterns as text; a regular expression as `/source/flags`. */
	readonly matcher: Readonly<Record<string, readonly string[]>>;
	readonly priority: number;
	readonly timeoutMs: number;
	readonly onError: FailurePolicy | "none";
	readonly host: HostName;
	readonly source: Source;
	/** What happens when it fails, as a sentence. */
	readonly ifItFails: string;
}

/** What one hook did in one dispatch. */
export interface HookRecord {
	readonly hook: string;
	readonly stage: Stage;
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	readonly ms: number;
	/** `pass`, `rewrite`, `block` …, `failed`, or for a wrapper `wrapped`. */
	readonly decision: string;
	readonly reason?: string;
	readonly failure?: FailureKind;
	/** The changed fields, redacted, when it rewrote. */
	readonly diff?: readonly FieldChange[];
	/** Notes of the engine: an allow that did not count, a late answer, a conflict. */
	readonly notes?: readonly string[];
}

export interface FieldChange {
	/** Dotted, from the payload down: `args.command`. */
	readonly path: string;
	readonly before: unknown;
	readonly after: unknown;
}

/** One dispatch and everything its hooks did. */
export interface DispatchRecord {
	readonly id: string;
	readonly event: EventName;
	/** Milliseconds since the epoch. */
	readonly at: number;
	readonly ms: number;
	/** The facts and the fields a matcher looks at. */
	readonly facts: JsonObject;
	/** The payload as it came in, redacted and bounded, for `replay`. Absent where it was too large. */
	readonly payload?: JsonObject;
	readonly outcome: "go" | "blocked" | "responded" | "told" | "interrupted";
	/** The hook that decided it, when one did. */
	readonly by?: string;
	readonly reason?: string;
	/** Which set of hooks was live: an id of `HookSet`. */
	readonly hookSet: string;
	readonly hooks: readonly HookRecord[];
}

/** The hooks that were live at some time; records refer to it so that `explain` can name those that did not run. */
export interface HookSet {
	/** Of its content. */
	readonly id: string;
	readonly hooks: readonly HookSummary[];
}

/** Who keeps records. Both calls return at once and never throw; writing is the sink's business. */
export interface TraceSink {
	record(record: DispatchRecord): void;
	hookSet(set: HookSet): void;
}
