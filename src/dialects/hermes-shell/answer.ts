// What an answer means at its event: rewrites, added text, an answer in the agent's place, a yes. Refusals were looked for before.
import type { Decision } from "../../events/decision.ts";
import { allow, inject, respond, rewrite } from "../../events/decision.ts";
import { type AnyInterceptSpec, specOf } from "../../events/catalog.ts";
import { HookFailure } from "../../events/failure.ts";
import type { EventName } from "../../events/payloads/all.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import { describe } from "../../events/registration.ts";
import { didYouMean } from "../../system/nearest.ts";
import { wordsIn } from "../refusal.ts";
import { changedArguments } from "./arguments.ts";

/** What a hook decided, and what its author should know about it. */
export interface Reply {
	readonly decisions: readonly Decision[];
	readonly notes: readonly string[];
}

/** What a refusal without a reason says, as in Hermes. */
export const noReason = "Blocked by shell hook.";

/** As much of standard error as serves as a reason. */
export const startOf = (stderr: string): string => stderr.trim().slice(0, 400);

const bad = (message: string) => new HookFailure("bad-answer", message, { counts: false });

/** Said with nothing else they decide nothing. `approve` is Claude Code's old yes: it is no question, and no better than silence. */
const quiet = new Set(["approve", "pass", "none", "noop", "ok", "continue"]);
const changing = new Set(["modify", "rewrite"]);
const answering = new Set(["respond", "handled"]);

/** By event: the key of an answer, and the field of the payload it replaces. */
const replaced: { readonly [Name in EventName]?: Readonly<Record<string, string>> } = {
	"message.receiving": { text: "text" },
	"message.sending": { text: "text" },
	"command.running": { command: "name", command_name: "name", args: "args", raw_args: "args" },
	"input.receiving": { text: "text", user_message: "text" },
	"session.compacting": { summary: "summary", instructions: "instructions" },
	"turn.starting": { system_prompt: "systemPrompt" },
	"model.calling": { messages: "messages" },
	"model.requesting": { body: "body", request: "body", headers: "headers" },
	"terminal.returning": { output: "output" },
	"tool.returning": { result: "result" },
	"tool.persisting": { result: "result" },
	"turn.answering": { text: "text", response_text: "text" },
	"shell.running": { command: "command" },
	"subagent.starting": { goal: "goal" },
};

/** @throws HookFailure `bad-answer` for what is of the wrong kind, or is a word that decides nothing here. */
export function readAnswer(event: EventName, payload: JsonObject, answer: JsonObject): Reply {
	const spec = specOf(event) as AnyInterceptSpec;
	const takes = (kind: (typeof spec.decisions)[number]) => spec.decisions.includes(kind);
	const words = wordsIn(answer);
	const said = (set: ReadonlySet<string>) => words.some(({ word }) => set.has(word));
	for (const { key, word } of words) {
		if (word === "allow" || quiet.has(word) || (changing.has(word) && takes("rewrite")) || (answering.has(word) && takes("respond"))) continue;
		const known = ["allow", "block", "deny", "ask", ...(takes("rewrite") ? changing : []), ...(takes("respond") ? answering : [])];
		throw bad(`answered ${key} '${word.slice(0, 60)}', which decides nothing at ${event}.${didYouMean(word, known)}`);
	}
	if (said(answering)) {
		const text = firstText(answer, "message", "text", "reason");
		return { decisions: [respond(text ?? "(A hook has dealt with this.)")], notes: [] };
	}
	const decisions: Decision[] = [];
	const change = event === "tool.calling" ? changedCall(payload, answer, said(changing)) : changedFields(event, payload, answer);
	if (change !== undefined) decisions.push(rewrite(change));
	const notes: string[] = [];
	for (const [as, text] of [["user", added(answer)], ["system", textOf("system", answer["system"])]] as const) {
		if (text === undefined) continue;
		if (spec.injects?.includes(as)) decisions.push(inject(text, as));
		else notes.push(`answered '${as === "user" ? "context" : "system"}', which ${event} does not take; it was left out`);
	}
	if (words.some(({ word }) => word === "allow") && takes("allow")) decisions.push(allow());
	return { decisions, notes };
}

