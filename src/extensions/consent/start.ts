// A shell hook's program, started as it was approved: that is looked at again before each call.
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import { HookFailure } from "../../events/failure.ts";
import type { ShellEnded, ShellHost } from "../../hosts/shell/job.ts";
import type { Consent } from "./consent.ts";

export interface StartOptions {
	readonly consent: Pick<Consent, "for">;
	readonly host: Pick<ShellHost, "run">;
	/** All of the program's environment. */
	readonly env: Readonly<Record<string, string>>;
	/** Absolute: where it runs. */
	readonly cwd: string;
}

/**
 * Runs a hook with one document on its standard input, each time as it is approved then.
 * It throws HookFailure: `cannot-start` when it is not approved as it is now, and those of the host. An open hook is warned of once for each reason:
 * from then on the failure is `suspended`, which the trace shows and nobody is told of again.
 */
export function starterOf(hook: ShellHook, { consent, host, env, cwd }: StartOptions): (stdin: string, signal: AbortSignal) => Promise<ShellEnded> {
	let told: string | undefined;
	return async (stdin, signal) => {
		const consented = await consent.for(hook, cwd);
		if (consented.kind === "unapproved") {
			const isTold = consented.reason === told && !hook.failClosed;
			told = consented.reason;
			throw new HookFailure(isTold ? "suspended" : "cannot-start", consented.reason.replace(/\.$/, ""), { counts: false });
		}
		told = undefined;
		const { file, args } = consented;
		return host.run({ file, args, stdin, cwd, env, timeoutMs: hook.timeoutMs, signal, sandbox: hook.sandbox });
	};
}
