// What goes wrong between us and a model's server, as sentences: what happened, whose it is, what to do.
import type { JsonObject } from "../events/payloads/facts.ts";
import { type Elsewhere, ModelError, type ModelErrorDetails } from "./model.ts";

export interface Endpoint {
	readonly model: string;
	readonly baseUrl: string;
	readonly apiKey?: string;
	/** Of a provider with an address of its own: what it is reached by when nobody says otherwise. */
	readonly usual?: Usual;
}

export interface Usual {
	readonly baseUrl: string;
	/** The environment variable its users keep their key in. */
	readonly keyVariable: string;
}

/** How far an answer has come. */
export interface Progress {
	/** Of text, reasoning and arguments. */
	characters: number;
	/** The tool whose call is being streamed. */
	call?: string;
}

const maxExcerpt = 300;
/** OpenAI says "too many requests" to an account without credit as well; waiting does not fill it. */
const noCredit = /insufficient_quota/;
/** A refusal that is about this model or this account, and not about the request: too long for its window, no credit, a wrong key, no such model. */
const ofThisModel = /context[ _-]?(?:length|window|size)|too (?:long|large|many tokens)|maximum.{0,30}tokens|token count|credit|quota|billing|API_KEY_INVALID|(?:unknown|invalid|no such) model|model.{0,80}(?:not (?:found|exist|support|valid)|does(?: not|n't))/i;

/** Where a key is set, as a sentence. */
export function keyAdvice(usual?: Usual): string {
	return `Set ${usual ? `${usual.keyVariable} or HOOKLINE_API_KEY` : "HOOKLINE_API_KEY"}, or name the variable that holds the key as model.api_key_env in config.yaml.`;
}

function urlAdvice({ usual }: Endpoint): string {
	return `Check the base URL (HOOKLINE_BASE_URL, or model.base_url in config.yaml); ${usual ? `unless it is set, ${usual.baseUrl} is used` : "most servers want it to end in /v1"}.`;
}

/** Why this cannot be a base URL, as the end of a sentence; undefined when it can. Never repeats a password. */
export function baseUrlProblem(baseUrl: string): string | undefined {
	const url = URL.parse(baseUrl);
	if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
		return `'${baseUrl.replace(/\/\/[^/@]*@/, "//")}' is not an http or https address, such as http://127.0.0.1:8080/v1`;
	}
	if (url.username !== "" || url.password !== "") return `the address of ${url.host} holds a user name or password; give a key instead`;
	if (url.search !== "" || url.hash !== "") return `'${url.origin}${url.pathname}' is followed by a '?' or '#' part, which cannot be kept`;
	return undefined;
}

/** Why this key cannot be sent, or undefined. Never repeats the key. */
export function apiKeyProblem(apiKey: string, usual?: Usual): string | undefined {
	return /^[\x21-\x7e]*$/.test(apiKey) ? undefined : `The API key holds white space or characters that no key has. ${keyAdvice(usual)}`;
}

/** An answer with a status that is no success. `body` is the beginning of what it said. */
export function statusFailure(endpoint: Endpoint, status: number, headers: Headers, body: string): ModelError {
	const { model, baseUrl, apiKey, usual } = endpoint;
	const said = saidIn(body);
	const colon = said ? `: ${said}` : ".";
	const retryable = isWorthAnotherTry(status) && !noCredit.test(body);
	return failure(endpoint, sentence(), { status, retryable, retryAfterMs: retryable ? (retryAfterMs(headers) ?? retryDelayIn(body)) : undefined, elsewhere: elsewhereAfter(status, body) });

	function sentence(): string {
		// Google refuses a wrong key as a bad request.
		if (status === 401 || status === 403 || body.includes("API_KEY_INVALID")) {
			const what = apiKey ? `does not accept the API key (HTTP ${status})` : `wants an API key and was given none (HTTP ${status})`;
			return `The model server at ${baseUrl} ${what}${ended(colon)} ${keyAdvice(usual)}`;
		}
		if (status === 404) {
			if (model === "") return `Nothing is served at ${baseUrl} (HTTP 404)${ended(colon)} ${urlAdvice(endpoint)}`;
			return `The model server at ${baseUrl} knows no model '${model}', or nothing is served at that address (HTTP 404)${ended(colon)} Check the model's name. ${urlAdvice(endpoint)}`;
		}
		if (status === 429) return `The model server at ${baseUrl} asks for fewer requests (HTTP 429)${colon}`;
		if (status >= 500) return `The model server at ${baseUrl} failed (HTTP ${status})${colon}`;
		return `The model server at ${baseUrl} refused the request for '${model}' (HTTP ${status})${colon}`;
	}
}

/** No answer, or with `progress` none to the end: what `fetch` threw. */
export function connectionFailure(endpoint: Endpoint, error: unknown, progress?: Progress): ModelError {
	const code = codeOf(error);
	const { baseUrl } = endpoint;
	const host = URL.parse(baseUrl)?.hostname ?? baseUrl;
	const of = (sentence: string, retryable = true, elsewhere?: Elsewhere) => failure(endpoint, sentence, { retryable, cause: error, elsewhere });
	if (progress) return of(`The connection to the model server at ${baseUrl} broke ${placeOf(progress)} (${code || reasonOf(error)}).`);
	if (code === "ECONNREFUSED") return of(`Nothing answers at ${baseUrl}: the connection was refused. Is the model server running? ${urlAdvice(endpoint)}`, true, "now");
	if (code === "ENOTFOUND" || code === "EAI_AGAIN") return of(`The host '${host}' of ${baseUrl} cannot be found (${code}). Is the network up? ${urlAdvice(endpoint)}`, true, "now");
	if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/.test(code)) {
		return of(`The certificate of ${baseUrl} is not accepted (${code}). NODE_EXTRA_CA_CERTS names a file with further authorities.`, false);
	}
	if (/TIMEOUT|ETIMEDOUT/.test(code)) return of(`${baseUrl} could not be reached in time (${code}).`);
	return of(`The connection to ${baseUrl} broke (${code || reasonOf(error)}).`);
}

