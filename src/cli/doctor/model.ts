// The model a conversation would get, and whether it can be reached at all. Nothing is contacted, and no key is shown.
import { statSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import type { Config } from "../../config/schema.ts";
import { ModelConfigError, usualOf } from "../../models/find.ts";
import { openRuntime } from "../../runtime.ts";
import type { Home } from "../../system/home.ts";
import { silent } from "../answers.ts";
import type { Check } from "./check.ts";

const name = "model";

export async function checkModel(home: Home, config: Config | undefined): Promise<Check> {
	if (config === undefined) return { name, state: "warning", message: "Not looked at: config.yaml has to be mended first." };
	await using runtime = await openRuntime({ environment: environmentOf(home), cwd: process.cwd(), surface: "test", hooks: false, output: silent, warn: () => {}, log: () => {} });
	const origin = originOf(config);
	try {
		const chosen = runtime.agent().model.name;
		return { name, state: "ok", message: `${chosen}, ${origin ?? "as nothing else is chosen ('hookline init' chooses)"}; ${keyOf(chosen, config)}.` };
	} catch (error) {
		if (!(error instanceof ModelConfigError)) throw error;
		return { name, state: "problem", message: error.message, ...(origin !== undefined && { advice: `The model is ${origin}.` }) };
	}
}

/** Opening what a conversation has makes home and database. Where there is no home yet, one that can never be stands in. */
function environmentOf({ path }: Home): NodeJS.ProcessEnv {
	return statSync(path, { throwIfNoEntry: false }) ? process.env : { ...process.env, HOOKLINE_HOME: join(devNull, "none") };
}

function originOf({ model }: Config): string | undefined {
	if (isSet("HOOKLINE_MODEL")) return "chosen by HOOKLINE_MODEL";
	return model?.provider === undefined ? undefined : "chosen in config.yaml";
}

function keyOf(chosen: string, { model }: Config): string {
	const provider = chosen.split(":", 1)[0];
	if (provider === "rehearsal") return "it is offline and needs no key";
	// A key that config.yaml names belongs to the provider that stands there.
	const named = model?.provider === undefined || model.provider === provider ? model?.api_key_env : undefined;
	const variable = ["HOOKLINE_API_KEY", named, usualOf(chosen)?.keyVariable].find((name) => name !== undefined && isSet(name));
	return variable === undefined ? "no key is set" : `its key is in ${variable}`;
}

const isSet = (variable: string) => (process.env[variable] ?? "").trim() !== "";
