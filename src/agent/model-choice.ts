// Which model, at which address, with whose key: from the command line, the environment and config.yaml.
import type { Config, ModelConfig } from "../config/schema.ts";
import { findModel, ModelConfigError, type ModelSpec, usualOf } from "../models/find.ts";
import type { ModelFacts } from "../models/known.ts";
import type { Model } from "../models/model.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ModelChoice {
	/** As the user writes it. */
	readonly name: string;
	readonly from: "command-line" | "environment" | "config" | "default";
	/** The environment variable its key was found in, when one was. */
	readonly keyVariable?: string;
	/** To be opened with `openModel`; holds the key. */
	readonly spec: ModelSpec;
}

/**
 * The first of: what the command line says, HOOKLINE_MODEL, config.yaml, rehearsal. Nothing is loaded or contacted.
 * @throws ModelConfigError when there is an address and no model to look for there.
 */
export function chooseModel(asked: string | undefined, environment: Environment, { model: settings, models }: Config): ModelChoice {
	const named = firstOf([
		["command-line", asked],
		["environment", setIn(environment, "HOOKLINE_MODEL")],
		["config", settings?.provider === undefined ? undefined : settings.name === undefined ? settings.provider : `${settings.provider}:${settings.name}`],
	]);
	const givenUrl = setIn(environment, "HOOKLINE_BASE_URL");
	const anyUrl = givenUrl ?? settings?.base_url;
	if (named === undefined && anyUrl !== undefined) {
		throw new ModelConfigError(`There is a base URL (${anyUrl}), but no model is named. Set HOOKLINE_MODEL=openai-compatible:NAME, or --model, or model.provider and model.name in config.yaml.`);
	}
	const [from, name] = named ?? (["default", "rehearsal"] as const);
	const usual = usualOf(name);
	// Address and key in config.yaml are those of its provider: another one's key must not go to that address, nor its key to another.
	const own = usual === undefined || settings?.provider === undefined || name.split(":", 1)[0] === settings.provider ? settings : undefined;
	const keyVariable = ["HOOKLINE_API_KEY", own?.api_key_env, usual?.keyVariable].find((variable) => variable !== undefined && setIn(environment, variable) !== undefined);
	const said = models !== undefined && Object.hasOwn(models, name) ? models[name] : undefined;
	return {
		name,
		from,
		...(keyVariable !== undefined && { keyVariable }),
		spec: { name, baseUrl: givenUrl ?? own?.base_url, apiKey: keyVariable && setIn(environment, keyVariable), reasoning: settings?.reasoning, facts: said && factsFrom(said) },
	};
}

/** @throws ModelConfigError when the settings cannot work. */
export const openModel = ({ spec }: ModelChoice): Model => findModel(spec);

function firstOf<From extends string>(ways: readonly (readonly [From, string | undefined])[]): readonly [From, string] | undefined {
	for (const [from, name] of ways) if (name !== undefined) return [from, name];
	return undefined;
}

/** A variable's value without the space around it; one that is empty is not set. */
export function setIn(environment: Environment, variable: string): string | undefined {
	const value = environment[variable]?.trim();
	return value === "" ? undefined : value;
}

function factsFrom({ context_tokens, max_output_tokens, price }: ModelConfig): ModelFacts {
	return {
		...(context_tokens !== undefined && { contextTokens: context_tokens }),
		...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
		...(price && {
			price: {
				input: price.input,
				output: price.output,
				...(price.cached_input !== undefined && { cachedInput: price.cached_input }),
				...(price.cache_write !== undefined && { cacheWrite: price.cache_write }),
			},
		}),
	};
}
