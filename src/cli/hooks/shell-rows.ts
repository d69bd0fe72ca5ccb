// Shell hooks as lists show them: those that are live, and those that were left out, with what the user said of each.
import type { Consented, ShellHook } from "../../dialects/hermes-shell/hook.ts";
import type { HookSummary } from "../../events/record.ts";
import type { Examined } from "../../extensions/consent/consent.ts";
import type { OutboundState } from "../../extensions/outbound/load.ts";
import type { Runtime } from "../../runtime.ts";
import { openConsent } from "./configured.ts";
import { matcherWords, placeOf } from "./live.ts";

/** A shell hook for programs. */
export interface ShellHookState {
	readonly id: string;
	readonly event: string;
	readonly command: string;
	readonly mode: ShellHook["mode"];
	readonly consent: Examined["state"];
	readonly reason?: string;
	/** What becomes of what it is for, as it is now. */
	readonly effect: "runs" | "blocks" | "left out";
}

/** Those of a process, with what may run of them at this moment. */
export function shellHooksNow({ shellHooks, place }: Runtime): readonly Examined[] {
	// What is wrong with the allow list was said at the start.
	const consent = openConsent(() => {});
	return shellHooks.map(({ hook, consented }) => (hook.trust === "project" ? asTrusted(hook, consented) : consent.examine(hook, place.cwd)));
}

/** The trust of its folder is the consent to a hook of a project. */
const asTrusted = (hook: ShellHook, consented: Consented): Examined => (consented.kind === "approved" ? { hook, state: "approved" } : { hook, state: "changed", reason: consented.reason });

export function stateOf({ hook, state, reason }: Examined): ShellHookState {
	const { id, written, command, mode } = hook;
	return { id, event: written, command, mode, consent: state, ...(reason !== undefined && { reason }), effect: state === "approved" ? "runs" : hook.failClosed ? "blocks" : "left out" };
}

const consentWords: Readonly<Record<Examined["state"], string>> = { approved: "approved", unapproved: "NOT APPROVED", changed: "CHANGED SINCE IT WAS APPROVED", "not-runnable": "CANNOT BE STARTED" };

/** Where a hook runs; of a shell hook also how, and whether it may; of a receiver of `hooks.outbound` its address, and whether it is told with a signature. */
export function hostWords({ id, host }: Pick<HookSummary, "id" | "host">, shell: readonly Examined[], outbound: readonly OutboundState[] = []): string {
	const receiver = outbound.find(({ hooks }) => hooks.includes(id));
	if (receiver !== undefined) return `http (${receiver.url}, ${receiver.signed ? "signed" : "UNSIGNED"})`;
	const examined = shell.find(({ hook }) => hook.id === id);
	if (examined === undefined) return host;
	const { effect, mode, consent } = stateOf(examined);
	const word = examined.hook.trust === "project" && consent === "approved" ? "trusted with its folder" : consentWords[consent];
	return `shell (${mode}, ${word}${effect === "runs" ? "" : `: ${effect}`})`;
}

/** Of a shell hook that is not live: the same columns as those that are. */
export function leftOutRow(examined: Examined): readonly string[] {
	const { hook } = examined;
	const matcher = matcherWords({ matcher: hook.matcher === undefined ? {} : { tool: [hook.matcher] } });
	return [hook.id, "left out", hook.event, matcher, String(hook.priority ?? 100), hostWords({ id: hook.id, host: "shell" }, [examined]), `${hook.timeoutMs} ms`, placeOf({ source: { file: hook.file, line: hook.line } }), "it does not run: what it is for goes on without it"];
}

export const notLive = (shell: readonly Examined[], hooks: readonly HookSummary[]): readonly Examined[] => shell.filter(({ hook }) => !hooks.some(({ id }) => id === hook.id));
