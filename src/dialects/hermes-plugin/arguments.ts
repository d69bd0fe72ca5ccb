// What a callback of a plugin is called with, by name: what shell hooks read, flat, and what plugins get beyond it.
import type { Payloads } from "../../events/payloads/all.ts";
import type { Facts, JsonObject } from "../../events/payloads/facts.ts";
import type { Message } from "../../events/payloads/model.ts";
import { samplePayload } from "../../events/samples.ts";
import { asChatMessage } from "../chat-messages.ts";
import { shownArguments } from "../hermes-shell/arguments.ts";
import type { EventOf } from "../hermes-shell/events.ts";
import { fieldsOf } from "../hermes-shell/payload.ts";
import { eventOfHook, hookNames, type PluginHook } from "./events.ts";

/** What the events themselves do not carry of a conversation. */
export interface Conversations {
	/** All messages of a session so far, without the system prompt. `eventId` is of the event they are asked for. */
	historyOf(sessionId: string, eventId: string): readonly Message[];
	/** The model the session is led with, `PROVIDER:NAME`; undefined for an unknown session. */
	modelOf(sessionId: string): string | undefined;
}

/** Of the names of arguments those that a callback takes; a conversation of a thousand messages is not read for one that does not want it. */
export type Takes = (name: string) => boolean;

export function argumentsOf(hook: PluginHook, payload: Facts, conversations: Conversations, takes: Takes): JsonObject {
	const given = { ...factsOf(payload), ...fieldsOf(eventOfHook(hook), payload) };
	return { ...given, ...(more[hook] as More<never> | undefined)?.(payload as never, { conversations, takes, given }) };
}

/** Every argument a hook is ever given, by its name: what a callback may declare. */
export function allArguments(): Readonly<Record<PluginHook, readonly string[]>> {
	const conversations: Conversations = { historyOf: () => [], modelOf: () => "" };
	const sample = (hook: PluginHook) => samplePayload(eventOfHook(hook), { cwd: "/", at: 0, eventId: "e" });
	return Object.fromEntries(hookNames.map((hook) => [hook, [...new Set(["turn_id", ...Object.keys(argumentsOf(hook, sample(hook), conversations, () => true))])]])) as Record<PluginHook, string[]>;
}

function factsOf(payload: Facts): JsonObject {
	const { sessionId, parentSessionId, turnId, surface, cwd, profile, userId, chatId, threadId, chatType } = payload;
	const { toolName, args } = payload as Partial<Payloads["tool.calling"]>;
	const shown = toolName === undefined ? undefined : { tool_name: toolName, ...(typeof args === "object" && args !== null && { args: shownArguments(toolName, args), arguments: shownArguments(toolName, args) }) };
	return {
		session_id: sessionId ?? parentSessionId ?? "",
		turn_id: turnId ?? "",
		...shown,
		surface, cwd, profile,
		user_id: userId ?? null, chat_id: chatId ?? null, thread_id: threadId ?? null, chat_type: chatType ?? null,
	};
}

interface Asked {
	readonly conversations: Conversations;
	readonly takes: Takes;
	/** What was found before. */
	readonly given: JsonObject;
}

type More<Payload> = (payload: Payload, asked: Asked) => JsonObject;

/** Of the model call, whichever attempt, and of the tools it asked for; empty where a call belongs to no step. */
export const requestId = ({ turnId, step }: Facts): JsonObject => ({ api_request_id: turnId === undefined || step === undefined ? "" : `${turnId}.${step}` });

/** Who else had a hand in it is not known here. */
const requested = (payload: Facts): JsonObject => ({ ...requestId(payload), middleware_trace: [] });

