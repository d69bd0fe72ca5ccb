import type { Facts, JsonObject } from "./facts.ts";

/** One call the model asked for. `arguments` is the text the model sent: it may be no JSON at all. */
export interface ToolCallRequest {
	readonly id: string;
	readonly name: string;
	readonly arguments: string;
}

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** An image that goes with a message: which one it is. Its bytes are in the store alone. */
export interface ImagePart {
	readonly mediaType: ImageType;
	readonly bytes: number;
	/** In hexadecimal. */
	readonly sha256: string;
	/** As the person knows it, on one line. */
	readonly name: string;
}

/**
 * A conversation as the loop keeps it; models translate it to their provider's own shape. `providerData` is what the model that gave the answer
 * wants back with it (signatures of its reasoning): everybody else passes it on as it is.
 */
export type Message =
	| { readonly role: "system"; readonly text: string }
	/** With `summarises` it stands for what came before it, in what the model is sent, but for that many messages right before it. */
	| { readonly role: "user"; readonly text: string; readonly summarises?: { readonly butKeeps: number }; readonly images?: readonly ImagePart[] }
	| { readonly role: "assistant"; readonly text: string; readonly reasoning?: string; readonly toolCalls?: readonly ToolCallRequest[]; readonly providerData?: JsonObject }
	| { readonly role: "tool"; readonly callId: string; readonly name: string; readonly text: string; readonly isError?: boolean };

/** Tokens, as the provider counted them. A figure the provider does not report is absent. */
export interface Usage {
	readonly inputTokens?: number;
	readonly outputTokens?: number;
	/** Of `inputTokens`, those read from the provider's cache. */
	readonly cachedTokens?: number;
	/** Of `inputTokens`, those written to it. */
	readonly cacheWriteTokens?: number;
}

export interface ModelCalling extends Facts {
	readonly model: string;
	/** Everything that will be sent, the system prompt first. */
	readonly messages: readonly Message[];
	readonly toolNames: readonly string[];
}

export interface ModelRequesting extends Facts {
	readonly model: string;
	readonly url: string;
	/** The provider's own request, parsed. */
	readonly body: JsonObject;
	/** Lower-case names. Credentials are not among them: they are added after the hooks. */
	readonly headers: Readonly<Record<string, string>>;
}

export interface ModelStreamed extends Facts {
	readonly model: string;
	readonly delta: string;
	readonly channel: "text" | "reasoning";
}

export interface ModelCalled extends Facts {
	readonly model: string;
	readonly text: string;
	readonly toolCalls: readonly ToolCallRequest[];
	readonly finish: string;
	readonly usage: Usage;
	/** US dollars, from the prices that are known; absent when one is not. */
	readonly costUsd?: number;
	readonly durationMs: number;
	/** 1 for a first try that worked. */
	readonly attempts: number;
}

export interface ModelFailed extends Facts {
	readonly model: string;
	readonly message: string;
	/** The HTTP status, when there was an answer. */
	readonly status?: number;
	readonly attempt: number;
	readonly willRetry: boolean;
	/** How long the loop waits before it tries again. */
	readonly retryInMs?: number;
	/** The model that is asked next in its place, where there is one; a `model.calling` of its own goes before that. */
	readonly fallback?: string;
}

export interface ModelSelected extends Facts {
	readonly model: string;
	readonly previous?: string;
}
