// The trace: what every hook did in every dispatch. During a dispatch only references are noted; they are turned into records later,
// off the path. That is sound because everything referred to is frozen.
import { createHash } from "node:crypto";
import type { Decision } from "../events/decision.ts";
import type { HookFailure } from "../events/failure.ts";
import type { EventName } from "../events/payloads/all.ts";
import type { Facts, JsonObject } from "../events/payloads/facts.ts";
import type { DispatchRecord, FieldChange, HookRecord, HookSet, HookSummary, TraceSink } from "../events/record.ts";
import { newId } from "../system/ids.ts";
import { redacted } from "../system/redact.ts";
import { changeForTrace, diff, forTrace } from "./diff.ts";
import type { Outcome } from "./outcome.ts";
import type { Hook } from "./plan.ts";

/** One hook's part of a dispatch, as noted on the path. */
export interface HookEntry {
	readonly hook: Hook;
	/** Clock of the engine, ms. */
	readonly started: number;
	readonly ms: number;
	/** Or the decision in a word, where there are no decisions. */
	readonly decisions?: readonly Decision[] | undefined;
	readonly decision?: string | undefined;
	readonly failure?: HookFailure | undefined;
	readonly before?: object | undefined;
	readonly after?: object | undefined;
	readonly notes?: readonly string[] | undefined;
}

/** One dispatch under way. */
export interface DispatchEntry {
	readonly event: EventName;
	readonly payload: Facts;
	/** Clock of the engine, ms. */
	readonly started: number;
	readonly hooks: HookEntry[];
	endedAt: number;
	outcome: Outcome | "told" | undefined;
}

const factNames = ["surface", "platform", "cwd", "profile", "sessionId", "parentSessionId", "turnId", "step", "userId", "chatId", "threadId", "chatType", "cause", "toolName", "callId", "model", "name"] as const;

/**
 * Keeps the newest entries in memory and hands a record of each to a sink, which is where they last. Records are made in batches off the
 * path; without a sink only those that somebody reads are made.
 */
export class Trace {
	readonly #capacity: number;
	readonly #sink: TraceSink | undefined;
	readonly #hooks: () => readonly HookSummary[];
	readonly #ring: (DispatchEntry | DispatchRecord)[] = [];
	/** How many entries were ever finished, and how many of them are records by now. */
	#finished = 0;
	#recorded = 0;
	#timer: NodeJS.Timeout | undefined;
	#hookSet: HookSet | undefined;

	/** `hooks` gives what is live; it is read again after `hooksChanged`. */
	constructor(options: { readonly capacity: number; readonly sink: TraceSink | undefined; readonly hooks: () => readonly HookSummary[] }) {
		if (!Number.isInteger(options.capacity) || options.capacity < 1) throw new RangeError(`trace.capacity must be a whole number from 1, not ${options.capacity}`);
		this.#capacity = options.capacity;
		this.#sink = options.sink;
		this.#hooks = options.hooks;
	}

	begin(event: EventName, payload: Facts, started: number): DispatchEntry {
		return { event, payload, started, hooks: [], endedAt: 0, outcome: undefined };
	}

