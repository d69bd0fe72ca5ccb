// `model:` of Hermes's config.yaml, where it is certain what it is here.
import type { Import } from "./bring.ts";
import { objectOf } from "./home.ts";
import { holdsSecret } from "./secrets.ts";

/** Servers that speak the protocol of OpenAI, by their name in Hermes: where they answer unless it is said, and the variable with the key. */
const compatible: Readonly<Record<string, { readonly address?: string; readonly key?: string }>> = {
	custom: {},
	ollama: {},
	vllm: {},
	llamacpp: {},
	lmstudio: { address: "http://127.0.0.1:1234/v1" },
	openrouter: { address: "https://openrouter.ai/api/v1", key: "OPENROUTER_API_KEY" },
};

/** What `model:` of our config.yaml is to hold, by its keys; nothing where that says something already. `here` is all of it. */
export function modelSettings({ hermes, findings }: Import, here: unknown): Readonly<Record<string, string>> {
	const model = hermes.config["model"];
	if (model === undefined || model === null) return {};
	const { default: usual, model: named, provider, base_url, api_key } = objectOf(model);
	if (api_key !== undefined) findings.leave("model.api_key is a secret and was not copied: put it into a variable and name that with model.api_key_env, or into HOOKLINE_API_KEY.");
	if (objectOf(here)["model"] !== undefined) return {};
	const found = certain(usual ?? named, provider, base_url);
	if (found === undefined) findings.leave("model was not taken over, as it is not certain what it is here: 'hookline init' asks for it.");
	return found ?? {};
}

function certain(name: unknown, provider: unknown, address: unknown): Readonly<Record<string, string>> | undefined {
	if (typeof name !== "string" || name === "" || typeof provider !== "string") return undefined;
	const isAddress = typeof address === "string" && /^https?:\/\//.test(address) && !holdsSecret(address);
	if (Object.hasOwn(compatible, provider)) {
		const { address: usual, key } = compatible[provider]!;
		const base = isAddress ? address : usual;
		return base === undefined ? undefined : { provider: "openai-compatible", name, base_url: base, ...(key !== undefined && { api_key_env: key }) };
	}
	// Names with a maker before them, or with dots, are those of a reseller.
	if (provider === "anthropic" && /^[\w-]+$/.test(name) && address === undefined) return { provider, name };
	return provider === "gemini" && !name.includes("/") && address === undefined ? { provider: "google", name } : undefined;
}
