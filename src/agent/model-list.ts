// The models that can be chosen: those Hookline knows, and those config.yaml names.
import type { Config } from "../config/schema.ts";
import { ModelConfigError, providerOf } from "../models/find.ts";
import { factsOf, knownModels, type ModelFacts, type Price } from "../models/known.ts";
import { nearest } from "../system/nearest.ts";
import { anotherModel, type Environment, type ModelChoice, type MoreModels, noMoreModels, openModel } from "./model-choice.ts";

export interface ListedModel {
	readonly name: string;
	readonly provider: string;
	readonly facts: ModelFacts;
	/** Where its key is found, or will be looked up; absent when there is none. */
	readonly keyIn?: string;
	/** Why it cannot be used as things stand, as a sentence; absent when it can. */
	readonly missing?: string;
}

/** Rehearsal first, then by name. Nothing is contacted, no key is looked up. */
export function listModels(first: ModelChoice, environment: Environment, config: Config, more: MoreModels = noMoreModels): readonly ListedModel[] {
	const written = [first.name, ...(config.model?.fallbacks ?? []), ...Object.keys(config.models ?? {})];
	const names = [...new Set([...written, ...knownModels, ...more.names])].filter((name) => name !== "rehearsal").sort();
	return ["rehearsal", ...names].map((name) => {
		const choice = name === first.name ? first : anotherModel(name, first, environment, config, more);
		const isLoggedIn = more.isLoggedIn(providerOf(name));
		const { spec, keyIn = isLoggedIn === true ? "your login" : undefined } = choice;
		const missing = problemOf(() => openModel(choice, more)) ?? (isLoggedIn === false && keyIn === undefined ? `${name} needs a login. Run: hookline models login ${providerOf(name)}` : undefined);
		return { name, provider: providerOf(name), facts: { ...more.factsOf(name), ...factsOf(name, spec.facts) }, ...(keyIn !== undefined && { keyIn }), ...(missing !== undefined && { missing }) };
	});
}

function problemOf(open: () => unknown): string | undefined {
	try {
		open();
		return undefined;
	} catch (error) {
		if (!(error instanceof ModelConfigError)) throw error;
		return error.message;
	}
}

/** New models appear, so a name that is not known is asked for all the same; but it may be a slip of the finger. Undefined when nothing is like it. */
export function unknownModelNote(name: string, { models = {} }: Config, more: MoreModels = noMoreModels): string | undefined {
	if (name === "rehearsal" || Object.hasOwn(models, name) || Object.keys(factsOf(name)).length > 0 || more.names.includes(name)) return undefined;
	const provider = providerOf(name);
	const near = nearest(name, [...knownModels, ...Object.keys(models), ...more.names].filter((known) => providerOf(known) === provider));
	return near === undefined ? undefined : `Hookline knows no model '${name}'; it is asked for all the same. Did you mean '${near}'?`;
}

/** What a person is told of a model's size and price: `200000 tokens of context, $5 in and $25 out per million tokens`. What is not known is said to be. */
export function factsInWords({ name, facts: { contextTokens, price } = {} }: Pick<ListedModel, "name"> & { readonly facts?: ModelFacts }): string {
	if (name === "rehearsal") return "offline, free";
	return `${contextTokens === undefined ? "context size unknown" : `${contextTokens} tokens of context`}, ${priceInWords(price)}`;
}

const priceInWords = (price: Price | undefined): string => (price === undefined ? "price unknown" : `$${price.input} in and $${price.output} out per million tokens`);
