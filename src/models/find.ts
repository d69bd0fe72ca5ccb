// From what the user wrote to a model.
import { didYouMean } from "../system/nearest.ts";
import type { Model } from "./model.ts";
import { apiKeyProblem, baseUrlProblem } from "./openai-compatible-failures.ts";
import { openAiCompatibleModel } from "./openai-compatible.ts";
import { rehearsalModel } from "./rehearsal.ts";

/** The providers there are, with the way a model of theirs is written. */
export const modelProviders = {
	rehearsal: "rehearsal",
	"openai-compatible": "openai-compatible:NAME",
} as const;
type Provider = keyof typeof modelProviders;

export interface ModelSpec {
	/** `rehearsal` or `openai-compatible:NAME`. */
	readonly name: string;
	readonly baseUrl?: string | undefined;
	readonly apiKey?: string | undefined;
}

/** A model that cannot be had as it was asked for: the settings are to blame, and the message names them. */
export class ModelConfigError extends Error {
	override readonly name = "ModelConfigError";
}

/**
 * The model the user asked for. Nothing is loaded or contacted yet.
 * @throws ModelConfigError for a provider there is not, a missing model name, or a base URL or key that cannot work.
 */
export function findModel({ name, baseUrl, apiKey }: ModelSpec): Model {
	const colon = name.indexOf(":");
	const provider = colon < 0 ? name : name.slice(0, colon);
	const model = colon < 0 ? "" : name.slice(colon + 1).trim();
	if (!isProvider(provider)) {
		const known = Object.keys(modelProviders);
		const advice = didYouMean(provider, known) || ` A model is written ${Object.values(modelProviders).join(" or ")}.`;
		throw new ModelConfigError(`There is no model provider '${provider}'.${advice}`);
	}
	if (provider === "rehearsal") {
		if (colon >= 0) throw new ModelConfigError(`'${name}': the rehearsal model has no name behind it. Write 'rehearsal'.`);
		return rehearsalModel();
	}
	if (model === "") throw new ModelConfigError(`'${name}' names no model. Write ${modelProviders[provider]}, with the name the server gives it.`);
	if (!baseUrl) {
		throw new ModelConfigError(`${name} needs the address of its server. Set HOOKLINE_BASE_URL, or model.base_url in config.yaml, for example http://127.0.0.1:8080/v1.`);
	}
	const problem = baseUrlProblem(baseUrl);
	if (problem) throw new ModelConfigError(`The base URL of ${name} (HOOKLINE_BASE_URL, or model.base_url in config.yaml) cannot be used: ${problem}.`);
	const key = apiKey?.trim();
	const keyProblem = key && apiKeyProblem(key);
	if (keyProblem) throw new ModelConfigError(keyProblem);
	return openAiCompatibleModel({ model, baseUrl, name, ...(key ? { apiKey: key } : {}) });
}

const isProvider = (name: string): name is Provider => Object.hasOwn(modelProviders, name);
