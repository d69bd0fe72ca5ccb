// Claude, through Anthropic's own protocol. The prompt is cached by marking places in it: up to a mark, a request that begins with the same
// bytes is read from the cache.
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Model } from "./model.ts";
import { promptWriter } from "./prompt.ts";
import { providerModel, type ProviderSettings, usageOf } from "./provider-model.ts";

export const anthropicUsual = { baseUrl: "https://api.anthropic.com/v1", keyVariable: "ANTHROPIC_API_KEY" } as const;

/** @throws ModelError, not retryable, when the base URL or the key can never work. */
export function anthropicModel(settings: ProviderSettings): Model {
	const write = promptWriter({ name: settings.name, namespace: "anthropic", args: "parsed" });
	return providerModel(settings, {
		usual: anthropicUsual,
		async load({ model, baseUrl, apiKey = "" }, fetch) {
			const { createAnthropic } = await import("@ai-sdk/anthropic");
			return createAnthropic({ baseURL: baseUrl, apiKey, fetch }).languageModel(model);
		},
		call: ({ messages, imageOf }) => ({ prompt: withCacheMarks(write(messages, imageOf)) }),
		usageOf,
		keeps: { namespace: "anthropic", text: [], reasoning: ["signature", "redactedData"], call: [] },
	});
}

const mark = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

/**
 * Marks the end of the system prompt (with the tools, which go before it), of the whole request, and of what the request before this one ended
 * with: its mark is what this one finds in the cache even when many results came in between.
 */
function withCacheMarks(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
	const marked = prompt.slice();
	const last = prompt.length - 1;
	const before = prompt.findLastIndex(({ role }) => role === "assistant") - 1;
	for (const at of new Set([prompt[0]?.role === "system" ? 0 : -1, before, last])) {
		const message = prompt[at];
		if (message) marked[at] = { ...message, providerOptions: mark };
	}
	return marked;
}
