// What is known of models that many people use: how much they can read and write, and what they cost. A model that is not here, or a price
// that depends on more than tokens, is unknown and stays so: config.yaml can say it under `models:`.
import type { Usage } from "../events/payloads/model.ts";

/** What is not known is absent. */
export interface ModelFacts {
	/** Tokens of request and answer together. */
	readonly contextTokens?: number;
	/** Tokens of one answer at most. */
	readonly maxOutputTokens?: number;
	readonly price?: Price;
	/** False for one that does not read images. */
	readonly images?: boolean;
}

/** US dollars per million tokens. */
export interface Price {
	readonly input: number;
	readonly output: number;
	/** Input that was read from the provider's cache. */
	readonly cachedInput?: number;
	/** Input that was written to it. */
	readonly cacheWrite?: number;
}

const facts = (contextTokens: number, maxOutputTokens: number, price?: Price): ModelFacts => ({ contextTokens, maxOutputTokens, ...(price && { price }) });
/** Writing is by Anthropic's own rule for the five-minute cache that we ask for; reading was a tenth for all models up to version 5. */
const claude = (input: number, output: number, cachedInput = input / 10): Price => ({ input, output, cachedInput, cacheWrite: input * 1.25 });
const gpt = (input: number, cachedInput: number, output: number): Price => ({ input, output, cachedInput });

/** List prices of the providers, November 2026. Some have none here: what a token costs depends on the length of the request, or on the date. */
const known: Readonly<Record<string, ModelFacts>> = {
	"anthropic:claude-fable-5-2": facts(1_000_000, 128_000, claude(8, 40, 0.2)),
	"anthropic:claude-opus-5-5": facts(1_000_000, 128_000, claude(4, 20, 0.2)),
	"anthropic:claude-sonnet-5-5": facts(1_000_000, 128_000, claude(2, 10, 0.1)),
	"anthropic:claude-haiku-5-5": facts(1_000_000, 128_000),
	"anthropic:claude-opus-5": facts(1_000_000, 128_000, claude(5, 25)),
	"anthropic:claude-sonnet-5": facts(1_000_000, 128_000, claude(2, 10)),
	"anthropic:claude-opus-4-7": facts(1_000_000, 128_000, claude(5, 25)),
	"anthropic:claude-opus-4-6": facts(1_000_000, 128_000, claude(5, 25)),
	"anthropic:claude-sonnet-4-6": facts(1_000_000, 64_000, claude(3, 15)),
	"anthropic:claude-opus-4-5": facts(200_000, 64_000, claude(5, 25)),
	"anthropic:claude-sonnet-4-5": facts(200_000, 64_000, claude(3, 15)),
	"anthropic:claude-haiku-4-5": facts(200_000, 64_000, claude(1, 5)),
	"openai:gpt-5.2": facts(400_000, 128_000, gpt(1.75, 0.175, 14)),
	"openai:gpt-5.1": facts(400_000, 128_000, gpt(1.25, 0.125, 10)),
	"openai:gpt-5": facts(400_000, 128_000, gpt(1.25, 0.125, 10)),
	"openai:gpt-5-mini": facts(400_000, 128_000, gpt(0.25, 0.025, 2)),
	"openai:gpt-5-nano": facts(400_000, 128_000, gpt(0.05, 0.005, 0.4)),
	"openai:gpt-4.1": facts(1_047_576, 32_768, gpt(2, 0.5, 8)),
	"openai:gpt-4.1-mini": facts(1_047_576, 32_768, gpt(0.4, 0.1, 1.6)),
	"openai:gpt-4o": facts(128_000, 16_384, gpt(2.5, 1.25, 10)),
	"openai:gpt-4o-mini": facts(128_000, 16_384, gpt(0.15, 0.075, 0.6)),
	"google:gemini-3.8-flash": facts(1_048_576, 65_536),
	"google:gemini-2.5-pro": facts(1_048_576, 65_536),
	"google:gemini-2.5-flash": facts(1_048_576, 65_536, { input: 0.3, output: 2.5 }),
	"google:gemini-2.5-flash-lite": facts(1_048_576, 65_536, { input: 0.1, output: 0.4 }),
};

/** Their names, `PROVIDER:NAME`. */
export const knownModels: readonly string[] = Object.keys(known);

/** What is known of a model, `PROVIDER:NAME`; a dated name (`…-20251001`) is the model without its date. `configured` comes before the table. */
export function factsOf(name: string, configured: ModelFacts = {}): ModelFacts {
	const undated = name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");
	const found = Object.hasOwn(known, name) ? known[name] : Object.hasOwn(known, undated) ? known[undated] : undefined;
	return { ...found, ...configured };
}

/** What so many tokens cost, in US dollars; undefined when a figure or a price that is needed for it is not known. */
export function costOf(usage: Usage, { price }: ModelFacts): number | undefined {
	const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
	if (price === undefined || inputTokens === undefined || outputTokens === undefined) return undefined;
	const cached = partOf(cachedTokens, price.cachedInput);
	const written = partOf(cacheWriteTokens, price.cacheWrite);
	if (cached === undefined || written === undefined) return undefined;
	return ((inputTokens - cachedTokens - cacheWriteTokens) * price.input + cached + written + outputTokens * price.output) / 1_000_000;
}

const partOf = (tokens: number, price: number | undefined): number | undefined => (tokens === 0 ? 0 : price === undefined ? undefined : tokens * price);