/** Silence for `timeoutMs`: before the answer, or with `progress` in the middle of it. */
export function slowFailure(endpoint: Endpoint, timeoutMs: number, progress?: Progress): ModelError {
	const what = progress ? `sent nothing more, ${placeOf(progress)},` : "gave no answer";
	return failure(endpoint, `The model server at ${endpoint.baseUrl} ${what} for ${timeoutMs / 1000} s.`, { retryable: true });
}

/** A good status, but what follows is no stream of pieces. */
export function notAStream(endpoint: Endpoint, body: string): ModelError {
	const { baseUrl } = endpoint;
	if (body.trim() === "") return failure(endpoint, `The model server at ${baseUrl} answered with an empty body.`, { retryable: true });
	if (body.trimStart().startsWith("<")) return failure(endpoint, `${baseUrl} answered with a web page (HTML) instead of a model's answer. ${urlAdvice(endpoint)}`, { retryable: false });
	return failure(endpoint, `The model server at ${baseUrl} answered with JSON instead of a stream: ${saidIn(body) || excerpt(body)}`, { retryable: false });
}

/** A good status, but what follows is no list of models. */
export function notAList(endpoint: Endpoint, body: string): ModelError {
	if (body.trimStart().startsWith("<")) return notAStream(endpoint, body);
	return failure(endpoint, `The model server at ${endpoint.baseUrl} gave something that is no list of models: ${saidIn(body) || excerpt(body)}`, { retryable: false });
}

/** A piece in mid-stream that is an error, or is no piece of an answer at all. `raw` is its text or its parsed value. */
function pieceFailure(endpoint: Endpoint, raw: unknown, progress: Progress): ModelError {
	const place = placeOf(progress);
	const said = messageIn(raw);
	if (said === undefined) {
		const shown = excerpt(typeof raw === "string" ? raw : (JSON.stringify(raw) ?? String(raw)));
		return failure(endpoint, `The model server at ${endpoint.baseUrl} sent something that is no piece of an answer, ${place}: ${shown}`, { retryable: true });
	}
	const { code, type, statusCode } = { ...asObject(raw), ...asObject(asObject(raw)["error"]) };
	const status = [statusCode, code].map(Number).find((number) => Number.isInteger(number) && number >= 400 && number < 600);
	// Without a number the words decide, and those that blame the request are few.
	const words = `${String(type)} ${String(code)}`;
	const retryable = status === undefined ? !/invalid|not_found|context_length|auth|permission|billing/i.test(words) : isWorthAnotherTry(status);
	return failure(endpoint, `The model server at ${endpoint.baseUrl} failed, ${place}: ${said}`, { retryable: retryable && !noCredit.test(words), status, elsewhere: elsewhereAfter(status ?? (/invalid_request/i.test(words) ? 400 : undefined), `${words} ${said}`) });
}

/** A request that is wrong is so for every model; left to the rule for all failures when it is not that. */
const elsewhereAfter = (status: number | undefined, said: string): Elsewhere | undefined => ((status === 400 || status === 422) && !ofThisModel.test(said) ? "never" : undefined);

