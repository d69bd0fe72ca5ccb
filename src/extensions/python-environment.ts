// What Python code finds in its environment beside what programs need to work at all: its home under both names, and what config.yaml names.
import type { Home } from "../system/home.ts";

/** `env` as config.yaml has it: `NAME` hands on ours, `NAME=value` sets one. */
export function pythonEnvironment(env: readonly string[] | undefined, home: Home, environment: Readonly<Record<string, string | undefined>>, warn: (message: string) => void): Readonly<Record<string, string>> {
	const named = (env ?? []).flatMap((entry): readonly (readonly [string, string])[] => {
		const at = entry.indexOf("=");
		if (at >= 0) return [[entry.slice(0, at), entry.slice(at + 1)]];
		const value = environment[entry];
		if (value === undefined) warn(`${home.config} hands ${entry} on to hooks in Python (python.env), and it is not set here.`);
		return value === undefined ? [] : [[entry, value]];
	});
	return { ...Object.fromEntries(named), HOOKLINE_HOME: home.path, HERMES_HOME: home.hermes ?? home.path };
}
