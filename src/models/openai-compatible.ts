// Any server that speaks chat/completions, through the provider package. What the package does: the envelope of the request, reading the
// event stream, putting the pieces of tool calls together. What it does not do well enough, and is done around it:
// - the history: it converts (and parses the arguments of) every message on every call, and sends arguments that are no JSON as a JSON string,
//   which strict servers refuse. It is given no messages; chat-body.ts translates each once, and the exchange puts them in.
// - a stream that ends early: it hands out the half of a tool call as if it were whole, then reports the missing end. Calls are held back
//   here until the end has come.
// - answers that are no event stream (a web page, JSON, nothing): it reads over them. The exchange looks at the first bytes.
import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4FunctionTool, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ToolCallRequest, Usage } from "../events/payloads/model.ts";
import { chatMessages, ConversationBytes } from "./chat-body.ts";
import { ModelError, type FinishReason, type Model, type ModelPiece, type ModelRequest, type ToolDeclaration } from "./model.ts";
import { Exchange } from "./openai-compatible-exchange.ts";
import { apiKeyProblem, baseUrlProblem, endedEarly, pieceFailure, unreadable, type Endpoint, type Progress } from "./openai-compatible-failures.ts";

export interface OpenAiCompatibleSettings {
	/** As the server knows it. */
	readonly model: string;
	/** Without `/chat/completions`; most servers have it end in `/v1`. */
	readonly baseUrl: string;
	readonly apiKey?: string;
	/** How the user knows it: `openai-compatible:NAME` unless given. */
	readonly name?: string;
	/** How long the server may be silent, before its answer and within it, in milliseconds: 120,000 unless given. */
	readonly timeoutMs?: number;
}

/**
 * A model behind an OpenAI-compatible URL. Nothing is loaded or sent before the first `stream`.
 * @throws ModelError, not retryable, when the base URL or the key can never work.
 */
export function openAiCompatibleModel(settings: OpenAiCompatibleSettings): Model {
	const { model, name = `openai-compatible:${model}`, timeoutMs = 120_000 } = settings;
	const apiKey = settings.apiKey?.trim();
	const problem = baseUrlProblem(settings.baseUrl);
	if (problem) throw new ModelError(`The base URL of ${name} cannot be used: ${problem}.`, { retryable: false });
	const keyProblem = apiKey && apiKeyProblem(apiKey);
	if (keyProblem) throw new ModelError(keyProblem, { retryable: false });
	const endpoint: Endpoint = { model, baseUrl: settings.baseUrl.replace(/\/+$/, ""), ...(apiKey ? { apiKey } : {}) };
	const exchanges: Exchanges = new WeakMap();
	const conversation = new ConversationBytes();
	let provider: Promise<LanguageModelV4> | undefined;

	return {
		name,
		async *stream(request, options) {
			options.signal.throwIfAborted();
			provider ??= loadProvider(endpoint, exchanges);
			const messages = { bytes: conversation.of(request.messages), list: () => chatMessages(request.messages) };
			const exchange = new Exchange(endpoint, messages, options, timeoutMs);
			exchanges.set(exchange.stop.signal, exchange);
			try {
				yield* pieces(endpoint, await openStream(await provider, request, exchange), exchange);
			} catch (error) {
				// The caller's reason, or the clock's sentence; else what really happened on the wire; else what the package says.
				if (exchange.stop.signal.aborted) throw exchange.stop.signal.reason;
				if (exchange.failure) throw exchange.failure.error;
				throw error instanceof ModelError ? error : unreadable(endpoint, error);
			} finally {
				exchange.close();
			}
		},
	};
}

/** The package takes one `fetch` for all calls of a model and hands it the call's own signal: by it the exchange is found. */
type Exchanges = WeakMap<AbortSignal, Exchange>;

async function loadProvider(endpoint: Endpoint, exchanges: Exchanges): Promise<LanguageModelV4> {
	// Imported on first use: it costs more than the rest of a start-up together.
	const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
	const provider = createOpenAICompatible({
		name: "openaiCompatible",
		baseURL: endpoint.baseUrl,
		includeUsage: true,
		...(endpoint.apiKey === undefined ? {} : { apiKey: endpoint.apiKey }),
		fetch: (url, init) => {
			const exchange = init?.signal && exchanges.get(init.signal);
			if (!exchange) throw new Error("The provider package made a request that belongs to no call.");
			return exchange.send(String(url), init);
		},
	});
	return provider.chatModel(endpoint.model);
}

async function openStream(provider: LanguageModelV4, request: ModelRequest, exchange: Exchange): Promise<ReadableStream<LanguageModelV4StreamPart>> {
	const tools = request.tools.map(translateTool);
	const { stream } = await provider.doStream({ prompt: [], tools, abortSignal: exchange.stop.signal });
	return stream;
}

function translateTool({ name, description, parameters }: ToolDeclaration): LanguageModelV4FunctionTool {
	return { type: "function", name, description, inputSchema: parameters as LanguageModelV4FunctionTool["inputSchema"] };
}

async function* pieces(endpoint: Endpoint, stream: AsyncIterable<LanguageModelV4StreamPart>, { progress, stop }: Exchange): AsyncGenerator<ModelPiece, void, undefined> {
	const calls: ToolCallRequest[] = [];
	for await (const part of stream) {
		stop.signal.throwIfAborted();
		switch (part.type) {
			case "text-delta":
				progress.characters += part.delta.length;
				yield { kind: "text", delta: part.delta };
				break;
			case "reasoning-delta":
				progress.characters += part.delta.length;
				yield { kind: "reasoning", delta: part.delta };
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
				throw errorPart(endpoint, part.error, progress);
			case "finish": {
				const reason = finishReason(part.finishReason.unified, calls.length);
				const whole = reason === "length" ? calls.filter(isWhole) : calls;
				for (const call of whole) yield { kind: "tool-call", call };
				yield { kind: "finish", reason, usage: usageOf(part.usage) };
				return;
			}
		}
	}
	throw endedEarly(endpoint, progress);
}

/** The package reports three kinds of errors in the stream: a piece it cannot read, the server's own error object, and a missing end. */
function errorPart(endpoint: Endpoint, error: unknown, progress: Progress): ModelError {
	if (!(error instanceof Error)) return pieceFailure(endpoint, { error }, progress);
	if (error.name === "AI_JSONParseError" && "text" in error) return pieceFailure(endpoint, error.text, progress);
	if (error.name === "AI_TypeValidationError" && "value" in error) return pieceFailure(endpoint, error.value, progress);
	return endedEarly(endpoint, progress);
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

/** From the server's own figures: the package reports a figure that is missing as 0. */
function usageOf({ raw }: LanguageModelV4Usage): Usage {
	const details = raw?.["prompt_tokens_details"];
	const cached = typeof details === "object" && details !== null && "cached_tokens" in details ? details["cached_tokens"] : undefined;
	const input = raw?.["prompt_tokens"];
	const output = raw?.["completion_tokens"];
	return {
		...(typeof input === "number" ? { inputTokens: input } : {}),
		...(typeof output === "number" ? { outputTokens: output } : {}),
		...(typeof cached === "number" ? { cachedTokens: cached } : {}),
	};
}
