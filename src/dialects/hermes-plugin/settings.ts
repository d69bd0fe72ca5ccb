// The plugins of a folder: `<name>/plugin.yaml` with an `__init__.py`, or one level deeper below a category; which of them run, and in which order.
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PluginsConfig } from "../../config/schema.ts";
import { didYouMean } from "../../system/nearest.ts";
import { fits, hermesVersion, type Manifest, readManifest } from "./manifest.ts";
import { inLoadOrder } from "./load-order.ts";

export interface Plugin {
	/** The folder below `plugins/`: `audit`, or `image_gen/openai` in a category. */
	readonly id: string;
	/** What it is called in lists and messages: `plugins/audit`. Never the name of an extension. */
	readonly name: string;
	/** Its `__init__.py`, absolute. */
	readonly file: string;
	readonly manifest: Manifest;
	/** What the user granted it beyond what every plugin may, such as `tools.override`. */
	readonly capabilities: readonly string[];
	/** What the user set for it. */
	readonly config: Readonly<Record<string, unknown>>;
}

/** One that is there and does not run; the message says why and what to do. */
export interface PluginProblem {
	readonly name: string;
	readonly file: string;
	readonly message: string;
}

export interface Plugins {
	/** Those that run, in the order in which they are loaded. */
	readonly found: readonly Plugin[];
	/** Those that should run and cannot. */
	readonly problems: readonly PluginProblem[];
	/** Ids of those that are there and of which the user has said nothing. */
	readonly notEnabled: readonly string[];
	/** Ids of those that the user turned off. */
	readonly disabled: readonly string[];
	/** Sentences about what is wrong in those that run, and in the settings. */
	readonly warnings: readonly string[];
}

