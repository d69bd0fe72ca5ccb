// The models an OpenAI-compatible server says it has, by `GET /models`.
import type { JsonObject } from "../events/payloads/facts.ts";
import { type Endpoint, connectionFailure, notAList, slowFailure, statusFailure, tooLong } from "./failures.ts";

export interface ServedModel {
	/** As the server calls it. */
	readonly id: string;
	/** Tokens; few servers say it. */
	readonly contextTokens?: number;
}

const timeoutMs = 10_000;
const maxBytes = 4 * 1024 * 1024;
/** More than anybody reads through. */
const maxModels = 1000;

/** @throws ModelError with a sentence for whatever is not a list of models. */
export async function servedModels(baseUrl: string, apiKey: string | undefined): Promise<readonly ServedModel[]> {
	const endpoint: Endpoint = { model: "", baseUrl: baseUrl.replace(/\/+$/, ""), ...(apiKey !== undefined && { apiKey }) };
	const signal = AbortSignal.timeout(timeoutMs);
	let response: Response;
	let text: string;
	try {
		response = await fetch(`${endpoint.baseUrl}/models`, { headers: { accept: "application/json", ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) }, signal });
		text = await beginningOf(response, endpoint);
	} catch (error) {
		if (signal.aborted) throw slowFailure(endpoint, timeoutMs);
		throw error instanceof TypeError ? connectionFailure(endpoint, error) : error;
	}
	if (!response.ok) throw statusFailure(endpoint, response.status, response.headers, text);
	const found = listIn(text);
	if (found === undefined) throw notAList(endpoint, text);
	return found.slice(0, maxModels);
}

async function beginningOf(response: Response, endpoint: Endpoint): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	let bytes = 0;
	for await (const chunk of response.body ?? []) {
		bytes += chunk.byteLength;
		if (bytes > maxBytes) throw tooLong(endpoint, maxBytes);
		text += decoder.decode(chunk, { stream: true });
	}
	return text;
}

/** `{data: [{id, …}]}`, as all of them have it; some give the bare list. */
function listIn(text: string): readonly ServedModel[] | undefined {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return undefined;
	}
	const list = Array.isArray(value) ? value : (value as { readonly data?: unknown } | null)?.data;
	if (!Array.isArray(list)) return undefined;
	return list.flatMap((one: unknown) => {
		const { id, context_length: length, max_model_len: longest } = (typeof one === "object" && one !== null ? one : {}) as JsonObject;
		const contextTokens = [length, longest].find((tokens) => typeof tokens === "number" && tokens > 0);
		return typeof id === "string" && id !== "" ? [{ id, ...(typeof contextTokens === "number" && { contextTokens }) }] : [];
	});
}
