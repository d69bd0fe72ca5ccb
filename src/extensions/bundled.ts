// The extensions that come with Hookline. They are loaded only where config.yaml says so, and held to what their manifests ask for.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ExtensionConfig } from "../config/schema.ts";
import { findExtensions } from "./find.ts";
import type { ExtensionSet } from "./load.ts";
import { checkedConfig } from "./manifest/config.ts";
import { manifestFile, parseManifest } from "./manifest/read.ts";

// Not written as an import: they stand above this floor, and use nothing but the public door.
const folder = join(import.meta.dirname, "../bundled");

export interface BundledOptions {
	/** Absolute; what `$HOOKLINE_HOME` at the beginning of a setting stands for. */
	readonly home: string;
	/** Names of the user's own extensions: one of theirs takes the place of a bundled one. */
	readonly taken: readonly string[];
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

/** Names of all that come along, enabled or not: settings of theirs are none of the user's extensions. */
export const bundledNames = (): readonly string[] => findExtensions(folder).found.map(({ name }) => name);

/** Those that are enabled. They are required unless their settings say otherwise: who turned a guard on does not want to go on without it. */
export async function bundledExtensions(given: ExtensionSet["settings"], configFile: string, { home, taken, warn }: BundledOptions): Promise<ExtensionSet> {
	const set = { found: [] as ExtensionSet["found"][number][], problems: [] as ExtensionSet["problems"][number][], settings: {} as Record<string, ExtensionConfig> };
	// Nobody looks for what no setting names: it would cost each start.
	for (const one of Object.keys(given).length === 0 ? [] : findExtensions(folder).found) {
		const { name, file } = one;
		const setting = given[name];
		if (setting === undefined || taken.includes(name)) {
			if (setting?.enabled === true) warn(`The extension '${name}' is your own; the one of that name that comes with Hookline is not loaded.`);
			continue;
		}
		if (setting.enabled !== true) {
			if (setting.enabled === undefined) warn(`${configFile} has settings for the extension '${name}', which comes with Hookline and is not loaded unless they say 'enabled: true'.`);
			continue;
		}
		const manifestPath = join(dirname(file), manifestFile);
		const { permissions, config: schema } = await parseManifest(readFileSync(manifestPath), manifestPath);
		const { config, mistakes } = checkedConfig(schema, setting.config);
		set.settings[name] = { required: true, ...setting, ...(config && { config: inHome(config, home) }) };
		if (mistakes.length === 0) set.found.push({ ...one, granted: permissions });
		else set.problems.push({ name, file, message: mistakes.map((mistake) => `its settings (extensions.${name}.config in ${configFile}) are not as it wants them: ${mistake}`).join(" ") });
	}
	return { ...set, folder, configFile, trust: "bundled", host: "inline" };
}

const inHome = (config: NonNullable<ExtensionConfig["config"]>, home: string): NonNullable<ExtensionConfig["config"]> =>
	Object.fromEntries(Object.entries(config).map(([name, value]) => [name, typeof value === "string" ? value.replace(/^\$HOOKLINE_HOME(?=\/|$)/, () => home) : value]));
