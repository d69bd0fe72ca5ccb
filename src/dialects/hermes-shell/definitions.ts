// A shell hook as the engine takes it.
import { type DecisionKind, type Stage, specOf } from "../../events/catalog.ts";
import type { HookContext } from "../../events/context.ts";
import { HookFailure } from "../../events/failure.ts";
import type { EventName } from "../../events/payloads/all.ts";
import type { Facts } from "../../events/payloads/facts.ts";
import { type HookDefinition, type HookOptions, RegistrationError } from "../../events/registration.ts";
import type { ShellEnded } from "../../hosts/shell/job.ts";
import { isMeant } from "./events.ts";
import type { ShellHook } from "./hook.ts";
import { readMatcher } from "./matcher.ts";
import { differenceOfModes, type ModeDifference } from "./modes.ts";
import { payloadOf } from "./payload.ts";
import { readReply } from "./reply.ts";

/** Runs the hook's program with a document on its standard input. `signal` is aborted at the hook's time-out and at the user's stop. */
export type Start = (payloadJson: string, signal: AbortSignal) => Promise<ShellEnded>;

export interface MoreForHooks {
	/** A file that holds the conversation of a session so far, absolute; scripts find it as `transcript_path`. */
	readonly transcriptOf?: (sessionId: string) => string | undefined;
	/** Told of each run of which the other mode would have made something else. */
	readonly onDifference?: ((difference: ModeDifference) => void) | undefined;
}

/** Whose shell hooks are, in lists and traces: `shell/1`, `shell/NAME`; those of a project `project:shell/1`. */
export const shellExtensionOf = (trust: ShellHook["trust"]): string => (trust === "project" ? "project:shell" : "shell");

/**
 * What to register for a hook. With `unapproved` (a sentence) nothing is ever started: a closed hook then blocks what it is for, with that reason; an open one
 * has nothing to register.
 */
export function definitionsOf(hook: ShellHook, start: Start, unapproved?: string, { transcriptOf, onDifference }: MoreForHooks = {}): readonly HookDefinition[] {
	if (unapproved !== undefined && !hook.failClosed) return [];
	const handler = async (payload: Facts, context: HookContext) => {
		// Decided here: starting a program costs more than everything else a hook does.
		if (!isMeant(hook.written, payload)) return undefined;
		if (unapproved !== undefined) throw new HookFailure("cannot-start", unapproved.replace(/\.$/, ""), { counts: false });
		const transcript = payload.sessionId === undefined ? undefined : transcriptOf?.(payload.sessionId);
		const ended = await start(payloadOf(hook.written, hook.event, payload, transcript), context.signal);
		const given = payload as Facts & { readonly [field: string]: unknown };
		const difference = onDifference === undefined ? undefined : differenceOfModes(hook, given, ended);
		if (difference !== undefined) onDifference?.(difference);
		const { decisions, notes } = readReply(hook, given, ended);
		for (const note of notes) context.log(note);
		return decisions.length === 0 ? undefined : decisions;
	};
	return [
		{
			event: hook.event,
			stage: stageOf(hook.event),
			handler,
			options: optionsOf(hook),
			source: { extension: shellExtensionOf(hook.trust), file: hook.file, line: hook.line, trust: hook.trust, dialect: "hermes-shell", rank: 2 },
			host: "shell",
			...(stageOf(hook.event) === "transform" && decides(hook.event, ["block", "ask"]) && { judges: true }),
		},
	];
}

/** A hook that can both change and refuse is a transform that judges; where there is nothing to change it is a guard. */
function stageOf(event: EventName): Stage {
	if (specOf(event).kind === "observe") return "observe";
	return decides(event, ["rewrite", "inject", "respond"]) ? "transform" : "guard";
}

function decides(event: EventName, kinds: readonly DecisionKind[]): boolean {
	const spec = specOf(event);
	return spec.kind === "intercept" && spec.decisions.some((kind) => kinds.includes(kind));
}

function optionsOf(hook: ShellHook): HookOptions {
	const read = hook.matcher === undefined ? undefined : readMatcher(hook.matcher);
	if (read !== undefined && "mistake" in read) throw new RegistrationError(`${hook.id}: the matcher '${hook.matcher}' ${read.mistake}.`);
	return {
		name: hook.id.slice(shellExtensionOf(hook.trust).length + 1),
		timeoutMs: hook.timeoutMs,
		...(read && { tool: read.tool }),
		...(hook.priority !== undefined && { priority: hook.priority }),
		...(specOf(hook.event).kind === "intercept" && { onError: hook.failClosed ? "closed" : "open" }),
	};
}
