// Middleware of plugins: the two kinds that rewrite a request are transforms, the two that run around an operation are wrappers.
import type { HookContext } from "../../events/context.ts";
import { rewrite } from "../../events/decision.ts";
import { HookFailure } from "../../events/failure.ts";
import type { ModelAnswer } from "../../events/hooks.ts";
import type { Payloads } from "../../events/payloads/all.ts";
import type { Facts, JsonObject } from "../../events/payloads/facts.ts";
import type { ToolResult } from "../../events/payloads/tool.ts";
import { type HookDefinition, maxTimeoutMs } from "../../events/registration.ts";
import type { LoadedUnit } from "../../hosts/python/unit.ts";
import { asChatMessage } from "../chat-messages.ts";
import { replacedArguments, shownArguments } from "../hermes-shell/arguments.ts";
import { namesOf, requestId } from "./arguments.ts";
import { isObject } from "./decisions.ts";
import type { NextCalls } from "./next-calls.ts";
import type { RegisteredAround } from "./registered.ts";

export interface AroundOptions {
	readonly nextCalls: NextCalls;
}

type Partly = Pick<HookDefinition, "event" | "stage" | "handler">;

export function aroundDefinition({ middleware, name }: RegisteredAround, id: number, loaded: LoadedUnit, { nextCalls }: AroundOptions): Partly {
	const call = async (payload: Facts, given: JsonObject, signal: AbortSignal, number: string | null = null, timeoutMs = maxTimeoutMs) =>
		loaded.call(id, { payload: { middleware, name, arguments: { ...factsOf(payload), ...given }, session_id: payload.sessionId ?? "", turn_id: payload.turnId ?? null, call: number }, timeoutMs, signal });
	/** The engine measures the callback's own time, without that of the operation, and calls it off. */
	const around = (payload: Facts, given: JsonObject, signal: AbortSignal, next: () => Promise<JsonObject | string>) => nextCalls.during(loaded.name, next, (number) => call(payload, given, signal, number, longest));
	switch (middleware) {
		case "tool_request":
			return { event: "tool.calling", stage: "transform", handler: async (payload: Payloads["tool.calling"], { signal }: HookContext) => newArguments(payload, await call(payload, aboutTool(payload), signal)) };
		case "llm_request":
			return { event: "model.requesting", stage: "transform", handler: async (payload: Payloads["model.requesting"], { signal }: HookContext) => newRequest(payload, await call(payload, { request: payload.body, original_request: payload.body, ...namesOf(payload.model), base_url: payload.url }, signal)) };
		case "tool_execution":
			return {
				event: "tool.calling",
				stage: "wrap",
				handler: async (payload: Payloads["tool.calling"], next: () => Promise<ToolResult>, { signal }: HookContext) => {
					let inner: ToolResult | undefined;
					return resultOf(await around(payload, aboutTool(payload), signal, async () => (inner = await next()).text), () => inner);
				},
			};
		case "llm_execution":
			return {
				event: "model.calling",
				stage: "wrap",
				handler: async (payload: Payloads["model.calling"], next: () => Promise<ModelAnswer>, { signal }: HookContext) => {
					let inner: ModelAnswer | undefined;
					const request = { model: payload.model, messages: payload.messages.map(asChatMessage), tools: payload.toolNames };
					return answerOf(await around(payload, { request, original_request: request, ...namesOf(payload.model) }, signal, async () => shownAnswer((inner = await next()))), () => inner);
				},
			};
	}
}

/** What a timer can hold, in ms. */
const longest = 2 ** 31 - 1;

const factsOf = (payload: Facts): JsonObject => {
	const { sessionId = "", turnId, platform = "cli", cwd, step } = payload;
	return { middleware_schema_version: "hermes.middleware.v1", session_id: sessionId, task_id: sessionId, turn_id: turnId ?? "", platform, cwd, api_call_count: step ?? 1, ...requestId(payload) };
};

function aboutTool({ toolName, args, callId }: Payloads["tool.calling"]): JsonObject {
	const shown = shownArguments(toolName, args);
	return { tool_name: toolName, args: shown, original_args: shown, tool_call_id: callId };
}

