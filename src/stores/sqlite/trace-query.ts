// The SQL behind `recent`. Each shape is driven by the index that leaves the least to look at: a session has some thousand dispatches at
// most, a hook or an event may have a million.
import type { SQLInputValue } from "node:sqlite";
import type { TraceFilter } from "../trace.ts";

export interface Query {
	readonly sql: string;
	readonly values: readonly SQLInputValue[];
}

export function recentQuery({ event, hook, sessionId, limit = 20 }: TraceFilter): Query {
	if (sessionId !== undefined) {
		const onEvent = event === undefined ? "" : "AND event = ?";
		const withHook = hook === undefined ? "" : "AND EXISTS (SELECT 1 FROM dispatch_hooks h WHERE h.hook = ? AND h.n = d.n)";
		const values = [sessionId, event, hook, limit].filter((value) => value !== undefined);
		return { sql: `SELECT n, json FROM dispatches d WHERE session_id = ? ${onEvent} ${withHook} ORDER BY n DESC LIMIT ?`, values };
	}
	if (hook !== undefined) {
		const onEvent = event === undefined ? "" : "AND h.event = ?";
		return {
			// CROSS JOIN: in this order.
			sql: `SELECT d.n, json FROM dispatch_hooks h CROSS JOIN dispatches d ON d.n = h.n WHERE h.hook = ? ${onEvent} ORDER BY h.n DESC LIMIT ?`,
			values: event === undefined ? [hook, limit] : [hook, event, limit],
		};
	}
	if (event !== undefined) return { sql: "SELECT n, json FROM dispatches WHERE event = ? ORDER BY n DESC LIMIT ?", values: [event, limit] };
	return { sql: "SELECT n, json FROM dispatches ORDER BY n DESC LIMIT ?", values: [limit] };
}
