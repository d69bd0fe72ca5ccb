// A model provider as its author wrote it, made into what the agent asks, and its answers looked at.
import type { Channel, ExtensionProvider, ModelAnswered, ProviderDefinition } from "../events/providers.ts";
import { HookFailure } from "../events/failure.ts";
import { describe } from "../events/registration.ts";
import { copyPlain } from "../system/plain.ts";
import type { Enter } from "./calling.ts";
import { boolean, type Check, fields, isObject, listOf, number, oneOf, optional, string } from "./checks.ts";

/** What of a definition is plain data. */
const plainFields = ["name", "summary", "models", "baseUrl", "headers", "keyVariable", "login"] as const;

/** Not checked yet but for its functions. `refuse` throws. */
export function providerFrom(given: ProviderDefinition, enter: Enter, refuse: (why: string) => never): ExtensionProvider {
	const { kind } = given as { readonly kind?: unknown };
	const complete: unknown = "complete" in given ? given.complete : undefined;
	if (kind !== undefined && kind !== "openai-compatible") refuse("'kind' is 'openai-compatible' or left out.");
	if (kind === undefined && typeof complete !== "function") refuse(`'complete' must be a function, not ${describe(complete)}; or say kind: 'openai-compatible' and its 'baseUrl'.`);
	const parts = plainFields.flatMap((field) => {
		const value = (given as unknown as Readonly<Record<string, unknown>>)[field];
		return value === undefined ? [] : [[field, plainOr(refuse, value, field)]];
	});
	// What it is of is checked next; what it has is of its author's making until then.
	const provider = Object.fromEntries(parts) as ExtensionProvider;
	if (typeof complete !== "function") return provider;
	return {
		...provider,
		complete: async (request, { signal, key, onDelta }) =>
			enter({ sessionId: undefined }, async () => {
				const told = (piece: unknown) => onDelta(...pieceOf(piece));
				return answerIn(await (complete as (request: unknown, call: unknown) => unknown).call(given, request, { signal, ...(key !== undefined && { key }), onDelta: told }));
			}),
	};
}

function plainOr(refuse: (why: string) => never, value: unknown, field: string): unknown {
	try {
		return copyPlain(value, `'${field}'`);
	} catch (error) {
		return refuse(`${error instanceof Error ? error.message : String(error)}.`);
	}
}

/** @throws TypeError */
function pieceOf(piece: unknown): [delta: string, channel: Channel] {
	if (typeof piece === "string") return [piece, "text"];
	if (isObject(piece) && typeof piece["reasoning"] === "string") return [piece["reasoning"], "reasoning"];
	throw new TypeError(`onDelta() takes a text or { reasoning }, not ${describe(piece)}`);
}

const count: Check = (value) => number(value) && (value as number) >= 0;
const answerFields: Readonly<Record<string, Check>> = {
	text: optional(string),
	reasoning: optional(string),
	toolCalls: optional(listOf(fields({ id: string, name: string, arguments: string }), 1_000)),
	finish: optional(oneOf("stop", "tool-calls", "length", "content-filter", "other")),
	usage: optional(fields({ inputTokens: optional(count), outputTokens: optional(count), cachedTokens: optional(count), cacheWriteTokens: optional(count) })),
	failed: optional(fields({ message: string, status: optional(number), retryable: optional(boolean), retryAfterMs: optional(count) })),
};

/** @throws HookFailure for what is no answer of a model. */
export function answerIn(given: unknown): ModelAnswered {
	if (!isObject(given)) throw new HookFailure("bad-answer", `it gave ${describe(given)}, and a model gives { text, toolCalls, finish, usage }`);
	const wrong = Object.keys(answerFields).find((field) => !answerFields[field]!(given[field]));
	if (wrong !== undefined) throw new HookFailure("bad-answer", `'${wrong}' of the answer it gave is ${describe(given[wrong])}`);
	const known = Object.fromEntries(Object.keys(answerFields).flatMap((field) => (given[field] === undefined ? [] : [[field, given[field]]])));
	try {
		return copyPlain(known, "its answer") as ModelAnswered;
	} catch (error) {
		throw new HookFailure("bad-answer", error instanceof Error ? error.message : String(error));
	}
}
