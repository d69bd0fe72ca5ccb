// What the agent and a process that runs extensions say to each other: one JSON object a line, many calls in flight. The agent trusts its own
// lines; a line from the child may have been written by anybody in there, so its every field is checked.
import { type Stage, stages } from "../events/catalog.ts";
import type { FailureKind } from "../events/record.ts";
import type { HookOptions, Pattern, Source } from "../events/registration.ts";
import type { Cause } from "../events/payloads/facts.ts";
import type { ScriptLoader } from "./host.ts";

/** Characters of one line, either way. */
export const maxLine = 16 * 1024 * 1024;
/** File descriptors of the child beside its three standard ones: the lines, and the notes it leaves for when it can no longer write lines. */
export const linesFd = 3;
export const notesFd = 4;

/** Key and JSON of a value. */
export type Entry = readonly [key: string, value: unknown];

/** A failure as it crosses: `HookFailure` in parts. */
export interface FailureParts {
	readonly kind: FailureKind;
	readonly message: string;
	readonly counts: boolean;
}

/** A hook as the child reports it; a regular expression is `{ re, flags }`. */
export interface HookParts {
	readonly event: string;
	readonly stage: Stage;
	readonly options: Readonly<Record<string, unknown>>;
	readonly file: string;
	readonly line?: number | undefined;
}

export interface LoadMessage {
	readonly t: "load";
	readonly extension: number;
	readonly name: string;
	readonly file: string;
	readonly trust: Source["trust"];
	readonly loader?: ScriptLoader | undefined;
	readonly timeoutMs: number;
	readonly state: readonly Entry[];
}

export interface CallMessage {
	readonly t: "call";
	readonly id: number;
	/** The extension's number, and the hook's place in what it registered. */
	readonly extension: number;
	readonly index: number;
	readonly hook: string;
	readonly event: string;
	readonly turnId?: string | undefined;
	readonly turn?: readonly Entry[] | undefined;
	readonly metadata: object;
	readonly cause: Cause;
	readonly payload: object;
}

export type FromParent =
	| LoadMessage
	| { readonly t: "unload"; readonly extension: number }
	| CallMessage
	/** Stop working on a call; say that you are alive. */
	| { readonly t: "cancel"; readonly id: number; readonly why: FailureParts; readonly ping: number }
	/** What the operation inside a wrapper gave; `failure` when it threw. */
	| { readonly t: "inside"; readonly id: number; readonly run: number; readonly result?: unknown; readonly failure?: { readonly name: string; readonly message: string } }
	/** A change of durable state was refused; the value is what it was. */
	| { readonly t: "state-refused"; readonly name: string; readonly key: string; readonly value?: unknown; readonly message: string };

export type FromChild =
	| { readonly t: "ready" }
	| { readonly t: "loaded"; readonly extension: number; readonly hooks: readonly HookParts[] }
	| { readonly t: "load-failed"; readonly extension: number; readonly file: string; readonly line?: number; readonly why: string }
	| {
			readonly t: "answer";
			readonly id: number;
			readonly answer?: unknown;
			readonly failure?: FailureParts;
			/** A wrapper gave back, or threw, exactly what that run of its inside gave: no need to send it. */
			readonly sameAs?: number;
			/** Turn state that changed; without a value: deleted. */
			readonly turn?: readonly (Entry | readonly [key: string])[];
	  }
	| { readonly t: "next"; readonly id: number; readonly run: number }
	| { readonly t: "pong"; readonly ping: number }
	| { readonly t: "log"; readonly extension: number; readonly id?: number; readonly message: string }
	| { readonly t: "state"; readonly name: string; readonly key: string; readonly value?: unknown }
	/** `extension` is missing when nobody in there is to blame for certain. */
	| { readonly t: "stray"; readonly extension?: number | undefined; readonly file: string; readonly line?: number; readonly message: string };

type Check = (value: unknown) => boolean;
const number: Check = (value) => Number.isSafeInteger(value);
const string: Check = (value) => typeof value === "string";
const anything: Check = () => true;
const optional =
	(check: Check): Check =>
	(value) =>
		value === undefined || check(value);
