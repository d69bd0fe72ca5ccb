// What a hook of an extension in Python is called with, by name, and what becomes of its HookResult.
import { block, type Decision, inject, rewrite } from "../../events/decision.ts";
import { HookFailure } from "../../events/failure.ts";
import type { Payloads } from "../../events/payloads/all.ts";
import type { Facts, JsonObject } from "../../events/payloads/facts.ts";
import { didYouMean } from "../../system/nearest.ts";
import { asChatMessage } from "../chat-messages.ts";
import { replacedArguments, shownArguments } from "../hermes-shell/arguments.ts";
import { refusalIn } from "../refusal.ts";
import type { ExtensionHook } from "./events.ts";

const factNames = ["session_id", "platform", "turn_id", "user_id", "chat_id", "thread_id", "chat_type", "surface", "cwd", "metadata"] as const;

/** The keyword arguments of each hook; a callback gets those that it declares. */
export const gives = {
	transform_user_input: ["user_message", ...factNames],
	before_llm_call: ["messages", "system_prompt", "task_id", "model", "tool_names", ...factNames],
	intercept_tool_call: ["tool_name", "tool_args", "task_id", "tool_call_id", ...factNames],
} as const satisfies Readonly<Record<ExtensionHook, readonly string[]>>;

type Arguments<Hook extends ExtensionHook> = { readonly [Name in (typeof gives)[Hook][number]]: unknown };

/** `metadata` is what earlier hooks of the same dispatch left. */
export function argumentsOf(hook: ExtensionHook, payload: Facts, metadata: JsonObject): JsonObject {
	return encode[hook](payload as never, factsOf(payload, metadata));
}

type FactArguments = Readonly<Record<(typeof factNames)[number], unknown>>;

const factsOf = ({ sessionId = "", platform = "cli", turnId, userId = "", chatId = "", threadId = "", chatType = "", surface, cwd }: Facts, metadata: JsonObject): FactArguments => ({
	session_id: sessionId, platform, turn_id: turnId ?? null, user_id: userId, chat_id: chatId, thread_id: threadId, chat_type: chatType, surface, cwd, metadata,
});

const encode = {
	transform_user_input: ({ text }: Payloads["input.receiving"], facts: FactArguments): Arguments<"transform_user_input"> => ({ user_message: text, ...facts }),
	before_llm_call: ({ messages, model, toolNames }: Payloads["model.calling"], facts: FactArguments): Arguments<"before_llm_call"> => ({
		messages: messages.filter(({ role }) => role !== "system").map(asChatMessage),
		system_prompt: messages.filter(({ role }) => role === "system").map(({ text }) => text).join("\n\n"),
		task_id: facts.session_id, model, tool_names: toolNames, ...facts,
	}),
	intercept_tool_call: ({ toolName, args, callId }: Payloads["tool.calling"], facts: FactArguments): Arguments<"intercept_tool_call"> => ({
		tool_name: toolName, tool_args: shownArguments(toolName, args), task_id: facts.session_id, tool_call_id: callId, ...facts,
	}),
};

const actions: Readonly<Record<ExtensionHook, readonly string[]>> = {
	transform_user_input: ["pass", "rewrite", "block"],
	before_llm_call: ["pass", "inject_system", "inject_user", "block"],
	intercept_tool_call: ["pass", "rewrite", "block"],
};

/**
 * The decision in a HookResult; nothing for one that passes without notes.
 * @throws HookFailure `bad-answer` for what is none, or is none of this hook.
 */
export function decisionIn(hook: ExtensionHook, answer: unknown, payload: Facts): Decision | undefined {
	if (answer === undefined || answer === null) return undefined;
	const { action, value, metadata } = answer as JsonObject;
	const notes = typeof metadata === "object" && metadata !== null && Object.keys(metadata).length > 0 ? { metadata: metadata as JsonObject } : {};
	// First, and in any spelling: a no is a no.
	if (refusalIn({ action }) !== undefined) return { ...block(asText(value)), ...notes };
	if (typeof action !== "string" || !actions[hook].includes(action)) throw bad(`answered with the action ${JSON.stringify(action)}.${didYouMean(String(action), actions[hook]) || ` ${hook} takes ${actions[hook].join(", ")}.`}`);
	const none: Decision | undefined = "metadata" in notes ? { kind: "pass", ...notes } : undefined;
	switch (action) {
		case "rewrite": {
			if (hook === "transform_user_input") {
				if (typeof value !== "string") throw bad(`answered 'rewrite' with a value that is no text: ${JSON.stringify(value)?.slice(0, 200)}`);
				return { ...rewrite(value), ...notes };
			}
			if (typeof value !== "object" || value === null || Array.isArray(value)) throw bad(`answered 'rewrite' with a value that is no dict of arguments: ${JSON.stringify(value)?.slice(0, 200)}`);
			const { toolName, args } = payload as Payloads["tool.calling"];
			const replaced = replacedArguments(toolName, args, value as JsonObject);
			return replaced === undefined ? none : { ...rewrite(replaced), ...notes };
		}
		case "inject_system":
		case "inject_user":
			return asText(value).trim() === "" ? none : { ...inject(asText(value), action === "inject_system" ? "system" : "user"), ...notes };
		default:
			return none;
	}
}

const asText = (value: unknown): string => (typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value));
const bad = (message: string) => new HookFailure("bad-answer", message);
