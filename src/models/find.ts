// From what the user wrote to a model.
import { didYouMean } from "../system/nearest.ts";
import { anthropicModel, anthropicUsual } from "./anthropic.ts";
import type { KeyPlace } from "./api-key.ts";
import { apiKeyProblem, baseUrlProblem, keyAdvice, type Usual } from "./failures.ts";
import { googleModel, googleUsual } from "./google.ts";
import { factsOf, type ModelFacts } from "./known.ts";
import type { Model } from "./model.ts";
import { openAiModel, openAiUsual } from "./openai.ts";
import { openAiCompatibleModel } from "./openai-compatible.ts";
import type { ProviderSettings, ReasoningEffort } from "./provider-model.ts";
import { rehearsalModel } from "./rehearsal.ts";

/** The providers there are, with the way a model of theirs is written. */
export const modelProviders = {
	rehearsal: "rehearsal",
	anthropic: "anthropic:NAME",
	openai: "openai:NAME",
	google: "google:NAME",
	"openai-compatible": "openai-compatible:NAME",
} as const;
type Provider = keyof typeof modelProviders;

const online: Readonly<Record<Exclude<Provider, "rehearsal">, { open(settings: ProviderSettings): Model; readonly usual?: Usual }>> = {
	anthropic: { open: anthropicModel, usual: anthropicUsual },
	openai: { open: openAiModel, usual: openAiUsual },
	google: { open: googleModel, usual: googleUsual },
	"openai-compatible": { open: openAiCompatibleModel },
};

export interface ModelSpec {
	/** `rehearsal`, or `PROVIDER:NAME` with one of `modelProviders`. */
	readonly name: string;
	/** In the place of the provider's own address. */
	readonly baseUrl?: string | undefined;
	/** The key itself, or where it is looked up when the model is first asked. */
	readonly apiKey?: string | KeyPlace | undefined;
	readonly reasoning?: ReasoningEffort | undefined;
	/** What config.yaml says of this model. Its `maxOutputTokens` is also asked for. */
	readonly facts?: ModelFacts | undefined;
}

/** A model that cannot be had as it was asked for: the settings are to blame, and the message names them. */
export class ModelConfigError extends Error {
	override readonly name = "ModelConfigError";
}

/**
 * The model the user asked for. Nothing is loaded or contacted yet. `others` are names of providers that are found elsewhere, for advice.
 * @throws ModelConfigError for a provider there is not, a missing model name, a missing key, or a base URL or key that cannot work.
 */
export function findModel(spec: ModelSpec, others: readonly string[] = []): Model {
	const { name } = spec;
	const { provider, model } = partsOf(name);
	if (!isProvider(provider)) {
		const ways = Object.values(modelProviders);
		const advice = didYouMean(provider, [...Object.keys(modelProviders), ...others]) || ` A model is written ${ways.slice(0, -1).join(", ")} or ${ways.at(-1)}.`;
		throw new ModelConfigError(`There is no model provider '${provider}'.${advice}`);
	}
	if (provider === "rehearsal") {
		if (name !== provider) throw new ModelConfigError(`'${name}': the rehearsal model has no name behind it. Write 'rehearsal'.`);
		return { ...rehearsalModel(), ...(spec.facts && { facts: spec.facts }) };
	}
	if (model === "") throw new ModelConfigError(`'${name}' names no model. Write ${modelProviders[provider]}, with the name the server gives it.`);
	const { open, usual } = online[provider];
	const baseUrl = spec.baseUrl || usual?.baseUrl;
	if (!baseUrl) {
		throw new ModelConfigError(`${name} needs the address of its server. Set HOOKLINE_BASE_URL, or model.base_url in config.yaml, for example http://127.0.0.1:8080/v1.`);
	}
	const problem = baseUrlProblem(baseUrl);
	if (problem) throw new ModelConfigError(`The base URL of ${name} (HOOKLINE_BASE_URL, or model.base_url in config.yaml) cannot be used: ${problem}.`);
	const apiKey = typeof spec.apiKey === "string" ? spec.apiKey.trim() : spec.apiKey;
	const keyProblem = typeof apiKey === "string" && apiKeyProblem(apiKey, usual);
	if (keyProblem) throw new ModelConfigError(keyProblem);
	// At another address there may be a server that wants none.
	if (!apiKey && usual?.baseUrl === baseUrl) throw new ModelConfigError(`${name} needs an API key. ${keyAdvice(usual)}`);
	const { reasoning, facts } = spec;
	return open({
		model,
		baseUrl,
		name,
		facts: factsOf(name, facts),
		...(apiKey && { apiKey }),
		...(reasoning && { reasoning }),
		...(facts?.maxOutputTokens !== undefined && { maxOutputTokens: facts.maxOutputTokens }),
	});
}

/** What a provider is reached by when nobody says otherwise; undefined for one that has no address of its own, or that there is not. */
export function usualOf(name: string): Usual | undefined {
	const provider = providerOf(name);
	return isProvider(provider) && provider !== "rehearsal" ? online[provider].usual : undefined;
}

/** What stands before the colon; whether there is such a provider is not looked at. */
export const providerOf = (name: string): string => partsOf(name).provider;

/** Before and after the first colon. */
export function partsOf(name: string): { readonly provider: string; readonly model: string } {
	const colon = name.indexOf(":");
	return colon < 0 ? { provider: name, model: "" } : { provider: name.slice(0, colon), model: name.slice(colon + 1).trim() };
}

const isProvider = (name: string): name is Provider => Object.hasOwn(modelProviders, name);
