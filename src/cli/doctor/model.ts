// The model a conversation would get and its fall-backs, and whether they can be reached at all. No model is contacted, and no key is shown.
import { anotherModel, chooseModel, type ModelChoice, type MoreModels, openModel } from "../../agent/model-choice.ts";
import type { Config } from "../../config/schema.ts";
import { ModelConfigError, modelProviders, providerOf } from "../../models/find.ts";
import { ModelError } from "../../models/model.ts";
import { providedNow } from "../provided.ts";
import type { Check } from "./check.ts";

const origins: Readonly<Record<ModelChoice["from"], string>> = {
	"command-line": "chosen by --model",
	environment: "chosen by HOOKLINE_MODEL",
	config: "chosen in config.yaml",
	default: "as nothing else is chosen ('hookline init' chooses)",
};

export async function checkModels(config: Config | undefined): Promise<readonly Check[]> {
	if (config === undefined) return [{ name: "model", state: "warning", message: "Not looked at: config.yaml has to be mended first." }];
	let choice: ModelChoice;
	let more: MoreModels | undefined;
	const fallbackNames = config.model?.fallbacks ?? [];
	try {
		choice = chooseModel(undefined, process.env, config);
		if ([choice.name, ...fallbackNames].some((name) => !Object.hasOwn(modelProviders, providerOf(name)))) {
			// What is wrong with extensions is told in a row of their own.
			more = await providedNow(() => {});
			choice = chooseModel(undefined, process.env, config, more);
		}
	} catch (error) {
		return [problem("model", error)];
	}
	const first = await checkModel("model", choice, more, origins[choice.from], choice.from === "default" ? undefined : `The model is ${origins[choice.from]}.`);
	const fallbacks = fallbackNames.map((name) => checkModel("fall-back", anotherModel(name, choice, process.env, config, more), more, "asked when the model fails", `${name} stands under model.fallbacks in config.yaml.`));
	return [first, ...(await Promise.all(fallbacks))];
}

/** A key in a file or in the keychain is looked up, and thrown away. */
async function checkModel(name: string, choice: ModelChoice, more: MoreModels | undefined, why: string, advice: string | undefined): Promise<Check> {
	try {
		const model = openModel(choice, more);
		await model.prepare?.();
		return { name, state: "ok", message: `${model.name}, ${why}; ${keyOf(choice, more)}.` };
	} catch (error) {
		return { ...problem(name, error), ...(advice !== undefined && { advice }) };
	}
}

function problem(name: string, error: unknown): Check {
	if (!(error instanceof ModelConfigError) && !(error instanceof ModelError)) throw error;
	return { name, state: "problem", message: error.message };
}

function keyOf({ name: model, keyIn }: ModelChoice, more: MoreModels | undefined): string {
	if (model === "rehearsal") return "it is offline and needs no key";
	if (keyIn === undefined && more?.isLoggedIn(providerOf(model)) === true) return "its key is that of your login";
	return keyIn === undefined ? "no key is set" : `its key is in ${keyIn}`;
}
