// Model providers that extensions bring: a server that speaks a protocol we know, or a function that answers.
import type { JsonObject } from "./payloads/facts.ts";
import type { Message, ToolCallRequest, Usage } from "./payloads/model.ts";

export interface ProviderModel {
	/** What the provider calls it; people write `PROVIDER:NAME`. */
	readonly name: string;
	/** Tokens of request and answer together. */
	readonly contextTokens?: number;
	/** Tokens of one answer at most. */
	readonly maxOutputTokens?: number;
	/** False for one that does not read images. */
	readonly images?: boolean;
	/** US dollars per million tokens. */
	readonly price?: { readonly input: number; readonly output: number; readonly cachedInput?: number; readonly cacheWrite?: number };
}

/** A key that the person has, asked for by `hookline models login`. */
export interface KeyLogin {
	readonly kind: "key";
	/** Where they get one, in a line. */
	readonly help?: string;
}

/** OAuth for public clients: an authorization code with PKCE on a redirect to 127.0.0.1, or a device code. All addresses https, or on this machine. */
export interface OAuthLogin {
	readonly kind: "oauth";
	readonly clientId: string;
	readonly tokenUrl: string;
	/** One of the two, or both: then a device code is what `--device` asks for. */
	readonly authorizeUrl?: string;
	readonly deviceUrl?: string;
	readonly scopes?: readonly string[];
	/** Where the provider wants to know it before; any free one when not given. */
	readonly redirectPort?: number;
}

export type ProviderLogin = KeyLogin | OAuthLogin;

interface ProviderFacts {
	/** What stands before the colon of its models: 1 to 32 lower-case letters, digits or `-`. A name that is taken becomes `<extension>.<name>`. */
	readonly name: string;
	/** One line. */
	readonly summary: string;
	/** Those that are listed; others are asked for all the same. At most 200. */
	readonly models: readonly ProviderModel[];
	/** The environment variable its users keep their key in. An extension that was installed needs it among its permissions. */
	readonly keyVariable?: string;
	/** How a person gets a key, or a token in its place. */
	readonly login?: ProviderLogin;
}

export interface ServedProvider extends ProviderFacts {
	readonly kind: "openai-compatible";
	/** Without `/chat/completions`. */
	readonly baseUrl: string;
	/** Sent with each request; never the key, which is sent as a bearer token. */
	readonly headers?: Readonly<Record<string, string>>;
}

export interface AnsweringProvider extends ProviderFacts {
	readonly kind?: undefined;
	/** Answers one request. What it throws is the model's failure, and is not tried again; give `failed` for one that may be. */
	complete(request: ModelAsked, call: ModelCall): Promise<ModelAnswered> | ModelAnswered;
}

export type ProviderDefinition = ServedProvider | AnsweringProvider;

export interface ModelAsked {
	/** The part behind the colon. */
	readonly model: string;
	/** The system prompt first. Images are told in words. */
	readonly messages: readonly Message[];
	/** `parameters` is JSON Schema. */
	readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[];
	/** Tokens. */
	readonly maxOutputTokens?: number;
}

export interface ModelCall {
	/** Aborted when the person stops it, or nothing has come for 120 s. */
	readonly signal: AbortSignal;
	/** The key or token of the person, when there is one. */
	readonly key?: string;
	/** A piece of the answer as it comes. All of an answer is 16 million characters at most. */
	onDelta(piece: string | { readonly reasoning: string }): void;
}

/** The answer, whole. What of text and reasoning was streamed need not be repeated. */
export interface ModelAnswered {
	readonly text?: string;
	readonly reasoning?: string;
	readonly toolCalls?: readonly ToolCallRequest[];
	/** `tool-calls` where there are any, else `stop`, when not given. */
	readonly finish?: "stop" | "tool-calls" | "length" | "content-filter" | "other";
	readonly usage?: Usage;
	/** Why there is no answer. */
	readonly failed?: { readonly message: string; readonly status?: number; readonly retryable?: boolean; readonly retryAfterMs?: number };
}

export type Channel = "text" | "reasoning";

/** As the agent has it, in whatever host it runs. */
export interface ExtensionProvider extends ProviderFacts {
	readonly baseUrl?: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** May reject. */
	complete?(request: ModelAsked, call: { readonly signal: AbortSignal; readonly key?: string | undefined; onDelta(delta: string, channel: Channel): void }): Promise<ModelAnswered>;
}
