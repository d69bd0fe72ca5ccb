// `hookline init`: which model, where, and which variable holds its key. Everything else in config.yaml stays as it is.
import type { Change } from "../config/write.ts";
import { readConfig } from "../config/read.ts";
import { findModel, modelProviders } from "../models/find.ts";
import { ensureHome, homeOf } from "../system/home.ts";
import { redactText } from "../system/redact.ts";
import { writing } from "./config/write.ts";
import { exitCodes, UsageError } from "./exit.ts";
import { onTerminal } from "./input.ts";
import { note } from "./output.ts";
import { stopOnSignals } from "./signals.ts";
import type { ReadLine } from "./terminal-approver.ts";

export interface InitOptions {
	readonly model?: string;
	readonly baseUrl?: string;
	readonly apiKeyEnv?: string;
	readonly yes?: boolean;
}

/** What is written in the end; an empty text means none. */
interface Choice {
	readonly model: string;
	readonly baseUrl: string;
	readonly apiKeyEnv: string;
}

/** @returns the exit code. */
export async function init(options: InitOptions): Promise<number> {
	const readLine = options.yes ? undefined : onTerminal();
	if (!options.yes && !readLine && options.model === undefined) {
		throw new UsageError("There is no terminal to ask on. Say what you want: hookline init --model openai-compatible:NAME --base-url http://127.0.0.1:8080/v1 --api-key-env MY_KEY, or --yes to keep what is there.");
	}
	const home = homeOf(process.env);
	const { model = {} } = await readConfig(home.config);
	const now: Choice = { model: model.provider === undefined ? "rehearsal" : written(model.provider, model.name), baseUrl: model.base_url ?? "", apiKeyEnv: model.api_key_env ?? "" };
	const choice = readLine ? await ask(readLine, options, now) : chosen(options, now);
	if (choice === undefined) return exitCodes.interrupted;
	refuse(choice);
	const [provider, name] = split(choice.model);
	const changes: Change[] = [
		{ path: ["model", "provider"], value: provider },
		{ path: ["model", "name"], value: name },
		{ path: ["model", "base_url"], value: choice.baseUrl || undefined },
		{ path: ["model", "api_key_env"], value: choice.apiKeyEnv || undefined },
		// They belong to the provider that was there before.
		...(provider === model.provider ? [] : ["api_key_file", "api_key_keychain"].map((setting) => ({ path: ["model", setting], value: undefined }))),
	];
	ensureHome(home);
	note((await writing(home.config, changes)) ? `${home.config}: the model is now ${choice.model}.` : `${home.config} says so already: the model is ${choice.model}.`);
	if (choice.apiKeyEnv !== "" && !process.env[choice.apiKeyEnv]) note(`${choice.apiKeyEnv} is not set here. Export it before you start: export ${choice.apiKeyEnv}=…`);
	note(`Try it: hookline run ${provider === "rehearsal" ? "'SAY hello'" : "'say hello'"}`);
	return exitCodes.fine;
}

/** What belongs to one provider is not handed to another: neither its address nor its key. */
function chosen({ model, baseUrl, apiKeyEnv }: InitOptions, now: Choice): Choice {
	const next = model?.trim() ?? now.model;
	const kept = split(next)[0] === split(now.model)[0] ? now : { baseUrl: "", apiKeyEnv: "" };
	return { model: next, baseUrl: baseUrl?.trim() ?? kept.baseUrl, apiKeyEnv: apiKeyEnv?.trim() ?? kept.apiKeyEnv };
}

/** Undefined when the person left. */
async function ask(readLine: ReadLine, options: InitOptions, now: Choice): Promise<Choice | undefined> {
	using stop = stopOnSignals();
	const question = async (given: string | undefined, text: string, before: string): Promise<string> => {
		if (given !== undefined) return given;
		const answer = (await readLine(`${text}${before === "" ? "" : ` [${before}]`}: `, stop.signal)).trim();
		return answer === "-" ? "" : answer || before;
	};
	try {
		note("Enter keeps what stands in [brackets], '-' means none.");
		const model = await question(options.model, `Which model? ${Object.values(modelProviders).join(", ")}`, now.model);
		const start = chosen({ ...options, model: model || "rehearsal" }, now);
		if (split(start.model)[0] === "rehearsal") return { ...start, baseUrl: "", apiKeyEnv: "" };
		const baseUrl = await question(options.baseUrl, "The address of its server, where it is not the provider's own", start.baseUrl);
		note("Its key can be in an environment variable, in a file that only you can read (model.api_key_file) or in the system's keychain (model.api_key_keychain).");
		const apiKeyEnv = await question(options.apiKeyEnv, "The environment variable that holds its key (not the key)", start.apiKeyEnv);
		return { model: start.model, baseUrl, apiKeyEnv };
	} catch (error) {
		if (stop.signal.aborted || (error instanceof Error && error.message === "the input ended")) {
			note("\nNothing was changed.");
			return undefined;
		}
		throw error;
	}
}

/** @throws ModelConfigError or UsageError; nothing is written then. */
function refuse({ model, baseUrl, apiKeyEnv }: Choice): void {
	// Neither is repeated in the message: it may be the key that was pasted in its place.
	if (apiKeyEnv !== "" && (!/^[A-Za-z_]\w*$/.test(apiKeyEnv) || redactText(apiKeyEnv) !== apiKeyEnv)) {
		throw new UsageError("The key itself is never stored. Give the name of an environment variable that holds it: letters, digits and '_', for example MY_KEY.");
	}
	if (redactText(baseUrl) !== baseUrl) throw new UsageError("The address holds a password or key, which would be stored. Leave it out, and name an environment variable that holds it.");
	findModel({ name: model, baseUrl: baseUrl || undefined });
}

const written = (provider: string, name: string | undefined) => (name === undefined ? provider : `${provider}:${name}`);

function split(model: string): readonly [provider: string, name: string | undefined] {
	const colon = model.indexOf(":");
	return colon < 0 ? [model, undefined] : [model.slice(0, colon), model.slice(colon + 1).trim()];
}
