// The models of a conversation: the one a person chose, the fall-backs behind it, and which of them is asked now.
import type { Config } from "../config/schema.ts";
import { ModelConfigError } from "../models/find.ts";
import type { Model } from "../models/model.ts";
import { anotherModel, chooseModel, type Environment, type MoreModels, openModel } from "./model-choice.ts";
import { type ListedModel, listModels, unknownModelNote } from "./model-list.ts";

export interface ModelsOptions {
	readonly first: Model;
	/** Said on the command line: then a session that is taken up does not bring its own. */
	readonly fixed: boolean;
	/** In the order they are asked. */
	readonly fallbacks: readonly Model[];
	/** @throws ModelConfigError */
	readonly open: (name: string) => Model;
	readonly list: () => readonly ListedModel[];
	/** What is to be said to somebody who names a model that Hookline does not know. */
	readonly noteOn: (name: string) => string | undefined;
}

export class Models {
	readonly #options: ModelsOptions;
	#chosen: Model;
	#current: Model;

	constructor(options: ModelsOptions) {
		this.#options = options;
		this.#chosen = this.#current = options.first;
	}

	/** The one a person chose. */
	get chosen(): Model {
		return this.#chosen;
	}

	/** The one that is asked: the chosen one, or after it failed one of the fall-backs, until the turn is over. */
	get current(): Model {
		return this.#current;
	}

	get fallbacks(): readonly Model[] {
		return this.#options.fallbacks;
	}

	/** For a person to choose from. */
	list(): readonly ListedModel[] {
		return this.#options.list();
	}

	/**
	 * Asks another model from the next call on; gives what is to be said about its name.
	 * @throws ModelConfigError or ModelError when it cannot be had; everything then stays as it is.
	 */
	async choose(name: string): Promise<string | undefined> {
		const model = this.#open(name);
		await model.prepare?.();
		this.#chosen = this.#current = model;
		return this.#options.noteOn(name);
	}

	/** The model of a session that is taken up. Gives why not, when it cannot be had; the one there is then stays. */
	takeUp(name: string): string | undefined {
		if (this.#options.fixed || name === this.#chosen.name) return undefined;
		try {
			this.#chosen = this.#current = this.#open(name);
			return undefined;
		} catch (error) {
			if (!(error instanceof ModelConfigError)) throw error;
			return error.message;
		}
	}

	/** The one to ask where this one failed; undefined when there is none. */
	after(failed: Model): Model | undefined {
		// Somebody chose another one while it was being asked.
		if (failed !== this.#current) return this.#current;
		const chain = [this.#chosen, ...this.#options.fallbacks.filter(({ name }) => name !== this.#chosen.name)];
		return chain[chain.indexOf(failed) + 1];
	}

	/** Goes on with that one. */
	fallBack(to: Model): void {
		this.#current = to;
	}

	/** Whoever failed may answer again. */
	backToChosen(): void {
		this.#current = this.#chosen;
	}

	/** For a delegated child: it begins with the model its parent is at, and goes its own way from there. */
	forChild(): Models {
		return new Models({ ...this.#options, first: this.#current });
	}

	/** A model that was opened before is the same one: it remembers how the conversation is written, and has its key. */
	#open(name: string): Model {
		return [this.#chosen, ...this.#options.fallbacks].find((model) => model.name === name) ?? this.#options.open(name);
	}
}

/**
 * The models that the command line, the environment and config.yaml name; `more` are those that extensions bring. A fall-back that cannot work is warned of and left out.
 * @throws ModelConfigError when the first one cannot be had.
 */
export function openModels(asked: string | undefined, environment: Environment, config: Config, warn: (message: string) => void, more?: MoreModels): Models {
	const choice = chooseModel(asked, environment, config, more);
	const first = openModel(choice, more);
	const open = (name: string) => openModel(anotherModel(name, choice, environment, config, more), more);
	const noteOn = (name: string) => unknownModelNote(name, config, more);
	const note = choice.from === "command-line" ? noteOn(choice.name) : undefined;
	if (note !== undefined) warn(note);
	const fallbacks = (config.model?.fallbacks ?? []).flatMap((name) => {
		try {
			return name === first.name ? [] : [open(name)];
		} catch (error) {
			if (!(error instanceof ModelConfigError)) throw error;
			warn(`The fall-back ${name} is left out: ${error.message}`);
			return [];
		}
	});
	return new Models({ first, fixed: choice.from === "command-line", fallbacks, open, list: () => listModels(choice, environment, config, more), noteOn });
}
