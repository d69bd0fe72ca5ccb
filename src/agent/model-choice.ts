// Which model, at which address, with whose key: from the command line, the environment and config.yaml.
import type { AccessConfig, Config, ModelConfig } from "../config/schema.ts";
import type { KeyPlace } from "../models/api-key.ts";
import { findModel, ModelConfigError, type ModelSpec, providerOf, usualOf } from "../models/find.ts";
import type { ModelFacts } from "../models/known.ts";
import type { Model } from "../models/model.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ModelChoice {
	/** As the user writes it. */
	readonly name: string;
	readonly from: "command-line" | "environment" | "config" | "default";
	/** Where its key is, for a person; absent when there is none. The environment variable it was found in, the file or the keychain it will be looked up in. */
	readonly keyIn?: string;
	/** To be opened with `openModel`; holds the key. */
	readonly spec: ModelSpec;
}

/** Models beside those we know the providers of. */
export interface MoreModels {
	/** What stands before the colon of theirs. */
	readonly providers: readonly string[];
	/** Those that are listed, `PROVIDER:NAME`. */
	readonly names: readonly string[];
	/** The environment variable the key of a provider is usually kept in. */
	keyVariableOf(provider: string): string | undefined;
	/** Whether the person logged in there; undefined where nobody can. */
	isLoggedIn(provider: string): boolean | undefined;
	factsOf(name: string): ModelFacts;
	/** @throws ModelConfigError */
	open(spec: ModelSpec): Model;
}

/** None. */
export const noMoreModels: MoreModels = {
	providers: [],
	names: [],
	keyVariableOf: () => undefined,
	isLoggedIn: () => undefined,
	factsOf: () => ({}),
	open: findModel,
};

/**
 * The first of: what the command line says, HOOKLINE_MODEL, config.yaml, rehearsal. Nothing is loaded or contacted.
 * @throws ModelConfigError when there is an address and no model to look for there.
 */
export function chooseModel(asked: string | undefined, environment: Environment, config: Config, more: MoreModels = noMoreModels): ModelChoice {
	const { model: settings } = config;
	const named = firstOf([
		["command-line", asked],
		["environment", setIn(environment, "HOOKLINE_MODEL")],
		["config", settings?.provider === undefined ? undefined : settings.name === undefined ? settings.provider : `${settings.provider}:${settings.name}`],
	]);
	const anyUrl = setIn(environment, "HOOKLINE_BASE_URL") ?? settings?.base_url;
	if (named === undefined && anyUrl !== undefined) {
		throw new ModelConfigError(`There is a base URL (${anyUrl}), but no model is named. Set HOOKLINE_MODEL=openai-compatible:NAME, or --model, or model.provider and model.name in config.yaml.`);
	}
	const [from, name] = named ?? (["default", "rehearsal"] as const);
	const own = settingsOf(name, config);
	const access = [inEnvironment(environment), own, own.base_url === undefined ? ofProvider(name, config, name) : {}];
	return choiceOf(name, from, access, { environment, config, more });
}

/**
 * Another model, beside the one that was chosen first: for `/model`, a session that is taken up, a fall-back. What is said of this model in config.yaml
 * comes before the variables of the environment here: those were set for the first one, and hold for others of its provider only, or for any beside rehearsal.
 */
export function anotherModel(name: string, { name: first, from }: ModelChoice, environment: Environment, config: Config, more: MoreModels = noMoreModels): ModelChoice {
	const own = settingsOf(name, config);
	// Rehearsal has no use for them, so they were set for another one; but not for one that an extension brings, which nobody said they are for.
	const isMeant = providerOf(name) === providerOf(first) || (providerOf(first) === "rehearsal" && !more.providers.includes(providerOf(name)));
	const access = own.base_url !== undefined ? [own] : [own, isMeant ? inEnvironment(environment) : {}, ofProvider(name, config, first)];
	return choiceOf(name, from, access, { environment, config, more });
}

/** @throws ModelConfigError when the settings cannot work. */
export const openModel = ({ name, spec }: ModelChoice, more: MoreModels = noMoreModels): Model => (more.providers.includes(providerOf(name)) ? more.open(spec) : findModel(spec, more.providers));

const inEnvironment = (environment: Environment): AccessConfig => {
	const baseUrl = setIn(environment, "HOOKLINE_BASE_URL");
	return { ...(baseUrl !== undefined && { base_url: baseUrl }), api_key_env: "HOOKLINE_API_KEY" };
};

const settingsOf = (name: string, { models = {} }: Config): ModelConfig => (Object.hasOwn(models, name) ? models[name]! : {});

/** Address and key under `model:` are those of its provider: another one's key must not go to that address, nor its key to another. */
function ofProvider(name: string, { model: settings = {} }: Config, first: string): AccessConfig {
	return providerOf(name) === (settings.provider ?? providerOf(first)) ? settings : {};
}

/** Address and key are the first there are in `access`, then the provider's own. */
function choiceOf(name: string, from: ModelChoice["from"], access: readonly AccessConfig[], { environment, config, more }: { readonly environment: Environment; readonly config: Config; readonly more: MoreModels }): ModelChoice {
	const usual = usualOf(name)?.keyVariable ?? more.keyVariableOf(providerOf(name));
	const key = [...access, usual === undefined ? {} : { api_key_env: usual }].map((one) => keyOf(one, environment)).find((found) => found !== undefined);
	const baseUrl = access.find(({ base_url: url }) => url !== undefined)?.base_url;
	return {
		name,
		from,
		...(key && { keyIn: key.in }),
		spec: { name, baseUrl, apiKey: key?.key, reasoning: config.model?.reasoning, facts: factsFrom(settingsOf(name, config)) },
	};
}

function keyOf({ api_key_env: variable, api_key_file: path, api_key_keychain: name }: AccessConfig, environment: Environment): { readonly in: string; readonly key: string | KeyPlace } | undefined {
	const value = variable === undefined ? undefined : setIn(environment, variable);
	if (variable !== undefined && value !== undefined) return { in: variable, key: value };
	if (path !== undefined) return { in: `the file ${path}`, key: { kind: "file", path } };
	return name === undefined ? undefined : { in: `the system keychain, as '${name}'`, key: { kind: "keychain", name } };
}

function firstOf<From extends string>(ways: readonly (readonly [From, string | undefined])[]): readonly [From, string] | undefined {
	for (const [from, name] of ways) if (name !== undefined) return [from, name];
	return undefined;
}

/** A variable's value without the space around it; one that is empty is not set. */
export function setIn(environment: Environment, variable: string): string | undefined {
	const value = environment[variable]?.trim();
	return value === "" ? undefined : value;
}

/** What config.yaml says of a model. */
export function factsFrom({ context_tokens, max_output_tokens, images, price }: ModelConfig): ModelFacts {
	return {
		...(context_tokens !== undefined && { contextTokens: context_tokens }),
		...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
		...(images !== undefined && { images }),
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
