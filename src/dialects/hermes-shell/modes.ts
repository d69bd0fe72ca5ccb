// The two modes beside each other: what the one that a hook does not have would have made of the same run.
import type { Decision } from "../../events/decision.ts";
import { HookFailure } from "../../events/failure.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import type { ShellEnded } from "../../hosts/shell/job.ts";
import { decides, isHermesName } from "./events.ts";
import type { ShellHook } from "./hook.ts";
import { readReply } from "./reply.ts";

export interface ModeDifference {
	readonly mode: ShellHook["mode"];
	/** What its mode makes of the run, as words that go on the mode's name: `blocks: "no"`. */
	readonly does: string;
	readonly other: ShellHook["mode"];
	readonly would: string;
}

/** Undefined where both come to the same, or where there is only one. */
export function differenceOfModes(hook: ShellHook, payload: JsonObject, ended: ShellEnded): ModeDifference | undefined {
	if (!decides(hook.event) || !isHermesName(hook.written)) return undefined;
	const other = hook.mode === "strict" ? "faithful" : "strict";
	// Hermes Agent closes hooks of one event alone.
	const failClosed = hook.failClosed && (other === "strict" || hook.written === "pre_tool_call");
	const [does, would] = [effectOf(hook, payload, ended), effectOf({ ...hook, mode: other, failClosed }, payload, ended)];
	return does.same === would.same ? undefined : { mode: hook.mode, does: does.words, other, would: would.words };
}

interface Effect {
	/** Equal where the same comes of it, whatever the reason. */
	readonly same: string;
	readonly words: string;
}

function effectOf(hook: ShellHook, payload: JsonObject, ended: ShellEnded): Effect {
	try {
		const { decisions } = readReply(hook, payload, ended);
		if (decisions.length === 0) return { same: "", words: "decides nothing" };
		return { same: decisions.map(valueOf).join("\n"), words: decisions.map(inWords).join(" and ") };
	} catch (error) {
		if (!(error instanceof HookFailure)) throw error;
		return hook.failClosed ? { same: "block", words: `blocks, as it ${error.message}` } : { same: "", words: `decides nothing, as it ${error.message}` };
	}
}

const valueOf = (decision: Decision): string => (decision.kind === "rewrite" || decision.kind === "inject" || decision.kind === "respond" ? JSON.stringify(decision) : decision.kind === "allow" ? "" : decision.kind);

function inWords(decision: Decision): string {
	switch (decision.kind) {
		case "block":
			return `blocks: ${JSON.stringify(decision.reason)}`;
		case "ask":
			return `asks: ${JSON.stringify(decision.reason)}`;
		case "rewrite":
			return `rewrites it to ${JSON.stringify(decision.value)}`;
		case "inject":
			return `adds ${JSON.stringify(decision.text)}`;
		case "respond":
			return `answers ${JSON.stringify(decision.text)}`;
		default:
			return "allows it";
	}
}
