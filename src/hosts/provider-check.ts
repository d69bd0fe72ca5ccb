// What cannot be right about a model provider that an extension brings.
import { describe } from "../events/registration.ts";
import { type Check, fields, isObject, listOf, oneOf, optional, string } from "./checks.ts";

type Given = Readonly<Record<string, unknown>>;

const mostModels = 200;
const mostHeaders = 32;

const tokens: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 1;
const dollars: Check = (value) => typeof value === "number" && Number.isFinite(value) && value >= 0;
const line = (most: number): Check => (value) => typeof value === "string" && value.length <= most && /^[^\n\r]*\S[^\n\r]*$/.test(value);
type Fields = Readonly<Record<string, readonly [fits: Check, what: string]>>;

const modelFields: Fields = {
	name: [line(200), "a text of one line"],
	contextTokens: [optional(tokens), "a whole number of at least 1"],
	maxOutputTokens: [optional(tokens), "a whole number of at least 1"],
	images: [optional(oneOf(true, false)), "true or false"],
	price: [optional(fields({ input: dollars, output: dollars, cachedInput: optional(dollars), cacheWrite: optional(dollars) })), "{ input, output, cachedInput, cacheWrite } in US dollars, none below 0"],
};
const port: Check = (value) => Number.isInteger(value) && (value as number) >= 1024 && (value as number) <= 65_535;
const isSafeUrl: Check = (value) => isAddress(value) && (value.startsWith("https:") || isThisMachine(new URL(value).hostname));
const safeUrl = "an https address, or one of this machine";
const oauthFields: Fields = {
	clientId: [line(500), "a text of one line"],
	tokenUrl: [isSafeUrl, safeUrl],
	authorizeUrl: [optional(isSafeUrl), safeUrl],
	deviceUrl: [optional(isSafeUrl), safeUrl],
	scopes: [optional(listOf(line(200), 100)), "a list of texts"],
	redirectPort: [optional(port), "a whole number from 1024 to 65535"],
};

/** As the end of a sentence; undefined when it can work. `complete` is the function itself, or on the wire that there is one. */
export function providerMistake({ name, models, baseUrl, headers, keyVariable, login, complete, completes }: Given): string | undefined {
	if (typeof name !== "string" || !/^[a-z][a-z0-9-]{0,31}$/.test(name)) return "'name' must be 1 to 32 lower-case letters, digits or '-'.";
	const answers = complete !== undefined || completes === true;
	if (answers === (baseUrl !== undefined)) return "it is either { kind: 'openai-compatible', baseUrl } or has a function 'complete', and one of the two.";
	if (baseUrl !== undefined && !(isAddress(baseUrl) && !/[?#]/.test(baseUrl))) return "'baseUrl' must be an http or https address without name, password, '?' or '#', such as https://models.example.com/v1.";
	if (headers !== undefined && !(isObject(headers) && Object.keys(headers).length <= mostHeaders && Object.entries(headers).every(isHeader))) return `'headers' must be at most ${mostHeaders} names and texts.`;
	if (keyVariable !== undefined && !(typeof keyVariable === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(keyVariable))) return "'keyVariable' must be the name of an environment variable.";
	return modelsMistake(models) ?? loginMistake(login);
}

function modelsMistake(models: unknown): string | undefined {
	if (!Array.isArray(models) || models.length > mostModels) return `'models' must be a list of at most ${mostModels} models.`;
	for (const [i, model] of models.entries()) {
		if (!isObject(model)) return `model ${i + 1} must be an object with a name, not ${describe(model)}.`;
		const wrong = mistakeIn(modelFields, model, `model ${i + 1}`);
		if (wrong !== undefined) return wrong;
	}
	return new Set(models.map((model: Given) => model["name"])).size === models.length ? undefined : "two of its models have the same name.";
}

function loginMistake(login: unknown): string | undefined {
	if (login === undefined) return undefined;
	if (!isObject(login) || (login["kind"] !== "key" && login["kind"] !== "oauth")) return "'login' must be { kind: 'key' } or { kind: 'oauth', … }.";
	if (login["kind"] === "key") return optional(line(500))(login["help"]) ? undefined : "'help' of its login must be one line.";
	const isOpen = login["authorizeUrl"] === undefined && login["deviceUrl"] === undefined;
	return mistakeIn(oauthFields, login, "its login") ?? (isOpen ? "its login needs an 'authorizeUrl' or a 'deviceUrl'." : undefined);
}

function mistakeIn(all: Fields, given: Given, whose: string): string | undefined {
	const wrong = Object.entries(all).find(([name, [fits]]) => !fits(given[name]));
	return wrong && `'${wrong[0]}' of ${whose} must be ${wrong[1][1]}.`;
}

function isAddress(value: unknown): value is string {
	const url = typeof value === "string" && value.length <= 2_000 ? URL.parse(value) : null;
	return url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.username === "" && url.password === "";
}

const isThisMachine = (host: string): boolean => host === "localhost" || host === "127.0.0.1" || host === "[::1]";
const isHeader = ([name, value]: readonly [string, unknown]): boolean => /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) && string(value) && /^[\t\x20-\x7e]{0,2000}$/.test(value as string);
