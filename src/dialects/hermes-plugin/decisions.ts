// What becomes of what a callback of a plugin returned. Hermes asks all callbacks and takes the first answer that is one; here they are asked one after the
// other, so who answered first leaves a note, and a later answer of the same kind is left out.
import { ask, block, type Decision, inject, rewrite } from "../../events/decision.ts";
import type { Payloads } from "../../events/payloads/all.ts";
import type { Facts, JsonObject } from "../../events/payloads/facts.ts";
import { changedArguments } from "../hermes-shell/arguments.ts";
import { questionIn, refusalIn } from "../refusal.ts";
import type { PluginHook } from "./events.ts";

export interface Asking {
	/** The unit of the plugin. */
	readonly plugin: string;
	/** The callback, as lists have it. */
	readonly callback: string;
	/** Notes of the hooks before, in this dispatch. */
	readonly metadata: JsonObject;
	readonly log: (message: string) => void;
}

/** The note of who answered first. */
const first = "hermes-plugin";
/** The note of the arguments that a plugin's callbacks changed: they are taken over when all plugins were asked, so that all are asked about the same. */
const changesOf = (plugin: string) => `${plugin} modified`;

/** Nothing for an answer that decides nothing, whatever it is: callbacks that only watch return all sorts of things. */
export function decisionIn(hook: PluginHook, answer: unknown, payload: Facts, asking: Asking): Decision | undefined {
	if (answer === undefined || answer === null) return undefined;
	switch (hook) {
		case "pre_tool_call":
			return isObject(answer) ? ofToolCall(answer, payload as Payloads["tool.calling"], asking) : undefined;
		case "pre_llm_call":
			return added(isObject(answer) ? answer["context"] : answer);
		case "transform_tool_result":
			return typeof answer === "string" ? theFirst(rewrite({ ...(payload as Payloads["tool.returning"]).result, text: answer }), asking) : undefined;
		case "transform_terminal_output":
			return typeof answer === "string" ? theFirst(rewrite(answer), asking) : undefined;
		case "transform_llm_output":
			return typeof answer === "string" && answer !== "" ? theFirst(rewrite(answer), asking) : undefined;
		case "pre_verify":
			return isObject(answer) ? goingOn(answer, asking) : undefined;
		case "pre_gateway_dispatch":
			return isObject(answer) ? ofMessage(answer, asking) : undefined;
		default:
			return undefined;
	}
}

/** The arguments of a call with what a plugin's callbacks changed in them; undefined when that is nothing. */
export function modified(plugin: string, { args }: Payloads["tool.calling"], metadata: JsonObject): Decision | undefined {
	const changes = metadata[changesOf(plugin)] as JsonObject | undefined;
	return changes === undefined ? undefined : rewrite({ ...args, ...changes });
}

function ofToolCall(answer: JsonObject, { toolName, args }: Payloads["tool.calling"], { plugin, metadata, log }: Asking): Decision | undefined {
	// First, and in any spelling: a no is a no.
	const refusal = refusalIn(answer);
	if (refusal !== undefined) return block(refusal.reason || "Blocked by a plugin that gave no reason.");
	const question = questionIn(answer);
	if (question !== undefined) return ask(question.reason || "A plugin wants a person to decide.");
	const { action } = answer;
	if (action === "modify") {
		const given = answer["args"];
		const changed = isObject(given) ? changedArguments(toolName, args, given) : undefined;
		if (!isObject(given)) log("answered 'modify' without a dict of 'args', which changes nothing");
		if (changed === undefined) return undefined;
		const changes = Object.fromEntries(Object.entries(changed).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(args[name])));
		return { kind: "pass", metadata: { [changesOf(plugin)]: { ...(metadata[changesOf(plugin)] as JsonObject | undefined), ...changes } } };
	}
	if (action !== undefined && action !== "allow") log(`answered with the action ${JSON.stringify(action)}, which decides nothing; it may be block, modify or approve`);
	return undefined;
}

function goingOn(answer: JsonObject, asking: Asking): Decision | undefined {
	const verb = textIn(answer["action"] || answer["decision"]).toLowerCase();
	const message = textIn(answer["message"] || answer["reason"]);
	return (verb === "continue" || verb === "block") && message !== "" ? theFirst(inject(message), asking) : undefined;
}

function ofMessage(answer: JsonObject, asking: Asking): Decision | undefined {
	const refusal = refusalIn(answer);
	if (refusal !== undefined) return block(refusal.reason || "A plugin left this message out.");
	const { action, text } = answer;
	if (action === "rewrite" && typeof text === "string") return theFirst(rewrite(text), asking);
	return action === "allow" ? theFirst({ kind: "pass" }, asking) : undefined;
}

/** The decision with the note that it was the first; nothing when there was one before. */
function theFirst(decision: Decision, { callback, metadata, log }: Asking): Decision | undefined {
	const before = metadata[first];
	if (before === undefined) return { ...decision, metadata: { [first]: callback } };
	if (decision.kind !== "pass") log(`answered as well, but ${String(before)} had answered before, and the first counts`);
	return undefined;
}

const added = (text: unknown): Decision | undefined => (typeof text === "string" && text.trim() !== "" ? inject(text, "user") : undefined);
const textIn = (value: unknown): string => (typeof value === "string" ? value.trim() : "");
export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
