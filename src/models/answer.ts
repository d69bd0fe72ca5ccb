// What a provider package streams, as pieces of ours. Two things it leaves to us: calls are held back until the end has come (a stream that
// breaks off may have handed out half a call as if it were whole), and what the provider wants to see again is kept, see `Kept`.
import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { Message, ToolCallRequest, Usage } from "../events/payloads/model.ts";
import { endedEarly, serverFailure, type Endpoint, type Progress } from "./failures.ts";
import type { FinishReason, ModelPiece } from "./model.ts";

/** Which fields of a provider's metadata must come back with the history: signatures of reasoning, encrypted reasoning. */
export interface Kept {
	/** The name its metadata stands under. */
	readonly namespace: string;
	readonly text: readonly string[];
	readonly reasoning: readonly string[];
	readonly call: readonly string[];
}

/** One part of an answer. A text is not repeated: `length` characters of the message's text or reasoning, in the order of the parts. */
export type AnswerPart =
	| { readonly kind: "text" | "reasoning"; readonly length: number; readonly data?: JsonObject }
	| { readonly kind: "call"; readonly id: string; readonly data?: JsonObject };

interface Reading {
	readonly endpoint: Endpoint;
	/** The model, as its answers are marked with it: another one could not read what was kept. */
	readonly name: string;
	readonly progress: Progress;
	readonly keeps: Kept | undefined;
	usageOf(usage: LanguageModelV4Usage): Usage;
}

/** @throws ModelError when the stream says that it failed, or ends without an end. */
export async function* piecesOf(stream: AsyncIterable<LanguageModelV4StreamPart>, { endpoint, name, progress, keeps, usageOf }: Reading): AsyncGenerator<ModelPiece, void, undefined> {
	const calls: ToolCallRequest[] = [];
	const record = keeps && new AnswerRecord(name, keeps);
	for await (const part of stream) {
		record?.see(part);
		switch (part.type) {
			case "text-delta":
			case "reasoning-delta":
				progress.characters += part.delta.length;
				if (part.delta !== "") yield { kind: part.type === "text-delta" ? "text" : "reasoning", delta: part.delta };
				break;
			case "tool-input-start":
				progress.call = part.toolName;
				break;
			case "tool-input-delta":
				progress.characters += part.delta.length;
				break;
			case "tool-call":
				calls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input });
				break;
			case "error":
				throw serverFailure(endpoint, part.error, progress) ?? endedEarly(endpoint, progress);
			case "finish": {
				if (part.finishReason.unified === "interrupted") throw endedEarly(endpoint, progress);
				const reason = finishReason(part.finishReason.unified, calls.length);
				const whole = reason === "length" ? calls.filter(isWhole) : calls;
				for (const call of whole) yield { kind: "tool-call", call };
				const providerData = whole.length === calls.length ? record?.data() : undefined;
				yield { kind: "finish", reason, usage: usageOf(part.usage), ...(providerData && { providerData }) };
				return;
			}
		}
	}
	throw endedEarly(endpoint, progress);
}

function finishReason(given: string, calls: number): FinishReason {
	// Several servers say `stop` after tool calls.
	if (calls > 0 && (given === "stop" || given === "other")) return "tool-calls";
	return given === "stop" || given === "tool-calls" || given === "length" || given === "content-filter" ? given : "other";
}

/** At a token limit the last call may be cut: then its arguments are no JSON. */
function isWhole(call: ToolCallRequest): boolean {
	try {
		JSON.parse(call.arguments);
		return true;
	} catch {
		return false;
	}
}

interface Writing {
	readonly kind: "text" | "reasoning";
	length: number;
	data?: JsonObject;
}

class AnswerRecord {
	readonly #model: string;
	readonly #keeps: Kept;
	readonly #parts: (Writing | Exclude<AnswerPart, { kind: "text" | "reasoning" }>)[] = [];
	readonly #open = new Map<string, Writing>();
	/** A part went on after the next of its kind had begun: then lengths say nothing, and nothing is kept. */
	#mixed = false;

	constructor(model: string, keeps: Kept) {
		this.#model = model;
		this.#keeps = keeps;
	}

	see(part: LanguageModelV4StreamPart): void {
		switch (part.type) {
			case "text-start":
			case "text-delta":
			case "text-end":
				return this.#write("text", part.id, part.type === "text-delta" ? part.delta.length : 0, part.providerMetadata);
			case "reasoning-start":
			case "reasoning-delta":
			case "reasoning-end":
				return this.#write("reasoning", part.id, part.type === "reasoning-delta" ? part.delta.length : 0, part.providerMetadata);
			case "tool-call": {
				const data = this.#kept("call", part.providerMetadata);
				this.#parts.push({ kind: "call", id: part.toolCallId, ...(data && { data }) });
			}
		}
	}

	#write(kind: "text" | "reasoning", id: string, length: number, metadata: SharedV4ProviderMetadata | undefined): void {
		const key = `${kind} ${id}`;
		let writing = this.#open.get(key);
		if (writing === undefined) {
			writing = { kind, length: 0 };
			this.#parts.push(writing);
			this.#open.set(key, writing);
		}
		if (length > 0 && this.#parts.findLast((part) => part.kind === kind) !== writing) this.#mixed = true;
		writing.length += length;
		const data = this.#kept(kind, metadata);
		if (data) writing.data = { ...writing.data, ...data };
	}

	#kept(kind: AnswerPart["kind"], metadata: SharedV4ProviderMetadata | undefined): JsonObject | undefined {
		const found = Object.entries(metadata?.[this.#keeps.namespace] ?? {}).filter(([field, value]) => this.#keeps[kind].includes(field) && typeof value === "string");
		return found.length > 0 ? Object.fromEntries(found) : undefined;
	}

	/** What the message is to carry; undefined when the provider needs nothing back. */
	data(): JsonObject | undefined {
		if (this.#mixed || this.#parts.every(({ data }) => data === undefined)) return undefined;
		return { model: this.#model, parts: this.#parts };
	}
}

/**
 * The parts of an answer that this model gave and nobody has changed since; undefined for any other. Of a text that a hook changed the length
 * no longer fits: it is for the reader to take it as it is.
 */
export function keptParts(message: Extract<Message, { role: "assistant" }>, model: string): readonly AnswerPart[] | undefined {
	const { providerData, toolCalls = [], reasoning = "" } = message;
	if (providerData?.["model"] !== model || !Array.isArray(providerData["parts"])) return undefined;
	// It comes from the store, and may have been through a wrapper's hands.
	const parts = providerData["parts"] as unknown[];
	if (!parts.every(isPart)) return undefined;
	const ids = parts.flatMap((part) => (part.kind === "call" ? [part.id] : []));
	const sameCalls = ids.length === toolCalls.length && ids.every((id, index) => toolCalls[index]?.id === id);
	return sameCalls && lengthOf("reasoning", parts) === reasoning.length ? parts : undefined;
}

export const lengthOf = (kind: "text" | "reasoning", parts: readonly AnswerPart[]): number => parts.reduce((sum, part) => sum + (part.kind === kind ? part.length : 0), 0);

function isPart(value: unknown): value is AnswerPart {
	if (typeof value !== "object" || value === null) return false;
	const { kind, length, id, data } = value as JsonObject;
	if (data !== undefined && (typeof data !== "object" || data === null)) return false;
	return kind === "call" ? typeof id === "string" : (kind === "text" || kind === "reasoning") && Number.isInteger(length);
}
