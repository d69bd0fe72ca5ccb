// What the agent and a Python host say to each other: one JSON object a line. Lines from the host may have been written by anybody in there, so their
// fields are checked.
import type { FailureKind } from "../../events/record.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import { isObject } from "../checks.ts";

export type ToPython =
	| { readonly t: "load"; readonly unit: number; readonly name: string; readonly loader: string; readonly settings: JsonObject }
	| { readonly t: "unload"; readonly unit: number }
	| { readonly t: "call"; readonly id: number; readonly unit: number; readonly callback: number; readonly payload: JsonObject }
	| { readonly t: "cancel"; readonly id: number }
	/** Who keeps this cancelled call from ending? */
	| { readonly t: "blame"; readonly id: number }
	| { readonly t: "told"; readonly ask: number; readonly value?: unknown; readonly error?: string };

export type FromPython =
	| { readonly t: "ready" }
	| { readonly t: "loaded"; readonly unit: number; readonly callbacks: readonly JsonObject[] }
	| { readonly t: "load-failed"; readonly unit: number; readonly file: string | null; readonly line: number | null; readonly why: string }
	| { readonly t: "unloaded"; readonly unit: number }
	| { readonly t: "answer"; readonly id: number; readonly answer?: unknown; readonly failure?: { readonly kind: FailureKind; readonly message: string } }
	| { readonly t: "blame"; readonly id: number; readonly unit: number | null }
	/** `call` is the one it is asked in. */
	| { readonly t: "ask"; readonly unit: number; readonly ask: number; readonly call?: number; readonly name: string; readonly args: JsonObject }
	/** Nobody waits for this answer any more. */
	| { readonly t: "forget"; readonly ask: number }
	| { readonly t: "stray"; readonly unit?: number; readonly message: string };

const isNumber = (value: unknown): boolean => Number.isSafeInteger(value);
const isText = (value: unknown): boolean => typeof value === "string";
const isFailure = (value: unknown): boolean => value === undefined || (isObject(value) && (value["kind"] === "threw" || value["kind"] === "bad-answer") && isText(value["message"]));

type Line = Readonly<Record<string, unknown>>;

const shapes: Readonly<Record<FromPython["t"], (line: Line) => boolean>> = {
	ready: () => true,
	loaded: ({ unit, callbacks }) => isNumber(unit) && Array.isArray(callbacks) && callbacks.every(isObject),
	"load-failed": ({ unit, file, line, why }) => isNumber(unit) && (file === null || isText(file)) && (line === null || isNumber(line)) && isText(why),
	unloaded: ({ unit }) => isNumber(unit),
	answer: ({ id, failure }) => isNumber(id) && isFailure(failure),
	blame: ({ id, unit }) => isNumber(id) && (unit === null || isNumber(unit)),
	ask: ({ unit, ask, call, name, args }) => isNumber(unit) && isNumber(ask) && (call === undefined || isNumber(call)) && isText(name) && isObject(args),
	forget: ({ ask }) => isNumber(ask),
	stray: ({ unit, message }) => (unit === undefined || isNumber(unit)) && isText(message),
};

/** Undefined for a line that no host of ours writes. */
export function readFromPython(line: string): FromPython | undefined {
	let message: unknown;
	try {
		message = JSON.parse(line);
	} catch {
		return undefined;
	}
	if (!isObject(message) || typeof message["t"] !== "string" || !Object.hasOwn(shapes, message["t"])) return undefined;
	return shapes[message["t"] as FromPython["t"]](message) ? (message as FromPython) : undefined;
}
