// Why a hook did or did not run in a recorded dispatch. Works on what a store kept, so it also answers for yesterday.
import { specOf } from "../events/catalog.ts";
import type { DispatchRecord, HookRecord, HookSummary } from "../events/record.ts";
import { matcherFields, payloadFieldOf, textMatches } from "./matcher.ts";

export interface Explanation {
	readonly ran: boolean;
	/** One or two sentences for the person who asks. */
	readonly why: string;
}

/** Why the hook took part in the dispatch, or why it did not. It is taken to have been live then: whether it was, the record's hook set says. */
export function explain(summary: HookSummary, record: DispatchRecord): Explanation {
	const own = record.hooks.filter((entry) => entry.hook === summary.id && entry.stage === summary.stage);
	if (own.length > 0) return { ran: !own.every(wasHeldBack), why: own.map((entry) => inWords(summary, entry)).join(" ") };
	if (summary.event !== record.event) return { ran: false, why: otherEvent(summary, record) };
	const mismatch = mismatchOf(summary, record);
	if (mismatch !== undefined) return { ran: false, why: mismatch };
	return notReached(summary, record);
}

/** On the list, but its handler was not called. */
const wasHeldBack = ({ failure, decision }: HookRecord): boolean => failure === "suspended" || decision === "dropped";

function inWords(summary: HookSummary, { decision, ms, reason, failure, notes }: HookRecord): string {
	const noted = notes === undefined ? "" : ` (${notes.join("; ")})`;
	const saying = reason === undefined ? "" : `: ${reason}`;
	if (failure === "suspended") return `It was not called: it ${reason ?? "was on hold"}.${consequence(summary)}`;
	if (decision === "dropped") return `It was not told${noted}.`;
	if (failure === "interrupted") return `It was called and ${reason ?? "was stopped together with the turn"}, after ${ms} ms.`;
	if (failure !== undefined) return `It ran and failed (${failure}) after ${ms} ms${saying}.${consequence(summary)}`;
	if (decision === "told" || decision === "wrapped") return `It ran, for ${ms} ms${noted}.`;
	return `It ran and answered ${decision} after ${ms} ms${saying}${noted}.`;
}

function consequence({ onError }: HookSummary): string {
	if (onError === "none") return "";
	return onError === "closed" ? " It is closed, so that counted as a no, unless the operation had run by then." : " It is open, so things went on without it.";
}

function otherEvent(summary: HookSummary, { event }: DispatchRecord): string {
	const own = specOf(summary.event).kind;
	if (own === specOf(event).kind) return `It is a hook of ${summary.event}, and this was ${event}.`;
	return own === "observe"
		? `It is told ${summary.event}, which has happened; this was ${event}, which was only about to happen.`
		: `It decides ${summary.event}, which is about to happen; this was ${event}, which had happened.`;
}

/** The first field that did not fit, with what it wanted and what it was. */
function mismatchOf({ matcher }: HookSummary, { facts }: DispatchRecord): string | undefined {
	for (const field of matcherFields) {
		const patterns = matcher[field];
		if (patterns === undefined) continue;
		const given = facts[payloadFieldOf(field)];
		const value = typeof given === "string" ? given : undefined;
		if (textMatches(patterns, value)) continue;
		return `Its matcher wants the ${field} ${patterns.map((pattern) => `'${pattern}'`).join(" or ")}, and ${value === undefined ? "there was none here" : `this was '${value}'`}.`;
	}
	return undefined;
}

/** Its event and its matcher fit, and still nothing was noted of it. */
function notReached({ event, stage }: HookSummary, record: DispatchRecord): Explanation {
	const spec = specOf(event);
	if (spec.kind === "observe") {
		if (spec.frequent) return { ran: true, why: `It was told and did not fail: of ${event}, which comes many times a second, only failures are noted.` };
		return { ran: false, why: notLive };
	}
	const ofOperation = record.hooks.some((entry) => entry.stage === "wrap");
	if (stage === "wrap") return { ran: false, why: ofOperation ? "A wrapper outside of it did not call next(), so it was not reached." : aroundNothing(record) };
	if (ofOperation) return { ran: false, why: "This is the record of the operation and its wrappers. Transforms and guards had answered before; their dispatch has a record of its own." };
	const end = endOfChain(record);
	if (end === undefined) return { ran: false, why: notLive };
	return { ran: false, why: stage === "guard" ? `${end}, so there was nothing left to judge: guards are asked about what would go ahead.` : `${end}, which ended the chain before it was reached.` };
}

const notLive = "Its event and its matcher fit, and nothing ended the dispatch before it: it was not live at that moment.";

function aroundNothing(record: DispatchRecord): string {
	if (record.outcome === "go") return "Wrappers run around the operation, which has a record of its own after this one.";
	const by = record.by === undefined ? "" : ` by ${record.by}`;
	return `Wrappers run only when the call goes ahead, and this one did not: it was ${record.outcome}${by}${record.reason === undefined ? "" : `: ${record.reason}`}`;
}

/** Who ended the chain of transforms, as the beginning of a sentence. */
function endOfChain({ hooks, outcome, by }: DispatchRecord): string | undefined {
	if (outcome === "go" || outcome === "told" || hooks.some((entry) => entry.stage === "guard")) return undefined;
	const last = hooks.findLast((entry) => entry.stage === "transform");
	if (last === undefined) return undefined;
	if (outcome === "interrupted") return last.failure === "interrupted" ? `The turn was stopped while ${last.hook} was at work` : undefined;
	if (last.hook !== by) return undefined;
	return last.failure === undefined ? `${last.hook} answered ${last.decision}${last.reason === undefined ? "" : ` (${last.reason})`}` : `${last.hook} failed (${last.failure}) and is closed`;
}
