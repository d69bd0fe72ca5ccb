// A model as the agent's loop sees it: messages go in, pieces come out.
import type { JsonObject } from "../events/payloads/facts.ts";
import type { Message, ToolCallRequest, Usage } from "../events/payloads/model.ts";
import type { ModelFacts } from "./known.ts";

/** A tool as models are told of it. `parameters` is JSON Schema. */
export interface ToolDeclaration {
	readonly name: string;
	readonly description: string;
	readonly parameters: JsonObject;
}

export interface ModelRequest {
	/** The system prompt first. */
	readonly messages: readonly Message[];
	readonly tools: readonly ToolDeclaration[];
}

/** The provider's own request as it is about to leave. `headers` have lower-case names and hold no credentials. */
export interface ProviderRequest {
	readonly url: string;
	readonly body: JsonObject;
	readonly headers: Readonly<Record<string, string>>;
}

export interface ModelOptions {
	/** Aborting it ends the stream at once with the signal's reason. */
	readonly signal: AbortSignal;
	/**
	 * Called with the provider's request before it is sent, once per try; gives what is to be sent instead, or undefined to send it as it is
	 * (and then byte for byte). A model without a wire (rehearsal) calls it too, with the body its provider would have had. Left out: nobody looks.
	 */
	readonly onRequest?: (request: ProviderRequest) => Promise<ProviderRequest | undefined> | ProviderRequest | undefined;
}

/** Pieces of one answer, in order. A stream ends with exactly one `finish`, or throws. */
export type ModelPiece =
	| { readonly kind: "text"; readonly delta: string }
	| { readonly kind: "reasoning"; readonly delta: string }
	/** A complete call. Half-streamed calls never become one. */
	| { readonly kind: "tool-call"; readonly call: ToolCallRequest }
	/** `reason`: `stop`, `tool-calls`, `length` (cut by a token limit), `content-filter` or `other`. */
	/** `providerData`: what the message of this answer must carry, see `Message`. */
	| { readonly kind: "finish"; readonly reason: FinishReason; readonly usage: Usage; readonly providerData?: JsonObject };

export type FinishReason = "stop" | "tool-calls" | "length" | "content-filter" | "other";

export interface Model {
	/** As the user writes it: `rehearsal`, `anthropic:NAME`. */
	readonly name: string;
	/** Its sizes and prices, as far as they are known. */
	readonly facts?: ModelFacts;
	/** @throws ModelError when the model gives no complete answer; the signal's reason when aborted. */
	stream(request: ModelRequest, options: ModelOptions): AsyncIterable<ModelPiece>;
}

/** A model call that failed. The loop decides from `retryable` and `retryAfterMs` whether it tries again. */
export class ModelError extends Error {
	override readonly name = "ModelError";
	/** The HTTP status, when there was an answer. */
	readonly status?: number;
	readonly retryable: boolean;
	/** What the provider asked for (Retry-After), in milliseconds. */
	readonly retryAfterMs?: number;

	constructor(message: string, more: { readonly status?: number | undefined; readonly retryable: boolean; readonly retryAfterMs?: number | undefined; readonly cause?: unknown }) {
		super(message, { cause: more.cause });
		if (more.status !== undefined) this.status = more.status;
		this.retryable = more.retryable;
		if (more.retryAfterMs !== undefined) this.retryAfterMs = more.retryAfterMs;
	}
}
