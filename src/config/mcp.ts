// What a schema cannot say of `mcp:` in words that help: a name has to fit into names of tools, and a server is either started or reached.
import { isAbsolute } from "node:path";
import type { Mistake } from "../system/schema.ts";

const forPrograms = ["args", "env", "cwd"] as const;
const forAddresses = ["headers", "token_env"] as const;
/** A tool is called `mcp__SERVER__TOOL`, in 64 characters. */
const longestName = 32;

/** `value` is that of the whole file, and may be anything. */
export function mcpMistakes(value: unknown): readonly Mistake[] {
	return Object.entries(objectOf(objectOf(value)["mcp"])).flatMap(([name, given]) => {
		const path = ["mcp", name];
		const server = objectOf(given);
		const found = [nameMistake(name), ...(server === given ? [wayMistake(server)] : [])].filter((message) => message !== undefined);
		return [...found.map((message) => ({ path, message: `'mcp.${name}' ${message}` })), ...Object.entries(server).flatMap(([key, set]) => settingMistake(key, set, server).map((why) => ({ path: [...path, key], message: `'mcp.${name}.${key}' ${why}` })))];
	});
}

function nameMistake(name: string): string | undefined {
	const fits = name.length <= longestName && /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(name);
	return fits ? undefined : `is no name for a server: take letters, digits, - and single _ between them, ${longestName} characters at most`;
}

function wayMistake({ command, url, required, enabled }: Readonly<Record<string, unknown>>): string | undefined {
	if (command !== undefined && url !== undefined) return "has both 'command' and 'url': a server is either started or reached, so take one of them out";
	if (command === undefined && url === undefined) return "has neither 'command' (a program to start) nor 'url' (an address): give it one of them";
	return required === true && enabled === false ? "says both 'required: true' and 'enabled: false': take one of them out" : undefined;
}

/** What is of the wrong kind altogether is the schema's to tell. */
function settingMistake(key: string, value: unknown, server: Readonly<Record<string, unknown>>): readonly string[] {
	const { command, url } = server;
	if (url === undefined && command !== undefined && forAddresses.some((name) => name === key)) return ["has no effect on a server that is started by a command"];
	if (command === undefined && url !== undefined && forPrograms.some((name) => name === key)) return ["has no effect on a server that is reached at an address"];
	if (key === "headers") return Object.keys(objectOf(value)).filter((name) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name)).map((name) => `holds '${name}', which cannot be the name of a header`);
	if (typeof value !== "string") return [];
	if (key === "command" && value.includes("/") && !isPlace(value)) return ["must be a name that is found on PATH or an absolute path: from a relative one, what runs would depend on the folder you are in"];
	if (key === "cwd" && !isPlace(value)) return ["must be an absolute path, or one from `~` on"];
	return key === "url" ? urlMistake(value) : [];
}

function urlMistake(value: string): readonly string[] {
	const url = URL.parse(value);
	if (url === null || !/^https?:$/.test(url.protocol)) return ["must be an address that begins with http:// or https://"];
	return url.username === "" && url.password === "" ? [] : ["holds a user name or a password, which would be shown in messages: use token_env"];
}

const isPlace = (path: string): boolean => isAbsolute(path) || /^~(?:\/|$)/.test(path);

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {});
