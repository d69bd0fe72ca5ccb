// `mode: faithful`: bug for bug what Hermes Agent makes of a run, so also what it lets pass. Its own events alone; what it drops is dropped here.
import { ask, block, type Decision, inject, rewrite } from "../../events/decision.ts";
import { HookFailure } from "../../events/failure.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import type { ShellEnded } from "../../hosts/shell/job.ts";
import { noReason, type Reply, startOf } from "./answer.ts";
import { changedArguments } from "./arguments.ts";
import type { ShellHook } from "./hook.ts";

/** @throws HookFailure for what Hermes takes for a failure of a closed hook; an open one goes on with a warning. */
export function readFaithfully(hook: ShellHook, payload: JsonObject, ended: ShellEnded): Reply {
	const notes = ended.exitCode === 0 ? [] : [`exited with code ${ended.exitCode ?? `none (${ended.signal})`}: ${startOf(ended.stderr)}`];
	const stdout = ended.stdout.trim();
	const value = parsed(stdout);
	const answer = isObject(value) ? value : undefined;
	if (hook.written === "pre_tool_call") {
		const decisions = answer === undefined ? [] : ofToolCall(payload, answer);
		if (ended.exitCode === 2) {
			const [first] = decisions;
			return { decisions: [first?.kind === "block" ? first : block(startOf(ended.stderr) || noReason)], notes };
		}
		if (answer === undefined && stdout !== "") throw new HookFailure("bad-answer", `unparseable stdout (expected a JSON object): ${JSON.stringify(stdout.slice(0, 200))}`, { counts: false });
		return { decisions, notes };
	}
	if (hook.written === "pre_verify") {
		const verb = String(answer?.["action"] || answer?.["decision"] || "").trim().toLowerCase();
		const message = answer?.["message"] || answer?.["reason"];
		const goesOn = ["continue", "block"].includes(verb) && typeof message === "string" && message.trim() !== "";
		return { decisions: goesOn ? [inject(message.trim())] : [], notes };
	}
	const context = answer?.["context"];
	return { decisions: hook.written === "pre_llm_call" && typeof context === "string" && context.trim() !== "" ? [inject(context)] : [], notes };
}

function ofToolCall(payload: JsonObject, answer: JsonObject): readonly Decision[] {
	if (answer["action"] === "block") return [block(reason(answer["message"], answer["reason"]))];
	if (answer["decision"] === "block") return [block(reason(answer["reason"], answer["message"]))];
	for (const [verb, key] of [["action", "args"], ["decision", "tool_input"]] as const) {
		const given = answer[key];
		if (answer[verb] !== "modify" || !isObject(given)) continue;
		const args = changedArguments(String(payload["toolName"]), payload["args"] as JsonObject, given);
		return args === undefined ? [] : [rewrite(args)];
	}
	return answer["action"] === "approve" ? [ask(reason(answer["message"], answer["reason"], "A shell hook wants a person to decide."))] : [];
}

function reason(primary: unknown, secondary: unknown, otherwise = noReason): string {
	const given = primary || secondary;
	return typeof given === "string" && given !== "" ? given : otherwise;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
