// Gemini, through Google's own protocol. Its signatures of thoughts stand on texts and calls as well.
import type { Model } from "./model.ts";
import { promptWriter } from "./prompt.ts";
import { providerModel, type ProviderSettings, usageOf } from "./provider-model.ts";

export const googleUsual = { baseUrl: "https://generativelanguage.googleapis.com/v1beta", keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY" } as const;

/** @throws ModelError, not retryable, when the base URL or the key can never work. */
export function googleModel(settings: ProviderSettings): Model {
	const write = promptWriter({ name: settings.name, namespace: "google", args: "parsed" });
	const kept = ["thoughtSignature"];
	return providerModel(settings, {
		usual: googleUsual,
		async load({ model, baseUrl, apiKey = "" }, fetch) {
			const { createGoogle } = await import("@ai-sdk/google");
			return createGoogle({ baseURL: baseUrl, apiKey, fetch }).languageModel(model);
		},
		call: ({ messages, imageOf }) => ({ prompt: write(messages, imageOf) }),
		usageOf,
		unreadImages: ["image/gif"],
		keeps: { namespace: "google", text: kept, reasoning: kept, call: kept },
	});
}
