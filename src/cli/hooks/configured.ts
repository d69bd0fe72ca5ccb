// The shell hooks of the user's config.yaml, and the consent to them, for commands that look at both without a runtime.
import { homedir } from "node:os";
import { delegateTask } from "../../agent/delegate.ts";
import { readHomeConfig } from "../../config/home.ts";
import type { Config } from "../../config/schema.ts";
import { readShellHooks, type ShellHooks } from "../../dialects/hermes-shell/settings.ts";
import { Consent } from "../../extensions/consent/consent.ts";
import { homeOf } from "../../system/home.ts";
import { builtInTools } from "../../tools/built-in.ts";
import { warn } from "../output.ts";

export interface ConfiguredHooks extends ShellHooks {
	/** `hooks_auto_accept`, as it is set. */
	readonly acceptSetting: Config["hooks_auto_accept"];
}

/** @throws ConfigError */
export async function configuredHooks(): Promise<ConfiguredHooks> {
	const { config: { hooks_auto_accept }, hooks: { file, read } } = await readHomeConfig(homeOf(process.env));
	const toolNames = [...builtInTools(), delegateTask].map(({ name }) => name);
	return { ...readShellHooks(read, { file, userHome: process.env["HOME"] || homedir(), toolNames }), acceptSetting: hooks_auto_accept };
}

export const openConsent = (onProblem: (message: string) => void = warn): Consent => new Consent({ home: homeOf(process.env), environment: process.env, warn: onProblem });
