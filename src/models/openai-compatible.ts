// Any server that speaks chat/completions, through the provider package. It converts (and parses the arguments of) every message on every
// call, and sends arguments that are no JSON as a JSON string, which strict servers refuse. So it is given no messages: chat-body.ts
// translates each once, and the exchange puts them in.
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "../events/payloads/model.ts";
import { chatMessages, ConversationBytes } from "./chat-body.ts";
import type { Model } from "./model.ts";
import { providerModel, type ProviderSettings } from "./provider-model.ts";

/** `baseUrl` is without `/chat/completions`; most servers have it end in `/v1`. `name` is `openai-compatible:NAME` unless given. */
export type OpenAiCompatibleSettings = Omit<ProviderSettings, "name"> & {
	readonly name?: string;
	/** Sent with each request, beside the key. */
	readonly headers?: Readonly<Record<string, string>>;
};

/**
 * A model behind an OpenAI-compatible URL. Nothing is loaded or sent before the first `stream`.
 * @throws ModelError, not retryable, when the base URL or the key can never work.
 */
export function openAiCompatibleModel(settings: OpenAiCompatibleSettings): Model {
	const conversation = new ConversationBytes();
	const { headers } = settings;
	return providerModel(
		{ ...settings, name: settings.name ?? `openai-compatible:${settings.model}` },
		{
			async load({ model, baseUrl, apiKey }, fetch) {
				const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
				return createOpenAICompatible({ name: "openaiCompatible", baseURL: baseUrl, includeUsage: true, ...(apiKey === undefined ? {} : { apiKey }), ...(headers && { headers: { ...headers } }), fetch }).chatModel(model);
			},
			call: ({ messages, imageOf }) => ({ prompt: [], messages: { bytes: conversation.of(messages, imageOf), list: () => chatMessages(messages, imageOf) } }),
			usageOf,
		},
	);
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