function newArguments({ toolName, args }: Payloads["tool.calling"], answer: unknown): unknown {
	const given = isObject(answer) ? answer["args"] : undefined;
	const changed = isObject(given) ? replacedArguments(toolName, args, given) : undefined;
	return changed === undefined ? undefined : rewrite(changed);
}

function newRequest({ body, headers }: Payloads["model.requesting"], answer: unknown): unknown {
	const given = isObject(answer) ? (answer["request"] ?? answer["args"]) : undefined;
	if (!isObject(given) || JSON.stringify(given) === JSON.stringify(body)) return undefined;
	// In Hermes a request is what its client takes, which puts these two where they belong.
	const { extra_headers: more, extra_body: beside, ...rest } = given;
	const named = isObject(more) ? Object.entries(more).map(([name, value]) => [name.toLowerCase(), String(value)]) : [];
	return rewrite({ body: { ...rest, ...(isObject(beside) && beside) }, ...(named.length > 0 && { headers: { ...headers, ...Object.fromEntries(named) } }) });
}

/** As the Python part gives it: what the callback returned, or that it refused. */
interface Ran {
	readonly result?: unknown;
	readonly raised?: string;
	readonly blocked?: { readonly reason?: unknown };
}

const refusalOf = ({ blocked }: Ran): string | undefined => (blocked === undefined || blocked === null ? undefined : typeof blocked.reason === "string" && blocked.reason.trim() !== "" ? blocked.reason : "Blocked by a plugin that gave no reason.");

/** Undefined leaves the operation's own result as it is. */
function resultOf(answer: unknown, inner: () => ToolResult | undefined): ToolResult | undefined {
	const ran = (isObject(answer) ? answer : {}) as Ran;
	const refusal = refusalOf(ran);
	if (refusal !== undefined) return { text: refusal, isError: true };
	const { result, raised } = ran;
	const before = inner();
	if (raised !== undefined || result === undefined || result === null || result === before?.text) return before;
	const text = typeof result === "string" ? result : JSON.stringify(result);
	return before === undefined ? { text, isError: false } : { ...before, text };
}

function answerOf(answer: unknown, inner: () => ModelAnswer | undefined): ModelAnswer | undefined {
	const ran = (isObject(answer) ? answer : {}) as Ran;
	const refusal = refusalOf(ran);
	const none: ModelAnswer = { text: "", reasoning: "", toolCalls: [], finish: "stop", usage: {} };
	// The one way in which a wrapper stops a call: its reason is the answer.
	if (refusal !== undefined) return { ...none, text: refusal };
	const { result, raised } = ran;
	const before = inner();
	if (raised !== undefined || result === undefined || result === null || (before !== undefined && JSON.stringify(result) === JSON.stringify(shownAnswer(before)))) return before;
	if (typeof result === "string") return { ...(before ?? none), text: result };
	const { text, tool_calls: calls } = (isObject(result) ? result : {}) as { readonly text?: unknown; readonly tool_calls?: unknown };
	const toolCalls = calls === undefined || calls === null ? undefined : callsIn(calls);
	return { ...(before ?? none), ...(typeof text === "string" && { text }), ...(toolCalls && { toolCalls }) };
}

function callsIn(calls: unknown): ModelAnswer["toolCalls"] {
	const isCall = (call: unknown) => isObject(call) && ["id", "name", "arguments"].every((field) => typeof call[field] === "string");
	if (!Array.isArray(calls) || !calls.every(isCall)) throw new HookFailure("bad-answer", "gave 'tool_calls' that are no list of {id, name, arguments}, the arguments a JSON text");
	return (calls as ModelAnswer["toolCalls"]).map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
}

const shownAnswer = ({ text, reasoning, toolCalls, finish, usage }: ModelAnswer): JsonObject => ({
	text, reasoning,
	tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given })),
	finish_reason: finish,
	usage: { input_tokens: usage.inputTokens ?? null, output_tokens: usage.outputTokens ?? null },
});
