// `hookline hooks trace` and `explain`: what hooks did, and why one did not.
import { isEventName, eventNames, specOf } from "../../events/catalog.ts";
import type { DispatchRecord, HookRecord, HookSummary } from "../../events/record.ts";
import { explain as explainOne } from "../../engine/explain.ts";
import { openStore } from "../../stores/open.ts";
import type { Store } from "../../stores/store.ts";
import { homeOf } from "../../system/home.ts";
import { didYouMean } from "../../system/nearest.ts";
import { visibleLine } from "../../system/visible.ts";
import { exitCodes, UsageError } from "../exit.ts";
import { ms, note, print, printJson, warn, when } from "../output.ts";
import { findHooks, openLive } from "./live.ts";

export interface TraceOptions {
	readonly event?: string;
	readonly hook?: string;
	readonly session?: string;
	readonly limit: string;
	readonly all?: boolean;
	readonly json?: boolean;
}

/** Reads the store alone: looking at what hooks did must not load them. */
export function trace(options: TraceOptions): number {
	const limit = Number(options.limit);
	if (!Number.isInteger(limit) || limit < 1) throw new UsageError(`--limit must be a whole number from 1, not '${options.limit}'.`);
	const event = options.event === undefined ? undefined : eventOf(options.event);
	using store = openStore(homeOf(process.env), { onProblem: warn });
	const filter = { ...(event && { event }), ...(options.hook !== undefined && { hook: options.hook }), ...(options.session !== undefined && { sessionId: options.session }) };
	// Dispatches in which no hook ran say something to `explain`, and little here.
	const records = store.trace
		.recent({ ...filter, limit: options.all ? limit : limit * 20 })
		.filter((record) => options.all || record.hooks.length > 0 || "always" in specOf(record.event))
		.slice(0, limit)
		.toReversed();
	if (options.json) for (const record of records) printJson(record);
	else if (records.length === 0) note("The trace has no such dispatch. Events that nothing hooks are not traced.");
	else for (const record of records) print(recordLines(record));
	return exitCodes.fine;
}

export function eventOf(name: string) {
	if (isEventName(name)) return name;
	throw new UsageError(`There is no event '${name}'.${didYouMean(name, eventNames)} 'hookline hooks events' lists them all.`);
}

/** A dispatch in words: what, how it came out, and a line for each hook. */
export function recordLines(record: DispatchRecord): string {
	const tool = typeof record.facts["toolName"] === "string" ? ` ${record.facts["toolName"]}` : "";
	const outcome = record.outcome === "told" ? "" : ` → ${record.outcome}${record.by === undefined ? "" : ` by ${record.by}`}${record.reason === undefined ? "" : `: ${visibleLine(record.reason)}`}`;
	const refusal = record.event === "extension.refused" ? `  ${visibleLine(`${String(record.payload?.["extension"])}: ${String(record.payload?.["message"])}`)}` : "";
	return [`${when(record.at)}  ${record.event}${visibleLine(tool)}${outcome}${refusal}`, ...record.hooks.flatMap(hookLines)].join("\n");
}

function hookLines(hook: HookRecord): readonly string[] {
	const reason = hook.reason === undefined ? "" : `  ${visibleLine(hook.reason)}`;
	const lines = [`    ${hook.hook}  ${hook.stage}  ${hook.decision}${hook.failure === undefined ? "" : ` (${hook.failure})`}  ${ms(hook.ms)}${reason}`];
	for (const { path, before, after } of hook.diff ?? []) lines.push(`        ${path}: ${short(before)} → ${short(after)}`);
	for (const note of hook.notes ?? []) lines.push(`        ${visibleLine(note)}`);
	return lines;
}

function short(value: unknown): string {
	const text = visibleLine(JSON.stringify(value) ?? "nothing");
	return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** The last dispatch that can say something about a hook: an operation and its wrappers have a record of their own, which only concerns wrappers. */
function lastConcerning({ event, stage }: HookSummary, { trace }: Store): DispatchRecord | undefined {
	const records = trace.recent({ event, limit: 50 });
	return stage === "wrap" ? records[0] : records.find(({ hooks }) => !hooks.some((hook) => hook.stage === "wrap"));
}

/** Why a hook did or did not run at the last dispatch of each of its events. */
export async function explain(id: string, { json, event }: { readonly json?: boolean; readonly event?: string }): Promise<number> {
	const only = event === undefined ? undefined : eventOf(event);
	await using runtime = await openLive();
	const answers = findHooks(runtime, id)
		.filter((hook) => only === undefined || hook.event === only)
		.map((hook) => {
			const record = lastConcerning(hook, runtime.store);
			if (record === undefined) return { hook: hook.id, event: hook.event, ran: false, why: `${hook.event} was never dispatched while anything was hooked there.` };
			const then = runtime.store.trace.findHookSet(record.hookSet)?.hooks.find((known) => known.id === hook.id && known.event === hook.event);
			const at = { at: record.at, dispatch: record.id };
			if (then === undefined) return { hook: hook.id, event: hook.event, ran: false, why: "It was not registered then: its extension was added, changed or left out (--no-hooks) in between.", ...at };
			return { hook: hook.id, event: hook.event, ...explainOne(then, record), ...at };
		});
	if (only !== undefined && answers.length === 0) throw new UsageError(`${id} is not registered at ${only}; 'hookline hooks show ${id}' says where it is.`);
	if (json) printJson(answers);
	else for (const answer of answers) print(`${answer.hook} at ${answer.event}${"at" in answer ? `, last dispatched ${when(answer.at as number)}` : ""}:\n    ${answer.ran ? "It ran." : "It did not run."} ${visibleLine(answer.why)}`);
	return exitCodes.fine;
}