const more: { readonly [Hook in PluginHook]?: More<Payloads[EventOf<Hook>]> } = {
	pre_tool_call: requested,
	post_tool_call: requested,
	transform_tool_result: (payload, { given }) => ({ ...requestId(payload), error_type: given["is_error"] === true ? "error" : null, error_message: given["is_error"] === true ? given["result"] : null }),
	pre_llm_call: (payload, asked) => withHistory(payload, asked, [{ role: "user", text: payload.text }]),
	post_llm_call: (payload, asked) => ({ ...withHistory(payload, asked), ...modelOf(payload, asked) }),
	transform_llm_output: modelOf,
	pre_verify: (payload, asked) => ({ ...modelOf(payload, asked), ...(asked.takes("changed_paths") && { changed_paths: changedPaths(historyOf(payload, asked)) }) }),
	on_session_end: modelOf,
	pre_api_request: (payload) => {
		const { body, url, model, step, at } = payload;
		const [messages, tools] = [listIn(body["messages"]), listIn(body["tools"])];
		const characters = JSON.stringify(body).length;
		return {
			...requested(payload), ...namesOf(model), base_url: url, api_call_count: step ?? 1, started_at: at / 1000,
			conversation_history: messages, message_count: messages.length, tool_count: tools.length,
			request_char_count: characters, approx_input_tokens: Math.ceil(characters / 4), max_tokens: body["max_tokens"] ?? body["max_completion_tokens"] ?? null,
		};
	},
	post_api_request: (payload) => {
		const { model, text, toolCalls, finish, at, durationMs, step, attempts } = payload;
		const message = asChatMessage({ role: "assistant", text, toolCalls });
		const response = { model, choices: [{ index: 0, message, finish_reason: finish }] };
		return { ...requestId(payload), ...namesOf(model), assistant_message: message, response, started_at: (at - durationMs) / 1000, ended_at: at / 1000, api_call_count: step ?? 1, retry_count: attempts - 1 };
	},
	api_request_error: (payload) => ({ ...requestId(payload), ...namesOf(payload.model), error_type: "error", error_message: payload.message, api_call_count: payload.step ?? 1 }),
	on_stream_delta: (payload) => ({ ...namesOf(payload.model), iteration: payload.step ?? 1 }),
	on_stream_end: (payload) => ({ ...namesOf(payload.model), iteration: payload.step ?? 1 }),
	// Whether they saw it while it came is the surface's to know.
	on_interim_message: (payload, asked) => ({ already_streamed: null, iteration: payload.step ?? 1, ...modelOf(payload, asked) }),
	on_session_finalize: () => ({ old_session_id: null, new_session_id: null }),
	subagent_start: (payload) => ({ parent_subagent_id: payload.parentSessionId === undefined ? null : payload.sessionId, child_subagent_id: payload.childSessionId }),
	subagent_stop: (payload, asked) => (asked.takes("tool_call_history") ? { tool_call_history: toolCallsIn(asked.conversations.historyOf(payload.childSessionId, payload.eventId)) } : {}),
	pre_gateway_dispatch: (payload) => {
		const { text, messageId = null, platform = "cli", userId = null, chatId = null, chatType = null, threadId = null } = payload;
		const source = { platform, user_id: userId, chat_id: chatId, chat_type: chatType, thread_id: threadId };
		return { event: { text, message_id: messageId, internal: false, source }, gateway: null, session_store: null };
	},
};

const historyOf = ({ sessionId, eventId }: Facts, { conversations }: Asked): readonly Message[] => (sessionId === undefined ? [] : conversations.historyOf(sessionId, eventId));

function withHistory(payload: Facts, asked: Asked, then: readonly Message[] = []): JsonObject {
	return asked.takes("conversation_history") ? { conversation_history: [...historyOf(payload, asked), ...then].map(asChatMessage) } : {};
}

function modelOf({ sessionId }: Facts, { conversations, takes }: Asked): JsonObject {
	if (!takes("model") && !takes("provider")) return {};
	return namesOf((sessionId === undefined ? undefined : conversations.modelOf(sessionId)) ?? "");
}

export const namesOf = (model: string): JsonObject => ({ model, provider: model.includes(":") ? model.slice(0, model.indexOf(":")) : "" });

/** The files that the turn under way wrote, each once, as its calls name them. */
function changedPaths(history: readonly Message[]): readonly string[] {
	const turn = history.slice(history.findLastIndex(({ role }) => role === "user") + 1);
	const paths = callsIn(turn).flatMap(({ name, args }) => ((name === "write_file" || name === "patch") && typeof args["path"] === "string" ? [args["path"]] : []));
	return [...new Set(paths)];
}

function toolCallsIn(history: readonly Message[]): readonly JsonObject[] {
	const results = new Map(history.flatMap((message) => (message.role === "tool" ? [[message.callId, message] as const] : [])));
	return callsIn(history).map(({ id, name, args, text }) => {
		const result = results.get(id);
		return { tool_name: name, tool_input: args, input_bytes: Buffer.byteLength(text), output_bytes: Buffer.byteLength(result?.text ?? ""), status: result?.isError === true ? "error" : "ok" };
	});
}

function callsIn(messages: readonly Message[]): readonly { readonly id: string; readonly name: string; readonly args: JsonObject; readonly text: string }[] {
	const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
	return calls.map(({ id, name, arguments: text }) => ({ id, name, args: objectIn(text), text }));
}

function objectIn(text: string): JsonObject {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
	} catch {
		return {};
	}
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
