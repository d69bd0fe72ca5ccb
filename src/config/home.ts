// The settings of a home. In that of Hermes Agent its own file counts for what it says about hooks and plugins, as far as ours says nothing about them.
import { join } from "node:path";
import type { Home } from "../system/home.ts";
import { mistakesIn } from "../system/schema.ts";
import { ConfigError, parseConfig, type ReadFile, readConfigFile, readText, settingsOf } from "./read.ts";
import { type Config, configSchema, type PluginsConfig } from "./schema.ts";

export interface HomeConfig {
	readonly config: Config;
	/** Where `hooks:` stands. */
	readonly hooks: { readonly file: string; readonly read: Pick<ReadFile, "value" | "placeOf"> };
}

/**
 * `warn` hears what of Hermes's settings is left out.
 * @throws ConfigError
 */
export async function readHomeConfig(home: Home, warn: (message: string) => void = () => {}): Promise<HomeConfig> {
	const read = await readConfigFile(home.config);
	const config = settingsOf(home.config, read);
	const own: HomeConfig = { config, hooks: { file: home.config, read } };
	if (home.hermes === undefined) return own;
	const file = join(home.hermes, "config.yaml");
	const theirs = await parseConfig(readText(file) ?? "", () => []);
	const [broken] = theirs.mistakes;
	// Nothing of it would count, its guards neither: that must not pass in silence.
	if (broken !== undefined) throw new ConfigError(`${file}:${broken.line}:${broken.column}: ${broken.message}`);
	const { hooks, hooks_auto_accept: accepts, plugins } = (typeof theirs.value === "object" && theirs.value !== null ? theirs.value : {}) as Partial<Record<"hooks" | "hooks_auto_accept" | "plugins", unknown>>;
	const isTaken = config.hooks === undefined || config.hooks === null;
	return {
		config: {
			...config,
			...(isTaken && { hooks: hooks as Config["hooks"] }),
			...(config.hooks_auto_accept === undefined && mistakesIn(configSchema.properties.hooks_auto_accept, accepts).length === 0 && { hooks_auto_accept: accepts as Config["hooks_auto_accept"] }),
			...(config.plugins === undefined && plugins !== undefined && plugins !== null && { plugins: pluginsIn(plugins, file, warn) }),
		} as Config,
		hooks: isTaken ? { file, read: theirs } : own.hooks,
	};
}

/** What Hermes has beside that is none of ours, and no mistake. */
function pluginsIn(plugins: unknown, file: string, warn: (message: string) => void): PluginsConfig {
	const known = Object.keys(configSchema.properties.plugins.properties);
	const taken = Object.fromEntries(Object.entries(plugins as object).filter(([name]) => known.includes(name)));
	const { entries = {}, ...rest } = taken as { readonly entries?: Readonly<Record<string, object>> };
	const settings = Object.fromEntries(Object.entries(entries ?? {}).map(([name, entry]) => [name, Object.fromEntries(Object.entries(entry ?? {}).filter(([key]) => ["settings", "granted_capabilities", "allow_tool_override"].includes(key)))]));
	const found = { ...rest, ...(Object.keys(settings).length > 0 && { entries: settings }) };
	const mistakes = mistakesIn(configSchema.properties.plugins, found);
	if (mistakes.length === 0) return found;
	warn(`${file}: what it says about plugins cannot be used, so none of them run: ${mistakes.map(({ message }) => message).join("; ")}.`);
	return {};
}
