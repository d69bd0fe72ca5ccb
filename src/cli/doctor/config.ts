// config.yaml: every mistake in it, with its place.
import { ConfigError, readConfigFile } from "../../config/read.ts";
import type { Config } from "../../config/schema.ts";
import type { Home } from "../../system/home.ts";
import { configuredHooks } from "../hooks/configured.ts";
import type { Check } from "./check.ts";

/** `config` is undefined when the file cannot be used as it is: nothing that depends on it starts then. */
export async function checkConfig(home: Home): Promise<{ readonly checks: readonly Check[]; readonly config: Config | undefined }> {
	const name = "config.yaml";
	try {
		const { text, value, mistakes } = await readConfigFile(home.config);
		if (mistakes.length > 0) return { checks: mistakes.map(({ line, column, message }) => ({ name, state: "problem", message: `${home.config}:${line}:${column}: ${message}` })), config: undefined };
		// Its mistakes stop the start as well.
		if ((value as Config).hooks !== undefined) await configuredHooks();
		const message = text === undefined ? `There is no ${home.config}, so every setting has its default.` : `${home.config} has no mistakes.`;
		return { checks: [{ name, state: "ok", message }], config: value as Config };
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		return { checks: error.message.split("\n").map((message) => ({ name, state: "problem", message })), config: undefined };
	}
}