/** The text an answer makes the agent go on with, at `turn.ending`. */
export function continuationIn(answer: JsonObject): string | undefined {
	const goesOn = wordsIn(answer).some(({ key, word }) => ["continue", "block", "deny"].includes(word) && (key === "action" || key === "decision"));
	return goesOn ? firstText(answer, "message", "reason") : undefined;
}

function changedCall(payload: JsonObject, answer: JsonObject, says: boolean): JsonObject | undefined {
	const { updatedInput, tool_input: inner } = (answer["hookSpecificOutput"] ?? {}) as JsonObject;
	const given = updatedInput ?? inner ?? (says ? (answer["args"] ?? answer["tool_input"]) : undefined);
	if (given === undefined || given === null) {
		if (says) throw bad("answered modify, but gave no 'args'");
		return undefined;
	}
	if (typeof given !== "object" || Array.isArray(given)) throw bad(`gave the arguments as ${describe(given)}, but they must be an object`);
	return changedArguments(String(payload["toolName"]), payload["args"] as JsonObject, given as JsonObject);
}

function changedFields(event: EventName, payload: JsonObject, answer: JsonObject): unknown {
	const changes: Record<string, unknown> = {};
	for (const [key, field] of Object.entries(replaced[event] ?? {})) {
		const value = answer[key];
		if (value === undefined || value === null || Object.hasOwn(changes, field)) continue;
		const read = fieldOf(event, key, field, value, payload[field]);
		if (JSON.stringify(read) !== JSON.stringify(payload[field])) changes[field] = read;
	}
	const [only] = Object.keys(changes);
	if (only === undefined) return undefined;
	return Object.keys((specOf(event) as AnyInterceptSpec).rewrites).length === 1 ? changes[only] : changes;
}

function fieldOf(event: EventName, key: string, field: string, value: unknown, before: unknown): unknown {
	if (field === "result") return typeof value === "string" ? { ...(before as object), text: value } : resultOf(value, before);
	if (field === "messages") return Array.isArray(value) ? value.map(messageOf) : value;
	if (field === "body" || field === "headers") return value;
	if (typeof value !== "string") throw bad(`gave '${key}' as ${describe(value)}, but it must be a text`);
	if (event === "command.running" && field === "name") return value.trim().replace(/^\//, "");
	// As in Hermes: an empty answer is no answer.
	return event === "turn.answering" && value === "" ? before : value;
}

function resultOf(value: unknown, before: unknown): unknown {
	const { text, is_error: isError } = (typeof value === "object" && value !== null ? value : {}) as { readonly text?: unknown; readonly is_error?: unknown };
	if (typeof text !== "string" || (isError !== undefined && typeof isError !== "boolean")) throw bad(`gave 'result' as ${describe(value)}, but it must be a text, or an object with a text and is_error`);
	return { ...(before as object), text, ...(isError !== undefined && { isError }) };
}

/** A message as other agents write it has its text under `content`. */
function messageOf(message: unknown): unknown {
	if (typeof message !== "object" || message === null || "text" in message) return message;
	const { content, ...rest } = message as { readonly content?: unknown };
	return { ...rest, text: content };
}

function added(answer: JsonObject): string | undefined {
	const { additionalContext } = (typeof answer["hookSpecificOutput"] === "object" ? (answer["hookSpecificOutput"] ?? {}) : {}) as JsonObject;
	return textOf("context", answer["context"] ?? additionalContext);
}

function textOf(key: string, value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value !== "string") throw bad(`gave '${key}' as ${describe(value)}, but it must be a text`);
	return value.trim() === "" ? undefined : value;
}

function firstText(answer: JsonObject, ...keys: readonly string[]): string | undefined {
	for (const key of keys) if (typeof answer[key] === "string" && answer[key].trim() !== "") return answer[key].trim();
	return undefined;
}
