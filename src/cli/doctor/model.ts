// The model a conversation would get, and whether it can be reached at all. Nothing is contacted, and no key is shown.
import { chooseModel, type ModelChoice, openModel } from "../../agent/model-choice.ts";
import type { Config } from "../../config/schema.ts";
import { ModelConfigError } from "../../models/find.ts";
import type { Check } from "./check.ts";

const name = "model";
const origins: Readonly<Record<ModelChoice["from"], string>> = {
	"command-line": "chosen by --model",
	environment: "chosen by HOOKLINE_MODEL",
	config: "chosen in config.yaml",
	default: "as nothing else is chosen ('hookline init' chooses)",
};

export function checkModel(config: Config | undefined): Check {
	if (config === undefined) return { name, state: "warning", message: "Not looked at: config.yaml has to be mended first." };
	let choice: ModelChoice | undefined;
	try {
		choice = chooseModel(undefined, process.env, config);
		return { name, state: "ok", message: `${openModel(choice).name}, ${origins[choice.from]}; ${keyOf(choice)}.` };
	} catch (error) {
		if (!(error instanceof ModelConfigError)) throw error;
		return { name, state: "problem", message: error.message, ...(choice && choice.from !== "default" && { advice: `The model is ${origins[choice.from]}.` }) };
	}
}

function keyOf({ name: model, keyVariable }: ModelChoice): string {
	if (model === "rehearsal") return "it is offline and needs no key";
	return keyVariable === undefined ? "no key is set" : `its key is in ${keyVariable}`;
}
