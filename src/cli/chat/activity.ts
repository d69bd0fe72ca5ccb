// What happens in the agent, as a person wants to see it: tool calls, what hooks did to them, what was asked. Made of events and trace records.
import type { Engine } from "../../engine/engine.ts";
import type { EventName, ObserveEvent, Payloads } from "../../events/payloads/all.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import type { DispatchRecord, HookRecord } from "../../events/record.ts";
import { ownSource } from "../own-hooks.ts";

export type Activity =
	/** The model asked for it; its hooks come next. `child` says that a delegated child did. */
	| { readonly kind: "tool-asked"; readonly callId: string; readonly toolName: string; readonly args: JsonObject; readonly child: boolean }
	| {
			readonly kind: "tool-ended";
			readonly callId: string;
			readonly toolName: string;
			/** As it ran. */
			readonly args: JsonObject;
			readonly status: "ok" | "error" | "blocked";
			readonly text: string;
			readonly durationMs: number;
			readonly blockedBy?: string;
			readonly child: boolean;
	  }
	/** A hook changed, stopped or added something, asked or failed. `callId` is there where it was about a tool call. */
	| { readonly kind: "hook"; readonly event: EventName; readonly callId?: string; readonly by: HookRecord }
	| { readonly kind: "answered"; readonly approved: boolean; readonly by: string; readonly waitedMs: number; readonly toolName?: string; readonly reason?: string }
	| { readonly kind: "child-started" | "child-stopped"; readonly goal: string; readonly status?: string; readonly durationMs?: number }
	| { readonly kind: "step" };

/** Shows what happens from now on. Gives what takes the trace's records, which say what hooks did. */
export function watch(engine: Engine, show: (activity: Activity) => void): void {
	const on = <Name extends ObserveEvent>(event: Name, name: string, handler: (payload: Payloads[Name]) => void) => {
		// Not bounded: a call whose end was dropped would seem to run for ever.
		engine.register([{ event, stage: "observe", options: { name }, queue: Infinity, host: "inline", source: ownSource, handler: handler as (payload: unknown) => void }]);
	};
	const isChild = (payload: { readonly parentSessionId?: string }) => payload.parentSessionId !== undefined;
	on("model.called", "tools-asked", (called) => {
		for (const { id, name, arguments: text } of called.toolCalls) show({ kind: "tool-asked", callId: id, toolName: name, args: argumentsOf(text), child: isChild(called) });
	});
	on("tool.called", "tool-lines", (call) => {
		const { callId, toolName, args, status, result, durationMs, blockedBy } = call;
		// Hands out the records of the call's hooks: they belong before its end.
		engine.recent(1);
		show({ kind: "tool-ended", callId, toolName, args, status, text: result.text, durationMs, ...(blockedBy !== undefined && { blockedBy }), child: isChild(call) });
	});
	on("approval.resolved", "answers", ({ approved, by, waitedMs, toolName, reason }) => {
		show({ kind: "answered", approved, by, waitedMs, ...(toolName !== undefined && { toolName }), ...(reason !== undefined && { reason }) });
	});
	on("subagent.started", "children", ({ goal }) => show({ kind: "child-started", goal }));
	on("subagent.stopped", "children-done", ({ goal, status, durationMs }) => show({ kind: "child-stopped", goal, status, durationMs }));
	on("step.started", "steps", (step) => {
		if (!isChild(step)) show({ kind: "step" });
	});
}

/** The hooks of a dispatch that did something a person should see. */
export function deedsIn({ event, facts, hooks }: DispatchRecord): readonly Activity[] {
	const { callId } = facts;
	return hooks.flatMap((by) => (by.decision === "pass" || by.stage === "observe" ? [] : [{ kind: "hook" as const, event, by, ...(typeof callId === "string" && { callId }) }]));
}

/** What a model sent as arguments; under `arguments` when it is no object. */
export function argumentsOf(text: string): JsonObject {
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
	} catch {
		// The model is told so; here it is shown as it came.
	}
	return { arguments: text };
}
