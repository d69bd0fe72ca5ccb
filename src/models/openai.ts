// OpenAI, through its Responses protocol. Nothing is stored over there: reasoning comes encrypted and goes back with the history.
import type { Model } from "./model.ts";
import { promptWriter } from "./prompt.ts";
import { providerModel, type ProviderSettings, usageOf } from "./provider-model.ts";

export const openAiUsual = { baseUrl: "https://api.openai.com/v1", keyVariable: "OPENAI_API_KEY" } as const;

/** @throws ModelError, not retryable, when the base URL or the key can never work. */
export function openAiModel(settings: ProviderSettings): Model {
	const write = promptWriter({ name: settings.name, namespace: "openai", args: "text" });
	return providerModel(settings, {
		usual: openAiUsual,
		async load({ model, baseUrl, apiKey = "" }, fetch) {
			const { createOpenAI } = await import("@ai-sdk/openai");
			return createOpenAI({ baseURL: baseUrl, apiKey, fetch }).responses(model);
		},
		call: ({ messages, imageOf }) => ({ prompt: write(messages, imageOf), providerOptions: { openai: { store: false } } }),
		usageOf,
		keeps: { namespace: "openai", text: ["phase"], reasoning: ["itemId", "reasoningEncryptedContent"], call: [] },
	});
}
