// Any model behind a provider package (the language model interface V4 of `@ai-sdk/provider`). The package writes the request and reads the
// event stream; the exchange below it is where hooks see the request and failures become sentences; what the stream says is in answer.ts.
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ImageType, Usage } from "../events/payloads/model.ts";
import { orAborted } from "../system/abort.ts";
import { type Kept, piecesOf } from "./answer.ts";
import { Exchange, type RequestMessages } from "./exchange.ts";
import type { KeyPlace } from "./api-key.ts";
import { apiKeyProblem, baseUrlProblem, serverFailure, unreadable, type Endpoint, type Usual } from "./failures.ts";
import type { ModelFacts } from "./known.ts";
import { ModelError, type Model, type ModelRequest, type ToolDeclaration } from "./model.ts";

/** How hard a model is to think before it answers; each provider package translates it. */
export type ReasoningEffort = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

export interface ProviderSettings {
	/** As the server knows it. */
	readonly model: string;
	readonly baseUrl: string;
	/** The key itself, or where it is looked up when the model is first asked. */
	readonly apiKey?: string | KeyPlace;
	/** How the user knows it, `PROVIDER:NAME`. */
	readonly name: string;
	/** How long the server may be silent, before its answer and within it, in milliseconds: 120,000 unless given. */
	readonly timeoutMs?: number;
	/** Left to the provider unless given. */
	readonly reasoning?: ReasoningEffort;
	/** Asked for in tokens; left to the provider unless given. */
	readonly maxOutputTokens?: number;
	readonly facts?: ModelFacts;
}

/** What differs from package to package. */
export interface Provider {
	/** Where it is and who pays, for the sentences about failures; a provider without an address of its own has none. */
	readonly usual?: Usual;
	/** Imports the package and gives its model. `fetch` is to be the package's only way out. */
	load(endpoint: Endpoint, fetch: ProviderFetch): Promise<LanguageModelV4>;
	/** The conversation as the package is given it; with `messages` as the exchange puts it in. */
	call(request: ModelRequest): ProviderCall;
	usageOf(usage: LanguageModelV4Usage): Usage;
	readonly unreadImages?: readonly ImageType[];
	/** What has to be sent back with the history, word for word. */
	readonly keeps?: Kept;
}

export type ProviderFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
export type ProviderCall = Pick<LanguageModelV4CallOptions, "prompt" | "providerOptions"> & { readonly messages?: RequestMessages };

/**
 * A model of a provider. Nothing is loaded or sent before the first `stream`.
 * @throws ModelError, not retryable, when the base URL or the key can never work.
 */
export function providerModel(settings: ProviderSettings, provider: Provider): Model {
	const { model, name, timeoutMs = 120_000, facts = {}, reasoning, maxOutputTokens } = settings;
	const { usual } = provider;
	const problem = baseUrlProblem(settings.baseUrl);
	if (problem) throw new ModelError(`The base URL of ${name} cannot be used: ${problem}.`, { retryable: false });
	const endpointWith = (key: string | undefined): Endpoint => {
		const apiKey = key?.trim();
		const keyProblem = apiKey && apiKeyProblem(apiKey, usual);
		if (keyProblem) throw new ModelError(keyProblem, { retryable: false });
		return { model, baseUrl: settings.baseUrl.replace(/\/+$/, ""), ...(apiKey ? { apiKey } : {}), ...(usual ? { usual } : {}) };
	};
	const { apiKey: given } = settings;
	const known = typeof given === "object" ? undefined : endpointWith(given);
	const findEndpoint = known ? () => Promise.resolve(known) : onceFound(async () => endpointWith(await (await import("./api-key.ts")).readKey(given as KeyPlace)));
	const more = { ...(maxOutputTokens !== undefined && { maxOutputTokens }), ...(reasoning !== undefined && { reasoning }) };
	// The package takes one `fetch` for all calls of a model and hands it the call's own signal: by it the exchange is found.
	const exchanges = new WeakMap<AbortSignal, Exchange>();
	let loading: Promise<LanguageModelV4> | undefined;

	function send(url: string | URL | Request, init?: RequestInit): Promise<Response> {
		const exchange = init?.signal && exchanges.get(init.signal);
		if (!exchange) throw new Error("The provider package made a request that belongs to no call.");
		return exchange.send(String(url), init);
	}

	return {
		name,
		facts,
		...(provider.unreadImages && { unreadImages: provider.unreadImages }),
		...(known === undefined && { prepare: async () => void (await findEndpoint()) }),
		async *stream(request, options) {
			options.signal.throwIfAborted();
			const endpoint = await orAborted(findEndpoint(), options.signal);
			const { messages, ...call } = provider.call(request);
			const exchange = new Exchange(endpoint, options, timeoutMs, messages);
			exchanges.set(exchange.stop.signal, exchange);
			try {
				// Imported on first use: it costs more than the rest of a start-up together.
				loading ??= provider.load(endpoint, send);
				const tools = request.tools.map(translateTool);
				const shorter = request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens };
				const { stream } = await (await loading).doStream({ ...call, ...more, ...shorter, tools, abortSignal: exchange.stop.signal });
				const answer = { endpoint, name, progress: exchange.progress, keeps: provider.keeps, usageOf: provider.usageOf };
				yield* piecesOf(interruptible(stream, exchange.stop.signal), answer);
			} catch (error) {
				// The caller's reason, or the clock's sentence; else what really happened on the wire; else what the package says.
				if (exchange.stop.signal.aborted) throw exchange.stop.signal.reason;
				if (exchange.failure) throw exchange.failure.error;
				throw error instanceof ModelError ? error : (serverFailure(endpoint, error, exchange.progress) ?? unreadable(endpoint, error));
			} finally {
				exchange.close();
			}
		},
	};
}

/** Looks for it once, for all who ask. What was missing may be there when it is asked for the next time. */
function onceFound<Value>(find: () => Promise<Value>): () => Promise<Value> {
	let looking: Promise<Value> | undefined;
	return () =>
		(looking ??= find().catch((error: unknown) => {
			looking = undefined;
			throw error;
		}));
}

/** The parts, and none after an abort: what the package has already read would still come. */
async function* interruptible(stream: AsyncIterable<LanguageModelV4StreamPart>, signal: AbortSignal): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
	for await (const part of stream) {
		signal.throwIfAborted();
		yield part;
		signal.throwIfAborted();
	}
}

function translateTool({ name, description, parameters }: ToolDeclaration): LanguageModelV4FunctionTool {
	return { type: "function", name, description, inputSchema: parameters as LanguageModelV4FunctionTool["inputSchema"] };
}

/** The figures as the packages agree on them. One that the provider did not report is absent. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
	return {
		...(inputTokens.total !== undefined && { inputTokens: inputTokens.total }),
		...(outputTokens.total !== undefined && { outputTokens: outputTokens.total }),
		...(inputTokens.cacheRead !== undefined && { cachedTokens: inputTokens.cacheRead }),
		...(inputTokens.cacheWrite !== undefined && { cacheWriteTokens: inputTokens.cacheWrite }),
	};
}
