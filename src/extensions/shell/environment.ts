// What a shell hook finds in its environment: what programs need to work at all, and what the hook names. No secrets unless named.
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import type { Home } from "../../system/home.ts";

/** Names that hold no secrets and without which programs behave oddly. */
const harmless = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "VIRTUAL_ENV", "NO_COLOR"];

export function hookEnvironment({ env }: Pick<ShellHook, "env">, home: Home, environment: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
	const kept = Object.entries(environment).filter(([name, value]) => value !== undefined && (harmless.includes(name) || name.startsWith("LC_") || env.includes(name))) as [string, string][];
	// Scripts written for Hermes Agent look for their home there.
	return { ...Object.fromEntries(kept), HOOKLINE_HOME: home.path, HERMES_HOME: home.path };
}