export interface FindOptions {
	/** Of config.yaml. */
	readonly settings: PluginsConfig;
	/** `named`: only those in `enabled`. `all`: those of a folder that was trusted as a whole. */
	readonly runs: "named" | "all";
	/** Where the settings stand, for messages. */
	readonly configFile: string;
	readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Reads the manifests, and runs nothing. A folder that is not there has none. */
export async function findPlugins(folder: string, options: FindOptions): Promise<Plugins> {
	const { settings, runs } = options;
	const { enabled = [], disabled = [] } = settings;
	const problems: PluginProblem[] = [];
	const all = await Promise.all(foldersIn(folder, problems).map(seen));
	const isIn = (names: readonly string[]) => (one: Seen) => one.called.some((name) => names.includes(name));
	// What is turned off wins, whatever else is said.
	const [off, rest] = split(all, isIn(disabled));
	const [running, notEnabled] = split(rest, (one) => runs === "all" || isIn(enabled)(one));
	const judged = running.map((one) => ({ one, why: whyNotLoaded(one) }));
	for (const { one, why } of judged) if (why !== undefined) problems.push({ name: one.name, file: one.path, message: why });
	const found = inLoadOrder(judged.flatMap(({ one, why }) => (one.manifest === undefined || why !== undefined ? [] : [pluginOf(one, one.manifest, settings)])));
	const names = all.flatMap(({ called }) => called);
	const warnings = [
		...found.flatMap((plugin) => mistakesOf(plugin, options)),
		...(runs === "named" ? namedInVain(settings, names, folder, options.configFile) : []),
		...found.flatMap((plugin) => notThere(plugin, found, names, folder)),
	];
	const ids = (some: readonly Seen[]) => some.map(({ id }) => id);
	return { found, problems, notEnabled: ids(notEnabled), disabled: ids(off), warnings };
}

/** One sentence for all that nothing was said of; none when there are none. */
export function aboutNotEnabled({ notEnabled }: Pick<Plugins, "notEnabled">, folder: string, configFile: string): readonly string[] {
	if (notEnabled.length === 0) return [];
	const [are, them] = notEnabled.length === 1 ? ["is a plugin that is not enabled, so nothing of it runs", "it"] : ["are plugins that are not enabled, so nothing of them runs", "them"];
	return [`In ${folder} there ${are}: ${notEnabled.join(", ")}. To run ${them}, name ${them} below 'plugins: enabled:' in ${configFile}; below 'disabled:', and this is not said again.`];
}

interface Folder {
	readonly id: string;
	/** Absolute. */
	readonly path: string;
	readonly manifestFile: string | undefined;
}

/** One that is there, whether or not it can be loaded. */
interface Seen extends Folder {
	readonly name: string;
	/** The names it can be enabled by. */
	readonly called: readonly string[];
	readonly manifest?: Manifest;
	/** What is wrong with the manifest. */
	readonly mistake?: string;
}

async function seen(folder: Folder): Promise<Seen> {
	const { id, manifestFile } = folder;
	const one = { ...folder, name: `plugins/${id.replace("/", ".")}`, called: [id] };
	if (manifestFile === undefined) return { ...one, mistake: "there is no plugin.yaml beside its __init__.py. Write one: 'name: …' is enough." };
	const manifest = await readManifest(manifestFile, basename(id));
	if ("mistake" in manifest) return { ...one, mistake: `${basename(manifestFile)}: ${manifest.mistake}` };
	return { ...one, called: [id, manifest.name], manifest };
}

function pluginOf({ id, name, path }: Seen, manifest: Manifest, { entries = {} }: PluginsConfig): Plugin {
	const { settings: config = {}, granted_capabilities: granted = [], allow_tool_override: allowed = false } = entries[id] ?? entries[manifest.name] ?? {};
	return { id, name, file: join(path, "__init__.py"), manifest, config, capabilities: allowed ? [...new Set([...granted, "tools.override"])] : granted };
}

function split<One>(all: readonly One[], test: (one: One) => boolean): readonly [readonly One[], readonly One[]] {
	return [all.filter(test), all.filter((one) => !test(one))];
}

function foldersIn(folder: string, problems: PluginProblem[]): readonly Folder[] {
	const found: Folder[] = [];
	for (const name of namesIn(folder, problems)) {
		const path = join(folder, name);
		if (isPlugin(path)) found.push(folderOf(name, path));
		else for (const inner of namesIn(path, problems)) if (isPlugin(join(path, inner))) found.push(folderOf(`${name}/${inner}`, join(path, inner)));
	}
	return found;
}

const manifestNames = ["plugin.yaml", "plugin.yml"] as const;
const manifestIn = (path: string) => manifestNames.map((name) => join(path, name)).find((file) => existsSync(file));
const isPlugin = (path: string) => manifestIn(path) !== undefined || existsSync(join(path, "__init__.py"));
const folderOf = (id: string, path: string): Folder => ({ id, path, manifestFile: manifestIn(path) });

function namesIn(folder: string, problems: PluginProblem[]): readonly string[] {
	if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
	try {
		const isFolder = (name: string) => !/^(?:\.|__)/.test(name) && statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
		return readdirSync(folder).filter(isFolder).toSorted((a, b) => (a < b ? -1 : 1));
	} catch (error) {
		problems.push({ name: "plugins/*", file: folder, message: `the folder cannot be read: ${error instanceof Error ? error.message : String(error)}` });
		return [];
	}
}

function whyNotLoaded({ manifest, mistake, path }: Seen): string | undefined {
	if (manifest === undefined) return mistake;
	const { requiresHermes, name } = manifest;
	if (!existsSync(join(path, "__init__.py"))) return "there is no __init__.py beside its plugin.yaml. It must have a function 'register(ctx)'.";
	if (![path, dirname(path)].every((one) => /^[\w.-]{1,64}$/.test(basename(one)))) return "the name of a plugin's folder is letters, digits, '.', '_' and '-' only. Rename it.";
	if (requiresHermes === undefined || fits(hermesVersion, requiresHermes) !== false) return undefined;
	return `it requires Hermes ${requiresHermes}, and what Hookline carries for plugins is that of Hermes ${hermesVersion}. Use a version of '${name}' for that, or change 'requires_hermes' when you know that it runs.`;
}

function mistakesOf({ manifest, config, id, file }: Plugin, { configFile, environment }: FindOptions): readonly string[] {
	const { requiresEnv, requiresHermes, settings } = manifest;
	const missing = requiresEnv.filter(({ name }) => (environment[name] ?? "") === "").map(({ name, description }) => `it needs the environment variable ${name}${description === undefined ? "" : ` (${description})`}, which is not set.`);
	const range = requiresHermes !== undefined && fits(hermesVersion, requiresHermes) === undefined ? [`'requires_hermes: ${requiresHermes}' cannot be read; write a range such as '>=0.20'. It is loaded all the same.`] : [];
	const at = `plugins.entries.${id}.settings`;
	const names = Object.keys(settings ?? {});
	const unknown = settings === undefined ? [] : Object.keys(config).filter((key) => !names.includes(key)).map((key) => `${configFile} sets '${at}.${key}', which it does not have.${didYouMean(key, names)}`);
	const unset = names.filter((key) => settings![key]!.required && !Object.hasOwn(config, key)).map((key) => `it needs the setting '${at}.${key}', which ${configFile} does not have.`);
	return [...manifest.mistakes, ...missing, ...range, ...unknown, ...unset].map((text) => `The plugin '${id}' (${dirname(file)}): ${text}`);
}

/** Names in the settings that are no plugin's. */
function namedInVain({ enabled = [], disabled = [], entries = {} }: PluginsConfig, names: readonly string[], folder: string, configFile: string): readonly string[] {
	const listed = { enabled, disabled, entries: Object.keys(entries) };
	return Object.entries(listed).flatMap(([key, given]) => given.filter((one) => !names.includes(one)).map((one) => `${configFile}: 'plugins.${key}' names a plugin '${one}', and there is none in ${folder}.${didYouMean(one, names)}`));
}

function notThere({ id, manifest }: Plugin, found: readonly Plugin[], names: readonly string[], folder: string): readonly string[] {
	const runs = (wanted: string) => found.some((one) => one.id === wanted || one.manifest.name === wanted);
	return manifest.requiresPlugins.filter((wanted) => !runs(wanted)).map((wanted) => `The plugin '${id}' needs the plugin '${wanted}', which ${names.includes(wanted) ? "does not run" : `is not in ${folder}`}.`);
}
