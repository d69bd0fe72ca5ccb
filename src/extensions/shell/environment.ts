// What a shell hook finds in its environment: what programs need to work at all, and what the hook names. No secrets unless named.
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import type { Home } from "../../system/home.ts";

/** Names that hold no secrets and without which programs behave oddly. */
const harmless = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "VIRTUAL_ENV", "NO_COLOR"];

/** Whether every hook gets a variable of this name without asking for it. */
export const isHarmless = (name: string): boolean => harmless.includes(name) || name.startsWith("LC_") || name === "HOOKLINE_HOME" || name === "HERMES_HOME";

export function hookEnvironment({ env }: Pick<ShellHook, "env">, home: Home, environment: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
	const kept = Object.entries(environment).filter(([name, value]) => value !== undefined && (isHarmless(name) || env.includes(name))) as [string, string][];
	// Scripts written for Hermes Agent look for their home there.
	return { ...Object.fromEntries(kept), HOOKLINE_HOME: home.path, HERMES_HOME: home.hermes ?? home.path };
}
