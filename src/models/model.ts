// A model as the agent's loop sees it: messages go in, pieces come out.
import type { JsonObject } from "../events/payloads/facts.ts";
import type { ImageType, Message, ToolCallRequest, Usage } from "../events/payloads/model.ts";
import type { ImageSource } from "./images.ts";
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
	/** The bytes of the images that messages refer to. */
	readonly imageOf?: ImageSource;
	/** Tokens at most for this answer; what is configured for the model when not given. */
	readonly maxOutputTokens?: number;
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
	/** Kinds of images that its provider does not take. */
	readonly unreadImages?: readonly ImageType[];
	/**
	 * Looks up what its requests need beside the conversation (its key), which they otherwise do themselves. Absent where there is nothing to look up.
	 * @throws ModelError when that cannot be had.
	 */
	prepare?(): Promise<void>;
	/** @throws ModelError when the model gives no complete answer; the signal's reason when aborted. */
	stream(request: ModelRequest, options: ModelOptions): AsyncIterable<ModelPiece>;
}

/**
 * Whether another model might answer where this one failed: `now`, as asking this one again would not help; `later`, when it was asked again in
 * vain; `never`, when the request itself is wrong, or a hook refused it.
 */
export type Elsewhere = "now" | "later" | "never";

/** A model call that failed. The loop decides from `retryable` and `retryAfterMs` whether it tries again, and from `elsewhere` whether it asks another model. */
export class ModelError extends Error {
	override readonly name = "ModelError";
	/** The HTTP status, when there was an answer. */
	readonly status?: number;
	readonly retryable: boolean;
	/** What the provider asked for (Retry-After), in milliseconds. */
	readonly retryAfterMs?: number;
	readonly elsewhere: Elsewhere;

	constructor(message: string, more: ModelErrorDetails) {
		super(message, { cause: more.cause });
		if (more.status !== undefined) this.status = more.status;
		this.retryable = more.retryable;
		// A server that fails or is down may do so for long: where there is another model it is not waited for.
		this.elsewhere = more.elsewhere ?? (more.retryable && (more.status ?? 0) < 500 ? "later" : "now");
		if (more.retryAfterMs !== undefined) this.retryAfterMs = more.retryAfterMs;
	}
}

export interface ModelErrorDetails {
	readonly status?: number | undefined;
	readonly retryable: boolean;
	readonly retryAfterMs?: number | undefined;
	/** Left out: `now` for what no retry mends and for 5xx, else `later`. */
	readonly elsewhere?: Elsewhere | undefined;
	readonly cause?: unknown;
}
