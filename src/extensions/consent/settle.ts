// The start of a process: which shell hooks may run, by what the user said before, says now, or set to say for them.
import type { Consented, ShellHook } from "../../dialects/hermes-shell/hook.ts";
import type { ModeDifference } from "../../dialects/hermes-shell/modes.ts";
import type { Consent, Examined } from "./consent.ts";
import { type Taken, take } from "./copy.ts";
import { NotRunnable, type Program } from "./program.ts";
import { ConsentError } from "./record.ts";

/** What became of a hook at the start. */
export interface Settled {
	readonly hook: ShellHook;
	readonly consented: Consented;
	/** Runs of which the other mode would have made something else, as they come; of `hooks test` alone. */
	readonly differences?: readonly ModeDifference[];
}

export interface SettleOptions {
	/** Absolute. */
	readonly cwd: string;
	/** Who says yes in the user's place, from `acceptedBy`. */
	readonly accept?: string | undefined;
	/** Only to tell what would run: nothing is approved, by nobody. */
	readonly looksOnly?: boolean;
	/** Puts a hook to a person, and gives whether they said yes. Without it nobody is asked. */
	readonly ask?: ((examined: Examined, taken: Taken) => Promise<boolean>) | undefined;
	/** What was approved without a question, and why an approval could not be recorded. */
	readonly warn: (message: string) => void;
	/** Told of each hook that may not run, with what would let it. */
	readonly onLeftOut?: (message: string) => void;
}

const yes: readonly string[] = ["1", "true", "yes", "on"];

/** Which of the three ways to approve without a question is taken, in words; undefined when none is. */
export function acceptedBy(ways: { readonly flag?: boolean | undefined; readonly environment: Readonly<Record<string, string | undefined>>; readonly setting?: boolean | string | undefined }): string | undefined {
	if (ways.flag === true) return "--accept-hooks";
	const value = ways.environment["HOOKLINE_ACCEPT_HOOKS"]?.trim().toLowerCase();
	if (value !== undefined && yes.includes(value)) return "HOOKLINE_ACCEPT_HOOKS";
	return ways.setting === true || (typeof ways.setting === "string" && yes.includes(ways.setting)) ? "hooks_auto_accept" : undefined;
}

/** Decides about each hook, in their order. @throws HomeError */
export async function settle(consent: Consent, hooks: readonly ShellHook[], options: SettleOptions): Promise<readonly Settled[]> {
	const settled: Settled[] = [];
	for (const hook of hooks) {
		const examined = consent.examine(hook, options.cwd);
		if (options.looksOnly !== true && examined.state !== "approved" && examined.program !== undefined) await decide(examined, examined.program, consent, options);
		const consented = await consent.for(hook, options.cwd);
		if (consented.kind === "unapproved") options.onLeftOut?.(leftOut(hook, consented.reason, options));
		settled.push({ hook, consented });
	}
	return settled;
}

async function decide(examined: Examined, program: Program, consent: Consent, { accept, ask, warn }: SettleOptions): Promise<void> {
	const { hook } = examined;
	try {
		const taken = take(program);
		if (accept === undefined && (await ask?.(examined, taken)) !== true) return;
		await consent.approve(hook, taken);
		if (accept !== undefined) warn(`${accept}: the shell hook ${hook.id} is approved without a question, as it is now: ${hook.command}`);
	} catch (error) {
		if (!(error instanceof NotRunnable || error instanceof ConsentError)) throw error;
		warn(error.message);
	}
}

/** What a hook that may not run means, and what to do about it. */
function leftOut(hook: ShellHook, reason: string, { accept, looksOnly }: SettleOptions): string {
	const effect = hook.failClosed ? `It is a guard that is closed when it fails, so it blocks every ${hook.written} it is for.` : "It is left out.";
	if (looksOnly === true && accept !== undefined) return `${reason} ${effect} ${accept} approves it when a conversation starts, if it can be started then.`;
	return `${reason} ${effect} Without a question a hook is approved, and stays so, by one of: --accept-hooks, HOOKLINE_ACCEPT_HOOKS=1, or hooks_auto_accept: true in config.yaml.`;
}
