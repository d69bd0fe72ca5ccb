// What the agent and a process that runs extensions say to each other: one JSON object a line, many calls in flight. The agent trusts its own
// lines; a line from the child may have been written by anybody in there, so its every field is checked.
import { type Stage, stages } from "../events/catalog.ts";
import type { FailureKind } from "../events/record.ts";
import type { HookOptions, Pattern, Source } from "../events/registration.ts";
import type { Cause, JsonObject } from "../events/payloads/facts.ts";
import type { Channel } from "../events/providers.ts";
import type { UiPart } from "../events/ui.ts";
import { mostBrought } from "./brings-check.ts";
import { anything, boolean, type Check, fields, isObject, listOf, number, oneOf, optional, string } from "./checks.ts";
import type { ScriptLoader } from "./host.ts";

/** Characters of one line, either way. */
export const maxLine = 16 * 1024 * 1024;
/** File descriptors of the child beside its three standard ones: the lines, and the notes it leaves for when it can no longer write lines. */
export const linesFd = 3;
export const notesFd = 4;
/** The child's argument that says it lies within an enclosure. */
export const enclosedWord = "enclosed";

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
	readonly judges?: true | undefined;
}

/** What an extension brings beside hooks, without its functions; checked by `brings-check.ts`. `completes` says that a command has a completion, or a provider answers itself. */
export interface BringsParts {
	readonly tools: readonly JsonObject[];
	readonly commands: readonly JsonObject[];
	readonly shortcuts: readonly JsonObject[];
	readonly flags: readonly JsonObject[];
	readonly providers: readonly JsonObject[];
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
	readonly config: JsonObject;
	readonly flags: Readonly<Record<string, boolean | string>>;
	readonly can: readonly UiPart[];
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

/** A piece of an extension's code that is no hook: a tool, a command and its completion, a shortcut, a model provider, a handler of the bus (by its number). */
export interface RunMessage {
	readonly t: "run";
	readonly id: number;
	readonly extension: number;
	readonly what: "tool" | "command" | "complete" | "shortcut" | "provider" | "event";
	readonly name: string;
	readonly args?: unknown;
	readonly place?: { readonly cwd: string; readonly sessionId: string; readonly turnId?: string | undefined; readonly callId?: string | undefined } | undefined;
	readonly emission?: { readonly event: string; readonly from: string; readonly depth: number } | undefined;
}

export type FromParent =
	| LoadMessage
	| { readonly t: "unload"; readonly extension: number }
	| CallMessage
	| RunMessage
	/** What the surface can show, whenever that has changed. */
	| { readonly t: "can"; readonly extension: number; readonly can: readonly UiPart[] }
	/** The answer to an ask, or why there is none. */
	| { readonly t: "told"; readonly ask: number; readonly value?: unknown; readonly error?: string; /** It was not granted. */ readonly refused?: true }
	/** Stop working on a call; say that you are alive. */
	| { readonly t: "cancel"; readonly id: number; readonly why: FailureParts; readonly ping: number }
	/** What the operation inside a wrapper gave; `failure` when it threw. */
	| { readonly t: "inside"; readonly id: number; readonly run: number; readonly result?: unknown; readonly failure?: { readonly name: string; readonly message: string } }
	/** A change of durable state was refused; the value is what it was. */
	| { readonly t: "state-refused"; readonly name: string; readonly key: string; readonly value?: unknown; readonly message: string };

export type FromChild =
	| { readonly t: "ready" }
	| { readonly t: "loaded"; readonly extension: number; readonly hooks: readonly HookParts[]; readonly brings: BringsParts }
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
	| { readonly t: "stray"; readonly extension?: number | undefined; readonly file: string; readonly line?: number; readonly message: string }
	| { readonly t: "unloaded"; readonly extension: number }
	/** Something was tried that was not granted: `permission` as `extension.refused` names it. */
	| { readonly t: "refused"; readonly extension?: number | undefined; readonly permission: string; readonly wanted: string }
	/** What an extension brings has changed since it was loaded; this is all of it. */
	| { readonly t: "brings"; readonly extension: number; readonly brings: BringsParts }
	/** A tool shows what it is doing, or a piece of a model's answer has come. */
	| { readonly t: "update"; readonly id: number; readonly text: string; readonly channel?: Channel | undefined }
	/** Something is asked of the agent (`asks.ts`), in that call; without a number nobody waits for the answer. */
	| { readonly t: "ask"; readonly extension: number; readonly ask?: number; readonly call?: number | undefined; readonly sessionId?: string | undefined; readonly what: string; readonly args: JsonObject }
	/** Nobody waits for that answer any more. */
	| { readonly t: "unask"; readonly extension: number; readonly ask: number }
	/** Hears an event of the bus from now on, or no longer. */
	| { readonly t: "on"; readonly extension: number; readonly number: number; readonly event: string }
	| { readonly t: "off"; readonly extension: number; readonly number: number };

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
const failure = fields({ kind: (kind) => typeof kind === "string" && Object.hasOwn(failureKinds, kind), message: string, counts: boolean });
const change: Check = (value) => Array.isArray(value) && value.length >= 1 && value.length <= 2 && typeof value[0] === "string";
const hook = fields({ event: string, stage: oneOf(...stages), options: isObject, file: string, line: optional(number), judges: optional(oneOf(true)) });
const things = listOf(isObject, mostBrought);
const brings = fields({ tools: things, commands: things, shortcuts: things, flags: things, providers: things });

const shapes: Record<FromChild["t"], Check> = {
	ready: anything,
	loaded: fields({ extension: number, hooks: listOf(hook), brings }),
	"load-failed": fields({ extension: number, file: string, line: optional(number), why: string }),
	answer: fields({ id: number, answer: anything, failure: optional(failure), sameAs: optional(number), turn: optional(listOf(change)) }),
	next: fields({ id: number, run: number }),
	pong: fields({ ping: number }),
	log: fields({ extension: number, id: optional(number), message: string }),
	state: fields({ name: string, key: string, value: anything }),
	stray: fields({ extension: optional(number), file: string, line: optional(number), message: string }),
	unloaded: fields({ extension: number }),
	refused: fields({ extension: optional(number), permission: string, wanted: string }),
	brings: fields({ extension: number, brings }),
	update: fields({ id: number, text: string, channel: optional(oneOf("text", "reasoning")) }),
	ask: fields({ extension: number, ask: optional(number), call: optional(number), sessionId: optional(string), what: string, args: isObject }),
	unask: fields({ extension: number, ask: number }),
	on: fields({ extension: number, number, event: string }),
	off: fields({ extension: number, number }),
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
