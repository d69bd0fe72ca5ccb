// `hookline models`: what can be put behind --model, what it costs, and whether its key is found.
import { chooseModel, type ModelChoice, type MoreModels } from "../agent/model-choice.ts";
import { type ListedModel, listModels } from "../agent/model-list.ts";
import { readConfig } from "../config/read.ts";
import type { Config } from "../config/schema.ts";
import { readKey } from "../models/api-key.ts";
import { ModelConfigError, modelProviders, providerOf } from "../models/find.ts";
import { ModelError } from "../models/model.ts";
import { servedModels } from "../models/served.ts";
import { homeOf } from "../system/home.ts";
import { didYouMean } from "../system/nearest.ts";
import { exitCodes, UsageError } from "./exit.ts";
import { printJson, printTable, warn } from "./output.ts";
import { providedNow } from "./provided.ts";

const compatible = "openai-compatible";

/** @returns 1 when a server that was asked did not answer. */
export async function models({ provider, json }: { readonly provider?: string; readonly json?: boolean }): Promise<number> {
	const provided = await providedNow();
	const known = [...Object.keys(modelProviders), ...provided.providers];
	if (provider !== undefined && !known.includes(provider)) throw new UsageError(`There is no model provider '${provider}'.${didYouMean(provider, known)} Known: ${known.join(", ")}.`);
	const config = await readConfig(homeOf(process.env).config);
	const choice = chosen(config, provider, provided);
	const listed = listModels(choice, process.env, config, provided).filter((one) => !one.name.endsWith(":") && (provider === undefined || one.provider === provider));
	const served = await servedBeside(listed, choice, provider);
	const rows = [...listed, ...served.models].map((one) => ({ ...one, current: one.name === choice.name }));
	if (json) printJson(rows.map(asJson));
	else printTable(["MODEL", "CONTEXT", "IN", "OUT", "KEY", ""], rows.map(asRow), "There is no such model.");
	if (served.problem !== undefined) warn(served.problem);
	return served.problem === undefined ? exitCodes.fine : exitCodes.problems;
}

/** With --provider, and nothing chosen of it, any model of it: its address and key are what counts. */
function chosen(config: Config, provider: string | undefined, more: MoreModels): ModelChoice {
	const anyOfIt = provider === compatible ? `${compatible}:` : undefined;
	try {
		const choice = chooseModel(undefined, process.env, config, more);
		return anyOfIt === undefined || providerOf(choice.name) === provider ? choice : chooseModel(anyOfIt, process.env, config);
	} catch (error) {
		if (!(error instanceof ModelConfigError)) throw error;
		return chooseModel(`${compatible}:`, process.env, config);
	}
}

interface Served {
	readonly models: readonly ListedModel[];
	readonly problem?: string;
}

/** What the server at the chosen address has beside the models that are listed. It is asked only where it is an OpenAI-compatible one. */
async function servedBeside(listed: readonly ListedModel[], { name, keyIn, spec }: ModelChoice, provider: string | undefined): Promise<Served> {
	if (providerOf(name) !== compatible || (provider !== undefined && provider !== compatible)) return { models: [] };
	if (spec.baseUrl === undefined) {
		return { models: [], problem: `No server could be asked which models it has: there is no address. Set HOOKLINE_BASE_URL, or model.base_url in config.yaml, for example http://127.0.0.1:8080/v1.` };
	}
	try {
		const key = typeof spec.apiKey === "object" ? await readKey(spec.apiKey) : spec.apiKey;
		const found = await servedModels(spec.baseUrl, key);
		const names = new Set(listed.map((one) => one.name));
		const more = found.map(({ id, ...facts }): ListedModel => ({ name: `${compatible}:${id}`, provider: compatible, facts, ...(keyIn !== undefined && { keyIn }) }));
		return { models: more.filter((one) => !names.has(one.name)) };
	} catch (error) {
		if (!(error instanceof ModelError)) throw error;
		return { models: [], problem: `The server was not asked which models it has: ${error.message}` };
	}
}

type Row = ListedModel & { readonly current: boolean };

function asJson({ name, provider, facts, keyIn, missing, current }: Row): object {
	return { name, provider, current, ...facts, keyIn: keyIn ?? null, usable: missing === undefined, ...(missing !== undefined && { missing }) };
}

function asRow({ name, facts, keyIn, missing, current, provider }: Row): readonly string[] {
	const { contextTokens, price } = facts;
	const dollars = (amount: number | undefined) => (provider === "rehearsal" ? "free" : amount === undefined ? "unknown" : `$${amount}`);
	const key = provider === "rehearsal" ? "none needed" : (keyIn ?? (missing === undefined ? "none" : "missing"));
	return [name, contextTokens === undefined ? "unknown" : String(contextTokens), dollars(price?.input), dollars(price?.output), key, current ? "the one that is used" : ""];
}
