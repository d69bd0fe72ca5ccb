// What the user configured of one MCP server, with the environment looked up.
import { homedir } from "node:os";
import { toolEnvironment } from "../environment.ts";

/** As it stands in config.yaml: either `command` or `url`. */
export interface ServerConfig {
	readonly command?: string;
	readonly args?: readonly string[];
	readonly env?: readonly string[];
	readonly cwd?: string;
	readonly url?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly token_env?: string;
	readonly enabled?: boolean;
	readonly required?: boolean;
	readonly timeout_s?: number;
	readonly tools?: readonly string[];
}

export interface ServerSettings {
	readonly name: string;
	/** A program that is started, or an address. */
	readonly way: Program | Address;
	/** For one call. */
	readonly timeoutMs: number;
	/** As the server calls them; all when absent. */
	readonly allowed: readonly string[] | undefined;
	/** Variables that were asked for and are not set here. */
	readonly unset: readonly string[];
}

export interface Program {
	readonly kind: "program";
	readonly command: string;
	readonly args: readonly string[];
	readonly env: NodeJS.ProcessEnv;
	/** Absolute; it need not exist. */
	readonly cwd: string;
}

export interface Address {
	readonly kind: "address";
	readonly url: URL;
	readonly headers: Readonly<Record<string, string>>;
}

const defaultTimeoutS = 60;

export function serverSettings(name: string, config: ServerConfig, environment: NodeJS.ProcessEnv): ServerSettings {
	const named = [...(config.env ?? []).filter((entry) => !entry.includes("=")), ...(config.token_env === undefined ? [] : [config.token_env])];
	return {
		name,
		way: config.url === undefined ? programOf(config, environment) : addressOf(config.url, config, environment),
		timeoutMs: (config.timeout_s ?? defaultTimeoutS) * 1000,
		allowed: config.tools,
		unset: named.filter((variable) => !environment[variable]),
	};
}

function programOf({ command = "", args = [], env = [], cwd = "~" }: ServerConfig, environment: NodeJS.ProcessEnv): Program {
	const home = environment["HOME"] || homedir();
	const inHome = (path: string) => path.replace(/^~(?=\/|$)/, home);
	const given = env.map((entry) => {
		const at = entry.indexOf("=");
		return at < 0 ? ([entry, environment[entry]] as const) : ([entry.slice(0, at), entry.slice(at + 1)] as const);
	});
	const set = given.filter(([, value]) => value !== undefined);
	// Not the working folder: `npx` and its like look there for what to run, and a cloned folder must not have a say in that.
	return { kind: "program", command: inHome(command), args, env: { ...toolEnvironment(environment), ...Object.fromEntries(set) }, cwd: inHome(cwd) };
}

function addressOf(url: string, { headers = {}, token_env }: ServerConfig, environment: NodeJS.ProcessEnv): Address {
	const token = token_env === undefined ? undefined : environment[token_env]?.trim();
	return { kind: "address", url: new URL(url), headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) } };
}