const isWorthAnotherTry = (status: number): boolean => [408, 409, 425, 429].includes(status) || status >= 500;

/** The body came to its end, the answer did not. */
export function endedEarly(endpoint: Endpoint, progress: Progress): ModelError {
	return failure(endpoint, `The stream of the model server at ${endpoint.baseUrl} ended ${placeOf(progress)}, without saying that it was finished.`, { retryable: true });
}

/** The server's own error, or a piece that cannot be read, as a provider package threw it or put it into its stream; undefined for anything else. */
export function serverFailure(endpoint: Endpoint, error: unknown, progress: Progress): ModelError | undefined {
	if (!(error instanceof Error)) return pieceFailure(endpoint, { error }, progress);
	if (error.name === "AI_APICallError" && "statusCode" in error && "responseBody" in error) {
		return pieceFailure(endpoint, { error: { message: error.message, statusCode: error.statusCode, type: error.responseBody } }, progress);
	}
	if (error.name === "AI_JSONParseError" && "text" in error) return pieceFailure(endpoint, error.text, progress);
	if (error.name === "AI_TypeValidationError" && "value" in error) return pieceFailure(endpoint, error.value, progress);
	return undefined;
}

/** The provider package could make nothing of the answer. */
export function unreadable(endpoint: Endpoint, error: unknown): ModelError {
	return failure(endpoint, `The answer of the model server at ${endpoint.baseUrl} could not be read: ${reasonOf(error)}`, { retryable: true, cause: error });
}

export function tooLong(endpoint: Endpoint, maxBytes: number): ModelError {
	return failure(endpoint, `The model server at ${endpoint.baseUrl} sent more than ${maxBytes / 1024 / 1024} MiB in one answer; it was cut off.`, { retryable: false });
}

/** A failure of the request as we, or a hook, wanted to send it. */
export function requestFailure(endpoint: Endpoint, sentence: string, cause?: unknown): ModelError {
	return failure(endpoint, sentence, { retryable: false, cause, elsewhere: "never" });
}

function placeOf({ characters, call }: Progress): string {
	const after = `after ${characters} characters`;
	return call === undefined ? after : `in the middle of a call of ${call}, ${after}`;
}

// Servers repeat the key they refuse; no message of ours does.
function failure({ apiKey }: Endpoint, message: string, details: ModelErrorDetails): ModelError {
	return new ModelError(apiKey ? message.replaceAll(apiKey, "[the key]") : message, details);
}

/** Milliseconds, from Retry-After-Ms, or Retry-After as seconds or as a date. */
function retryAfterMs(headers: Headers): number | undefined {
	const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
	if (ms >= 0) return ms;
	const after = headers.get("retry-after")?.trim() ?? "";
	if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1000;
	const date = Date.parse(after);
	return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Milliseconds, as Google says it: in the details of the error. */
function retryDelayIn(body: string): number | undefined {
	const seconds = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
	return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** What the server says in an error's body, in one line: from JSON of any usual shape, or the text itself, but no web page. */
function saidIn(body: string): string {
	try {
		return messageIn(JSON.parse(body)) ?? excerpt(body);
	} catch {
		return body.trimStart().startsWith("<") ? "" : excerpt(body);
	}
}

/** `{error: {message}}`, `{error: "…"}`, `{message}`, `{detail}`, one of them in a list, or an error object itself. */
function messageIn(value: unknown): string | undefined {
	if (Array.isArray(value)) return messageIn(value[0]);
	const { error, message, detail } = asObject(value);
	if (typeof error === "object" && error !== null) return messageIn(error);
	const said = [error, message, detail].find((text) => typeof text === "string" && text.trim() !== "");
	return said === undefined ? undefined : excerpt(String(said));
}

const asObject = (value: unknown): JsonObject => (typeof value === "object" && value !== null ? (value as JsonObject) : {});

function excerpt(text: string): string {
	// Control characters of a server have no business on somebody's terminal.
	const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
	return line.length > maxExcerpt ? `${line.slice(0, maxExcerpt)} …` : line;
}

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The system's code of an error, looked for down its causes: `ECONNREFUSED`. */
function codeOf(error: unknown): string {
	for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
		if ("code" in cause && typeof cause.code === "string") return cause.code;
	}
	return "";
}

function reasonOf(error: unknown): string {
	let deepest = error;
	for (let depth = 0; deepest instanceof Error && deepest.cause instanceof Error && depth < 8; depth++) deepest = deepest.cause;
	return deepest instanceof Error ? excerpt(deepest.message) : String(deepest);
}
