// The plugins of a trusted project, found in and run from the private copy.
import { join } from "node:path";
import { findPlugins } from "../../dialects/hermes-plugin/settings.ts";
import type { ExtensionSet } from "../load.ts";
import { isSafe, type PluginOptions, pluginsIn } from "../plugins.ts";
import { ownFolder } from "./find.ts";
import { asSet, type Copied, copyingHost, inProject } from "./load.ts";

/** Its Hermes plugins: trusting the folder is what enables them, and the user's `disabled` turns them off. */
export async function projectPlugins(copied: Copied, options: PluginOptions): Promise<ExtensionSet> {
	const { project: { folder }, copy } = copied;
	const { environment, warn } = options;
	// Settings and rights that the user gave a plugin of their own are none of this one's.
	const settings = { ...options.settings, entries: {} };
	const all = await findPlugins(join(copy, ownFolder, "plugins"), { settings, runs: "all", configFile: join(folder, ownFolder, "config.yaml"), environment });
	const plugins = isSafe(environment) ? { found: [], problems: [], warnings: [] } : all;
	for (const warning of plugins.warnings) warn(inProject(warning, { folder, copy }));
	// Nor is the user's environment.
	const host = async () => copyingHost(pluginsIn(plugins.found, { ...options, environment: {}, warn: (message) => warn(inProject(message, { folder, copy })) }), copied);
	return { ...asSet(copied, plugins, "plugins"), settings: {}, host: { name: "python", open: host } };
}
