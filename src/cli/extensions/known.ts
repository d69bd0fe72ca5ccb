// What commands about extensions begin with: the settings, and what lies there.
import { readConfig } from "../../config/read.ts";
import type { Config } from "../../config/schema.ts";
import { bundledNames } from "../../extensions/bundled.ts";
import { type Examination, type Examined, examine } from "../../extensions/examine.ts";
import { type Home, homeOf } from "../../system/home.ts";
import { didYouMean } from "../../system/nearest.ts";
import { CommandError } from "../exit.ts";

export interface Known extends Examination {
	readonly home: Home;
	readonly config: Config;
}

/** @throws ConfigError */
export async function known(): Promise<Known> {
	const home = homeOf(process.env);
	const config = await readConfig(home.config);
	return { home, config, ...(await examine(home, config.extensions ?? {})) };
}

/** @throws CommandError with the nearest name. */
export function named(name: string, { extensions, home }: Known): Examined {
	const found = extensions.find((one) => one.name === name);
	if (found !== undefined) return found;
	throw new CommandError(`There is no extension '${name}' in ${home.extensions}.${didYouMean(name, extensions.map((one) => one.name))} 'hookline extensions list' lists them.`);
}

/** For commands that change what is installed. @throws CommandError when the lock file cannot be relied on. */
export function refuseBroken({ problem }: Known): void {
	if (problem !== undefined) throw new CommandError(problem);
}

/** Names of those that come with Hookline, but for those whose place one of the user's takes: they are loaded only where config.yaml says 'enabled: true'. */
export const bundledBeside = ({ extensions }: Examination): readonly string[] => bundledNames().filter((name) => !extensions.some((one) => one.name === name));

export type State = "enabled" | "disabled" | "not loaded";

export const stateOf = ({ enabled, problems }: Examined): State => (!enabled ? "disabled" : problems.length > 0 ? "not loaded" : "enabled");