	/** Takes an entry that is complete. Also called for one without hooks: that none matched is an answer to "why did mine not fire". */
	finish(entry: DispatchEntry, outcome: Outcome | "told", at: number): void {
		entry.outcome = outcome;
		entry.endedAt = at;
		if (this.#sink !== undefined) {
			if (this.#finished - this.#recorded >= this.#capacity) this.flush();
			this.#timer ??= setTimeout(() => this.flush(), 50).unref();
		}
		this.#ring[this.#finished++ % this.#capacity] = entry;
	}

	/** The hooks are about to change: entries so far belong to the set that was. */
	hooksChanged(): void {
		this.flush();
		this.#hookSet = undefined;
	}

	/** Makes records of everything finished so far. */
	flush(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		if (this.#recorded === this.#finished) return;
		const set = this.#currentSet();
		for (let n = Math.max(this.#recorded, this.#finished - this.#capacity); n < this.#finished; n++) {
			const at = n % this.#capacity;
			const record = toRecord(this.#ring[at] as DispatchEntry, set.id);
			// The record takes the place of the entry, which holds on to whole payloads.
			this.#ring[at] = record;
			this.#sink?.record(record);
		}
		this.#recorded = this.#finished;
	}

	/** The newest records, oldest first. */
	recent(limit = this.#capacity): readonly DispatchRecord[] {
		this.flush();
		const count = Math.min(limit, this.#capacity, this.#finished);
		return Array.from({ length: count }, (_, i) => this.#ring[(this.#finished - count + i) % this.#capacity] as DispatchRecord);
	}

	#currentSet(): HookSet {
		if (this.#hookSet === undefined) {
			const hooks = this.#hooks();
			this.#hookSet = { id: createHash("sha256").update(JSON.stringify(hooks)).digest("hex").slice(0, 16), hooks };
			this.#sink?.hookSet(this.#hookSet);
		}
		return this.#hookSet;
	}
}

function toRecord(entry: DispatchEntry, hookSet: string): DispatchRecord {
	const payload = entry.payload as unknown as JsonObject;
	// What a redacting hook took out must not lie in the trace instead: the payload is kept as it left that hook.
	const clean = (entry.hooks.findLast(({ hook, after }) => hook.redacts && after !== undefined)?.after ?? payload) as JsonObject;
	const facts: Record<string, unknown> = {};
	for (const name of factNames) if (payload[name] !== undefined) facts[name] = payload[name];
	return {
		id: entry.payload.eventId || newId("d"),
		event: entry.event,
		at: entry.payload.at,
		ms: round(entry.endedAt - entry.started),
		facts,
		payload: forTrace(clean) as JsonObject,
		...inShort(entry.outcome!),
		hookSet,
		hooks: hookRecords(entry),
	};
}

function inShort(outcome: Outcome | "told"): Pick<DispatchRecord, "outcome" | "by" | "reason"> {
	if (outcome === "told") return { outcome };
	switch (outcome.kind) {
		case "go": {
			const by = outcome.approval?.by ?? outcome.allowedBy;
			return by === undefined ? { outcome: "go" } : { outcome: "go", by };
		}
		case "blocked":
			return { outcome: outcome.cause === "interrupted" ? "interrupted" : "blocked", by: outcome.by, reason: brief(outcome.reason) };
		case "responded":
			return { outcome: "responded", by: outcome.by };
	}
}

function hookRecords(entry: DispatchEntry): readonly HookRecord[] {
	const began = entry.payload.at;
	const writers = new Map<string, string>();
	const lastRedaction = entry.hooks.findLastIndex(({ hook, after }) => hook.redacts && after !== undefined);
	return entry.hooks.map((noted, i) => {
		const { hook } = noted;
		const notes = [...(noted.notes ?? [])];
		const changes = noted.before === undefined ? [] : diff(noted.before, noted.after);
		for (const { path } of changes) {
			const earlier = writers.get(path);
			if (earlier !== undefined && earlier !== hook.id) notes.push(`conflict: ${earlier} had rewritten ${path} before; this rewrite won`);
			writers.set(path, hook.id);
		}
		const kinds = noted.decisions?.map((decision) => decision.kind) ?? [];
		if (kinds.includes("allow") && !hook.mayAllow) notes.push("its allow does not count: hooks of a project folder can only tighten");
		for (const { metadata } of noted.decisions ?? []) if (metadata !== undefined) notes.push(`metadata: ${JSON.stringify(forTrace(metadata))}`);
		const reason = noted.failure?.message ?? reasonOf(noted.decisions);
		return {
			hook: hook.id,
			stage: hook.stage,
			startedAt: began + Math.max(0, noted.started - entry.started),
			ms: round(noted.ms),
			decision: noted.decision ?? (kinds.length === 0 ? "pass" : kinds.join("+")),
			...(reason !== undefined && { reason: brief(reason) }),
			...(noted.failure && { failure: noted.failure.kind }),
			...(changes.length > 0 && { diff: changes.map((change) => (i <= lastRedaction ? withoutBefore(change, i === lastRedaction) : changeForTrace(change))) }),
			...(notes.length > 0 && { notes }),
		};
	});
}

/** A change up to the last redaction: its values from before are secret, and only what the redaction left is not. */
function withoutBefore(change: FieldChange, isLast: boolean): FieldChange {
	return { path: change.path, before: redacted, after: isLast ? changeForTrace(change).after : redacted };
}

function reasonOf(decisions: readonly Decision[] | undefined): string | undefined {
	for (const decision of decisions ?? []) {
		if ("reason" in decision && decision.reason !== undefined) return decision.reason;
		if (decision.kind === "inject" || decision.kind === "respond") return decision.text.length > 200 ? `${decision.text.slice(0, 200)}…` : decision.text;
	}
	return undefined;
}

/** Reasons may be as long as a text can be; the trace keeps a thousand records. */
const brief = (text: string) => forTrace(text) as string;
const round = (ms: number) => Math.round(ms * 1000) / 1000;
