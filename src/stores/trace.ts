// The trace as it is kept and asked for.
import type { EventName } from "../events/payloads/all.ts";
import type { DispatchRecord, HookSet, TraceSink } from "../events/record.ts";

/** All given fields must match. */
export interface TraceFilter {
	readonly event?: EventName;
	/** The id of a hook that ran in the dispatch. */
	readonly hook?: string;
	readonly sessionId?: string;
	/** 20 when not given. */
	readonly limit?: number;
}

/** The reads throw StoreError when the database does not answer; they include what is still queued. */
export interface Traces extends TraceSink {
	/** Writes what is queued, as far as the database takes it; never throws. */
	flush(): void;
	/** Last recorded first. */
	recent(filter?: TraceFilter): readonly DispatchRecord[];
	/** What was recorded of a session at these events, the oldest first, a few at a time. */
	ofSession(sessionId: string, events: readonly EventName[]): Iterable<DispatchRecord>;
	/** The last dispatch of any of these events. */
	lastOf(events: EventName | readonly EventName[]): DispatchRecord | undefined;
	/** The hooks a record's `hookSet` refers to; undefined when they are no longer kept. */
	findHookSet(id: string): HookSet | undefined;
}

export const defaultMaxRecords = 1_000_000;
