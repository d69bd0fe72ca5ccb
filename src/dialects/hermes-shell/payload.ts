// What a script reads on its standard input: one JSON document in the shape of Hermes Agent, with the facts of ours beside it.
import type { EventName, Payloads } from "../../events/payloads/all.ts";
import type { Facts, JsonObject } from "../../events/payloads/facts.ts";
import { shownArguments } from "./arguments.ts";

/** What stands elsewhere in the document, or says nothing to a script. */
const elsewhere = new Set(["eventId", "at", "surface", "cwd", "profile", "sessionId", "turnId", "platform", "userId", "chatId", "threadId", "chatType", "toolName", "callId"]);

/**
 * The document, its keys in the order Hermes has them. `written` is the event's name as the hook has it, `transcript` the absolute path of a file that holds
 * the conversation so far, where there is one.
 */
export function payloadOf(written: string, event: EventName, payload: Facts, transcript?: string): string {
	return JSON.stringify(documentOf(written, event, payload, transcript), stringified);
}

/** The same before it is written down. */
export function documentOf(written: string, event: EventName, payload: Facts, transcript?: string): JsonObject {
	const given = payload as Facts & { readonly toolName?: string; readonly args?: unknown };
	const { toolName, args } = given;
	return {
		hook_event_name: written,
		tool_name: toolName ?? null,
		tool_input: toolName !== undefined && isObject(args) ? shownArguments(toolName, args) : null,
		session_id: given.sessionId ?? given.parentSessionId ?? "",
		cwd: given.cwd,
		profile: given.profile,
		extra: fieldsOf(event, given),
		transcript_path: transcript ?? null,
		turn_id: given.turnId ?? null,
		surface: given.surface,
		platform: platformOf(given),
		user_id: given.userId ?? null,
		chat_id: given.chatId ?? null,
		thread_id: given.threadId ?? null,
		chat_type: given.chatType ?? null,
	};
}

/** What an event carries beside the tool and the session, under the names Hermes has for it and, where those are others, under ours. */
export function fieldsOf(event: EventName, payload: Facts): JsonObject {
	const { callId } = payload as { readonly callId?: string };
	return {
		telemetry_schema_version: "hermes.observer.v1",
		task_id: payload.sessionId ?? "",
		...(payload.turnId !== undefined && { turn_id: payload.turnId }),
		...(callId !== undefined && { tool_call_id: callId }),
		platform: platformOf(payload),
		...ownFields(payload),
		...(toTheirs[event] as ((payload: Facts) => object) | undefined)?.(payload),
	};
}

/** Hermes calls everything that is no messaging platform `cli`. */
const platformOf = ({ platform }: Facts) => platform ?? "cli";

const surfaceOf = ({ platform, surface }: Pick<Facts, "platform" | "surface">) => (platform === undefined && surface !== "gateway" ? "cli" : "gateway");

/** The fields of our own payload, their names as Python writes them. */
function ownFields(payload: Facts): JsonObject {
	const isShown = (name: string) => elsewhere.has(name) || (name === "args" && "toolName" in payload);
	return Object.fromEntries(Object.entries(payload).flatMap(([name, value]) => (isShown(name) ? [] : [[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]])));
}

/** Fields under the names Hermes has for them, its older ones included. Where both have a name for different things, theirs counts. */
const toTheirs: { readonly [Name in EventName]?: (payload: Payloads[Name]) => object } = {
	"tool.called": ({ result, durationMs, status, blockedBy }) => ({
		result: result.text,
		duration_ms: Math.round(durationMs),
		error_type: status === "ok" ? null : status,
		error_message: status === "ok" ? null : result.text,
		...(blockedBy !== undefined && { blocked_by: blockedBy }),
	}),
	"tool.returning": ({ result, durationMs, args }) => ({ arguments: args, result: result.text, is_error: result.isError, duration_ms: Math.round(durationMs), status: result.isError ? "error" : "ok" }),
	"tool.persisting": ({ result }) => ({ result: result.text, is_error: result.isError }),
	"terminal.returning": ({ exitCode = null, cwd, callId }) => ({ returncode: exitCode, exit_code: exitCode, cwd, env_type: "local", tool_call_id: callId }),
	"turn.starting": ({ text, first, userId, parentSessionId }) => ({ user_message: text, is_first_turn: first, sender_id: userId ?? null, parent_session_id: parentSessionId ?? null }),
	"turn.ended": ({ input, text, error, interrupted, completed, sessionId }) => ({ session_key: sessionId ?? "", reason: error ?? (interrupted ? "interrupted" : "completed"), invalidation_reason: null, user_message: input, assistant_response: text, failed: !completed && !interrupted, turn_exit_reason: error ?? (interrupted ? "interrupted" : "completed") }),
	"turn.answering": ({ text }) => ({ response_text: text }),
	"turn.ending": ({ text, continuations, toolNames }) => ({ final_response: text, attempt: continuations, coding: toolNames.some((name) => name === "write_file" || name === "patch") }),
	"model.requesting": ({ body }) => ({ request: body, request_messages: body["messages"] ?? null }),
	"model.calling": ({ messages }) => ({ conversation_history: messages.map(({ role, text }) => ({ role, content: text })), user_message: messages.findLast(({ role }) => role === "user")?.text ?? "" }),
	"model.called": ({ text, finish, durationMs, toolCalls, model, usage }) => ({
		api_duration: durationMs / 1000,
		finish_reason: finish,
		response_model: model,
		usage: { input_tokens: usage.inputTokens ?? null, output_tokens: usage.outputTokens ?? null },
		assistant_content_chars: text.length,
		assistant_tool_call_count: toolCalls.length,
		final_text: text,
		finished: true,
		error: null,
	}),
	"model.failed": ({ status, attempt, willRetry, message }) => ({ status_code: status ?? null, retry_count: attempt - 1, retryable: willRetry, reason: message, error: { message } }),
	"model.streamed": ({ channel }) => ({ kind: channel }),
	"session.reset": ({ previousSessionId, sessionId }) => ({ old_session_id: previousSessionId, new_session_id: sessionId }),
	"subagent.started": ({ sessionId, turnId, goal }) => ({ parent_session_id: sessionId, parent_turn_id: turnId, child_role: null, child_goal: goal }),
	"subagent.stopped": ({ sessionId, turnId, goal, status, summary, durationMs }) => ({ parent_session_id: sessionId, parent_turn_id: turnId, child_role: null, child_goal: goal, child_summary: summary, child_status: status, duration_ms: Math.round(durationMs) }),
	"command.running": ({ name, args, ...facts }) => ({ surface: surfaceOf(facts), command: name, alias_used: name, args_raw: args, raw_args: args, raw_command: `/${name}${args === "" ? "" : ` ${args}`}`, session_key: facts.sessionId ?? "" }),
	"message.receiving": ({ text, userId, chatId }) => ({ user_message: text, sender_id: userId ?? null, chat_id: chatId ?? null }),
	"input.receiving": ({ text }) => ({ user_message: text }),
	"approval.requested": (payload) => ({ surface: surfaceOf(payload) }),
	"approval.resolved": (payload) => ({ surface: surfaceOf(payload) }),
};

/** What JSON cannot hold becomes text instead of being left out. */
export function stringified(_: string, value: unknown): unknown {
	return typeof value === "bigint" || typeof value === "function" || typeof value === "symbol" ? String(value) : value;
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
