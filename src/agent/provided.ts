// The models of providers that extensions brought, each under a name of its own.
import type { ExtensionProvider } from "../events/providers.ts";
import { readKey } from "../models/api-key.ts";
import { extensionModel } from "../models/extension-model.ts";
import { baseUrlProblem } from "../models/failures.ts";
import { ModelConfigError, type ModelSpec, modelProviders, partsOf } from "../models/find.ts";
import type { ModelFacts } from "../models/known.ts";
import { Logins } from "../models/login/logins.ts";
import type { Model } from "../models/model.ts";
import { knowSecret } from "../system/redact.ts";
import type { MoreModels } from "./model-choice.ts";

export interface ProvidedOptions {
	/** The folder of the user's own files, absolute: what they logged in with lies below it. */
	readonly home: string;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

export interface ProvidedProvider {
	readonly extension: string;
	/** What stands before the colon. */
	readonly called: string;
	readonly provider: ExtensionProvider;
}

/** A name once given stays with its extension for as long as that brings the provider. */
export class Provided implements MoreModels {
	readonly #options: ProvidedOptions;
	readonly #all = new Map<string, ProvidedProvider>();
	readonly logins: Logins;

	constructor(options: ProvidedOptions) {
		this.#options = options;
		this.logins = new Logins(options.home);
	}

	/** All that an extension brings now; it takes the place of what it brought before. */
	set(extension: string, providers: readonly ExtensionProvider[]): void {
		const before = this.#of(extension);
		for (const { called, provider } of before) if (!providers.some(({ name }) => name === provider.name)) this.#all.delete(called);
		for (const provider of providers) {
			const called = before.find((one) => one.provider.name === provider.name)?.called ?? this.#freeName(extension, provider.name);
			this.#all.set(called, { extension, called, provider });
		}
	}

	delete(extension: string): void {
		this.set(extension, []);
	}

	get all(): readonly ProvidedProvider[] {
		return [...this.#all.values()];
	}

	get(called: string): ProvidedProvider | undefined {
		return this.#all.get(called);
	}

	get providers(): readonly string[] {
		return [...this.#all.keys()];
	}

	get names(): readonly string[] {
		return this.all.flatMap(({ called, provider }) => provider.models.map(({ name }) => `${called}:${name}`));
	}

	keyVariableOf(called: string): string | undefined {
		return this.#all.get(called)?.provider.keyVariable;
	}

	isLoggedIn(called: string): boolean | undefined {
		const found = this.#all.get(called);
		return found?.provider.login && this.logins.has(found.extension, found.provider.name);
	}

	factsOf(name: string): ModelFacts {
		const { provider: called, model } = partsOf(name);
		const { name: _, ...facts } = this.#all.get(called)?.provider.models.find((one) => one.name === model) ?? { name: "" };
		return facts;
	}

	open({ name, baseUrl, apiKey, reasoning, facts = {} }: ModelSpec): Model {
		const { provider: called, model } = partsOf(name);
		const found = this.#all.get(called);
		if (found === undefined) throw new ModelConfigError(`There is no model provider '${called}'.`);
		if (model === "") throw new ModelConfigError(`'${name}' names no model. Write ${called}:NAME, with the name the provider gives it.`);
		const problem = baseUrl && baseUrlProblem(baseUrl);
		if (problem) throw new ModelConfigError(`The base URL of ${name} (HOOKLINE_BASE_URL, or model.base_url in config.yaml) cannot be used: ${problem}.`);
		const { extension } = found;
		return extensionModel({
			name,
			model,
			extension,
			provider: () => {
				const now = this.#all.get(called);
				return now?.extension === extension ? now.provider : undefined;
			},
			key: async (provider, options) => {
				const key = typeof apiKey === "object" ? await readKey(apiKey) : apiKey || (await this.logins.keyOf(extension, provider, called, options));
				if (key !== undefined) knowSecret(key);
				return key;
			},
			baseUrl: baseUrl || undefined,
			facts: { ...this.factsOf(name), ...facts },
			reasoning,
			maxOutputTokens: facts.maxOutputTokens,
		});
	}

	#of(extension: string): readonly ProvidedProvider[] {
		return this.all.filter((one) => one.extension === extension);
	}

	#freeName(extension: string, name: string): string {
		const isTaken = (one: string) => this.#all.has(one) || Object.hasOwn(modelProviders, one);
		if (!isTaken(name)) return name;
		const prefixed = `${extension.replace(/[^\w.-]/g, ".")}.${name}`;
		let free = prefixed;
		for (let n = 2; isTaken(free); n++) free = `${prefixed}-${n}`;
		this.#options.warn(`There is a model provider '${name}' already, so the one of the extension '${extension}' is called '${free}'.`);
		return free;
	}
}