const listOf =
	(check: Check): Check =>
	(value) =>
		Array.isArray(value) && value.every(check);
const fields =
	(checks: Readonly<Record<string, Check>>): Check =>
	(value) =>
		isObject(value) && Object.entries(checks).every(([name, check]) => check(value[name]));

const failureKinds: Readonly<Record<FailureKind, true>> = {
	threw: true,
	"timed-out": true,
	"bad-answer": true,
	"invalid-rewrite": true,
	"host-ended": true,
	"cannot-start": true,
	suspended: true,
	interrupted: true,
	"too-deep": true,
};
const failure = fields({ kind: (kind) => typeof kind === "string" && Object.hasOwn(failureKinds, kind), message: string, counts: (counts) => typeof counts === "boolean" });
const change: Check = (value) => Array.isArray(value) && value.length >= 1 && value.length <= 2 && typeof value[0] === "string";
const isStage: Check = (stage) => (stages as readonly unknown[]).includes(stage);
const hook = fields({ event: string, stage: isStage, options: isObject, file: string, line: optional(number) });

const shapes: Record<FromChild["t"], Check> = {
	ready: anything,
	loaded: fields({ extension: number, hooks: listOf(hook) }),
	"load-failed": fields({ extension: number, file: string, line: optional(number), why: string }),
	answer: fields({ id: number, answer: anything, failure: optional(failure), sameAs: optional(number), turn: optional(listOf(change)) }),
	next: fields({ id: number, run: number }),
	pong: fields({ ping: number }),
	log: fields({ extension: number, id: optional(number), message: string }),
	state: fields({ name: string, key: string, value: anything }),
	stray: fields({ extension: optional(number), file: string, line: optional(number), message: string }),
};

/** A line from the child, or undefined for one that no child of ours writes. */
export function readFromChild(line: string): FromChild | undefined {
	let message: unknown;
	try {
		message = JSON.parse(line);
	} catch {
		return undefined;
	}
	if (!isObject(message) || typeof message["t"] !== "string" || !Object.hasOwn(shapes, message["t"])) return undefined;
	return shapes[message["t"] as FromChild["t"]](message) ? (message as FromChild) : undefined;
}

const patternFields = ["tool", "platform", "surface", "session"] as const;

/** Options as JSON can hold them. */
export function encodeOptions(options: HookOptions): Readonly<Record<string, unknown>> {
	return mapPatterns(options, (pattern) => (pattern instanceof RegExp ? { re: pattern.source, flags: pattern.flags } : pattern));
}

/** @throws SyntaxError for a regular expression that is none. */
export function decodeOptions(options: Readonly<Record<string, unknown>>): HookOptions {
	return mapPatterns(options, (pattern) => (isObject(pattern) ? new RegExp(String(pattern["re"]), String(pattern["flags"])) : (pattern as Pattern)));
}

function mapPatterns(options: object, change: (pattern: unknown) => unknown): Record<string, unknown> {
	const mapped: Record<string, unknown> = { ...options };
	for (const field of patternFields) {
		const given = mapped[field];
		if (given !== undefined) mapped[field] = Array.isArray(given) ? given.map(change) : change(given);
	}
	return mapped;
}

/** Cuts a stream of text into lines. */
export class Lines {
	#pieces: string[] = [];
	#length = 0;

	/** The lines that are complete with this piece. `tooLong` is called for a line beyond `maxLine`; then nothing more comes. */
	*push(piece: string, tooLong: () => void): Generator<string, void> {
		let start = 0;
		for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", start)) {
			const rest = piece.slice(start, end);
			const line = this.#length === 0 ? rest : this.#pieces.join("") + rest;
			this.#pieces = [];
			this.#length = 0;
			start = end + 1;
			yield line;
		}
		if (start === piece.length) return;
		this.#pieces.push(piece.slice(start));
		this.#length += piece.length - start;
		if (this.#length > maxLine) tooLong();
	}
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
