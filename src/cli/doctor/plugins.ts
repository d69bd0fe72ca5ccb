// What is to be said about the plugins that were written for Hermes Agent beside whether they load: in which of them nothing runs, for one.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../config/read.ts";
import { readHomeConfig } from "../../config/home.ts";
import type { Home } from "../../system/home.ts";
import type { Check } from "./check.ts";

export async function checkPlugins(home: Home): Promise<readonly Check[]> {
	const folder = join(home.hermes ?? home.path, "plugins");
	if (!existsSync(folder)) return [];
	const { aboutNotEnabled } = await import("../../dialects/hermes-plugin/settings.ts");
	const { findUserPlugins } = await import("../../extensions/plugins.ts");
	try {
		const { config } = await readHomeConfig(home);
		const plugins = await findUserPlugins(folder, home.config, config.plugins, process.env);
		return [...plugins.warnings, ...aboutNotEnabled(plugins, folder, home.config)].map((message) => ({ name: "plugins", state: "warning", message }));
	} catch (error) {
		// Said among the settings.
		if (error instanceof ConfigError) return [];
		throw error;
	}
}
