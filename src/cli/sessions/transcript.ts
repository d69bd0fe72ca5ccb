// A session as it is shown: its messages in order, and with them what hooks did, read from the trace a few at a time.
import { catalog, eventNames } from "../../events/catalog.ts";
import type { DispatchRecord, HookRecord } from "../../events/record.ts";
import type { ImagePart, ToolCallRequest } from "../../events/payloads/model.ts";
import type { SessionEntry, SessionRecord, StoredImage } from "../../stores/sessions.ts";
import type { Store } from "../../stores/store.ts";
import { ms } from "../output.ts";

/** What hooks did at one event, without its payload. */
export type Judged = Pick<DispatchRecord, "event" | "at" | "outcome" | "by" | "reason" | "hooks">;

/** A message and what hooks did before it: for a tool's result, in its call; for any other, since the message before. */
export interface Step extends SessionEntry {
	readonly judged: readonly Judged[];
	/** The call a tool's result answers; absent when the transcript has none. */
	readonly call?: ToolCallRequest;
}

export interface Transcript {
	readonly session: SessionRecord;
	readonly steps: Iterable<Step>;
	/** The bytes of an image that one of the messages refers to. */
	image(sha256: string): StoredImage | undefined;
}

const decided = eventNames.filter((name) => catalog[name].kind === "intercept");
/** How many forks of forks are followed back. */
const longestLine = 100;

export function transcriptOf(store: Store, session: SessionRecord): Transcript {
	return { session, steps: steps(store, session), image: (sha256) => store.sessions.image(session.id, sha256) };
}

function* steps(store: Store, session: SessionRecord): Generator<Step> {
	const { byCall, others } = judgedIn(store, session);
	let open = new Map<string, ToolCallRequest>();
	let asked = 0;
	let next = 0;
	for (const entry of store.sessions.entries(session.id)) {
		const { message, at } = entry;
		if (message.role === "tool") {
			// Providers may use the id of a call again: only what happened between the question and this answer belongs to it.
			const judged = (byCall.get(message.callId) ?? []).filter((one) => one.at >= asked && one.at <= at);
			const call = open.get(message.callId);
			yield { ...entry, judged, ...(call && { call }) };
			continue;
		}
		const from = next;
		while (next < others.length && isBefore(others[next]!, entry)) next++;
		yield { ...entry, judged: others.slice(from, next) };
		if (message.role !== "assistant") continue;
		open = new Map((message.toolCalls ?? []).map((call) => [call.id, call]));
		asked = at;
	}
}

/** Within one millisecond the event says it: a message of the user follows its own input, any other one what came of it. */
function isBefore({ at, event }: Judged, entry: SessionEntry): boolean {
	if (at !== entry.at) return at < entry.at;
	return (entry.message.role === "user") === (event === "input.receiving" || event === "turn.starting");
}

/** Everything that hooks decided in a session, and in the calls of those it was forked from. */
function judgedIn(store: Store, session: SessionRecord): { readonly byCall: ReadonlyMap<string, readonly Judged[]>; readonly others: readonly Judged[] } {
	const byCall = new Map<string, Judged[]>();
	const others: Judged[] = [];
	for (const { id } of lineOf(store, session)) {
		for (const { event, at, outcome, by, reason, hooks, facts } of store.trace.ofSession(id, decided)) {
			if (hooks.length === 0) continue;
			const judged: Judged = { event, at, outcome, hooks, ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
			const callId = facts["callId"];
			if (typeof callId === "string") {
				const calls = byCall.get(callId);
				if (calls) calls.push(judged);
				else byCall.set(callId, [judged]);
			} else if (id === session.id && hooks.some(({ decision }) => decision !== "pass")) others.push(judged);
		}
	}
	return { byCall, others: others.sort((a, b) => a.at - b.at) };
}

/** The session, the one it was forked from, and so on, as far as they are still there. */
function* lineOf({ sessions }: Store, session: SessionRecord): Generator<SessionRecord> {
	let one: SessionRecord | undefined = session;
	for (let i = 0; one !== undefined && i < longestLine; i++) {
		yield one;
		const { forkedFrom }: SessionRecord = one;
		const origin: SessionRecord | undefined = forkedFrom && sessions.get(forkedFrom.sessionId);
		one = origin?.id === forkedFrom?.sessionId ? origin : undefined;
	}
}

/** Whose words a message is. */
export function speakerOf({ message }: Step): string {
	return message.role === "user" && message.summarises !== undefined ? "summary" : message.role;
}

/** The images a person sent with a message, and a line for each. */
export function imagesOf({ message }: Step): readonly { readonly image: ImagePart; readonly line: string }[] {
	const images = message.role === "user" ? (message.images ?? []) : [];
	return images.map((image) => ({ image, line: `Image ${image.name} (${image.mediaType}, ${image.bytes} bytes)` }));
}

const inWords: Readonly<Record<string, string>> = { pass: "let it pass", rewrite: "rewrote", inject: "added context", respond: "answered", ask: "asked a person", allow: "allowed", block: "blocked", failed: "failed", wrapped: "wrapped" };

export interface HookLine {
	/** Who did what, in how many ms. */
	readonly who: string;
	readonly decision: string;
	readonly reason: string;
	/** A line for each field it changed. */
	readonly changes: readonly string[];
}

/** What the hooks of one dispatch did, in words; not yet made visible or escaped. */
export function hookLines({ event, hooks }: Judged): readonly HookLine[] {
	return hooks.map((hook) => ({ who: `${hook.hook} ${decisionWords(hook)} (${hook.stage} of ${event}, ${ms(hook.ms)})`, decision: hook.decision, reason: hook.reason ?? "", changes: changesOf(hook) }));
}

function decisionWords({ decision, failure }: HookRecord): string {
	return `${inWords[decision] ?? decision}${failure === undefined ? "" : `: ${failure}`}`;
}

function changesOf({ diff = [], notes = [] }: HookRecord): readonly string[] {
	return [...diff.map(({ path, before, after }) => `${path}: ${short(before)} → ${short(after)}`), ...notes];
}

const longestValue = 500;

function short(value: unknown): string {
	const text = JSON.stringify(value) ?? "nothing";
	return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

/** What the session is, as lines of a heading. */
export function headingOf(session: SessionRecord): readonly (readonly [what: string, value: string])[] {
	const { forkedFrom, parentId } = session;
	return [
		["Session", session.id],
		...(session.name === undefined ? [] : ([["Name", session.name]] as const)),
		["Began", new Date(session.startedAt).toISOString()],
		["Last used", new Date(session.updatedAt).toISOString()],
		["Folder", session.cwd],
		["Model", session.model],
		["Messages", String(session.messages)],
		...(forkedFrom === undefined ? [] : ([["Forked from", `${forkedFrom.sessionId}, after message ${forkedFrom.messages}`]] as const)),
		...(parentId === undefined ? [] : ([["Delegated by", parentId]] as const)),
	];
}

/** The arguments laid out for people where that changes nothing (a number may not survive it), else the model's own text. */
export function argumentsOf({ arguments: text }: ToolCallRequest): string {
	try {
		const value: unknown = JSON.parse(text);
		return JSON.stringify(value) === text.trim() ? JSON.stringify(value, undefined, 2) : text;
	} catch {
		return text;
	}
}
