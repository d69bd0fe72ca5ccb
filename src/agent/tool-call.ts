// The road of one tool call: prepare → judge → execute → hand back. Each step's result says what the next one needs.
import { OperationBlocked } from "../engine/engine.ts";
import type { Go } from "../engine/outcome.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { ToolCallRequest } from "../events/payloads/model.ts";
import type { ToolResult } from "../events/payloads/tool.ts";
import { orAborted } from "../system/abort.ts";
import { didYouMean } from "../system/nearest.ts";
import { copyPlain } from "../system/plain.ts";
import { checkArguments } from "../tools/schema.ts";
import type { Tool } from "../tools/tool.ts";
import { type Ask, askPerson, askWithYes, parkQuestion, tellResolved } from "./approval.ts";
import { inParallel } from "./parallel.ts";
import type { ParkedCall } from "./parked.ts";
import { interruptedResult, type Session } from "./session.ts";
import { contextOf } from "./spill.ts";
import type { ApprovalAnswer } from "./surface.ts";
import { toolContextFor } from "./tool-context.ts";

/** A call that may run, with the arguments that were judged; or one that is over before it began. */
type Judged = { readonly request: ToolCallRequest; readonly tool: Tool; readonly go: Go<"tool.calling"> } | Refused;
interface Refused {
	readonly request: ToolCallRequest;
	readonly args: JsonObject;
	readonly result: ToolResult;
	readonly blockedBy?: string;
}
interface Executed {
	readonly request: ToolCallRequest;
	readonly args: JsonObject;
	readonly result: ToolResult;
	readonly durationMs: number;
	readonly blockedBy?: string;
}

/** Takes a call that a person is asked about. It has no result then, and stays open. */
export type Park = (call: ParkedCall) => void;

/** A call that was parked, and what the person said. */
export interface AnsweredCall {
	readonly request: ToolCallRequest;
	readonly call: ParkedCall;
	readonly answer: ApprovalAnswer;
}

/**
 * Runs the calls of one model answer and adds their results to the conversation, in the order of the calls: hooks one call after the other,
 * then the tools together.
 */
export async function runToolCalls(session: Session, calls: readonly ToolCallRequest[], signal: AbortSignal, park?: Park): Promise<void> {
	const judged: Judged[] = [];
	for (const call of calls) {
		const one = park === undefined ? await judge(session, call, signal, askPerson(session)) : await judgeOrPark(session, call, signal, park);
		if (one !== undefined) judged.push(one);
	}
	await runJudged(session, judged, signal);
}

/** Lets parked calls go on: refused, or on the whole road again, on which the yes counts for nothing but what was asked. */
export async function runAnsweredCalls(session: Session, answered: readonly AnsweredCall[], signal: AbortSignal, park: Park): Promise<void> {
	const judged: Judged[] = [];
	for (const { request, call, answer } of answered) {
		tellResolved(session, call, answer);
		const one = answer.approved ? await judgeOrPark(session, request, signal, park, { call, yes: answer }) : { request, args: call.args as JsonObject, ...refusal(answer.reason, answer.by) };
		if (one !== undefined) judged.push(one);
	}
	await runJudged(session, judged, signal);
}

async function runJudged(session: Session, judged: readonly Judged[], signal: AbortSignal): Promise<void> {
	const running = inParallel(judged, session.parts.limits.maxParallelTools, (call) => execute(session, call, signal));
	for (const execution of running) await handBack(session, await execution, signal);
}

/** Runs a call that no model made: on the same road, but neither it nor its result joins the conversation. No turn could wait for an answer about it. */
export async function runToolCall(session: Session, call: ToolCallRequest, signal: AbortSignal): Promise<ToolResult> {
	const executed = await execute(session, await judge(session, call, signal, askPerson(session)), signal);
	const result = await returned(session, executed, signal);
	tellCalled(session, executed, result);
	return result;
}

/** The tool and the arguments the model means, or what is wrong with them, said so that the model can mend it. */
function prepare(session: Session, request: ToolCallRequest): { readonly tool: Tool; readonly args: JsonObject } | { readonly mistake: string; readonly args: JsonObject } {
	const tools = session.toolset;
	const tool = tools.find(({ name }) => name === request.name);
	if (tool === undefined) {
		const names = tools.map(({ name }) => name);
		return { mistake: `There is no tool '${request.name}'.${didYouMean(request.name, names)} The tools are ${names.join(", ")}.`, args: {} };
	}
	let args: unknown;
	try {
		args = copyPlain(request.arguments.trim() === "" ? {} : JSON.parse(request.arguments), "arguments");
	} catch (error) {
		return { mistake: `The arguments of ${request.name} cannot be read: ${error instanceof Error ? error.message : String(error)}. Send one JSON object.`, args: {} };
	}
	const mistake = checkArguments(tool, args);
	return mistake === undefined ? { tool, args: args as JsonObject } : { mistake, args: typeof args === "object" && args !== null && !Array.isArray(args) ? (args as JsonObject) : {} };
}

/** Undefined for a call that was parked. */
async function judgeOrPark(session: Session, request: ToolCallRequest, signal: AbortSignal, park: Park, given?: { readonly call: ParkedCall; readonly yes: ApprovalAnswer & { readonly approved: true } }): Promise<Judged | undefined> {
	let isParked = false;
	const parking = parkQuestion(session, request.id, (call) => {
		isParked = true;
		park(call);
	}, given && true);
	const judged = await judge(session, request, signal, given === undefined ? parking : askWithYes(session, given.call, given.yes, parking));
	return isParked && !signal.aborted ? undefined : judged;
}

async function judge(session: Session, request: ToolCallRequest, signal: AbortSignal, ask: Ask): Promise<Judged> {
	const prepared = prepare(session, request);
	if ("mistake" in prepared) return { request, args: prepared.args, result: { text: prepared.mistake, isError: true } };
	const { tool, args } = prepared;
	if (signal.aborted) return { request, args, result: { text: interruptedResult, isError: true } };
	const outcome = await session.parts.engine.dispatch(
		"tool.calling",
		{ ...session.facts(), toolName: tool.name, callId: request.id, args },
		{ signal, validate: (_, value) => checkArguments(tool, value), ask },
	);
	if (outcome.kind === "go") return { request, tool, go: outcome };
	if (outcome.kind === "responded") return { request, args, result: { text: outcome.text, isError: false } };
	return { request, args, ...refusal(outcome.reason, outcome.by) };
}

function refusal(reason: string, by: string): { readonly result: ToolResult; readonly blockedBy: string } {
	return { result: { text: `[Blocked by ${by}] ${reason}`, isError: true, details: { blockedBy: by } }, blockedBy: by };
}

async function execute(session: Session, call: Judged, signal: AbortSignal): Promise<Executed> {
	if (!("go" in call)) return { ...call, durationMs: 0 };
	const { request, tool, go } = call;
	const { args } = go.payload;
	const began = performance.now();
	const done = (result: ToolResult, blockedBy?: string): Executed => ({ request, args, result, durationMs: performance.now() - began, ...(blockedBy !== undefined && { blockedBy }) });
	if (signal.aborted) return done({ text: interruptedResult, isError: true });
	try {
		// A tool that does not heed the stop must not hold up the person who asked for it.
		const run = session.parts.engine.perform("tool.calling", go, (payload) => tool.run(payload.args, toolContextFor(session, request.id, signal)), { signal, check: resultMistake });
		return done(withInjections(session, await orAborted(run, signal), go));
	} catch (error) {
		if (error instanceof OperationBlocked) {
			const { result, blockedBy } = refusal(error.outcome.reason, error.outcome.by);
			return done(result, blockedBy);
		}
		if (signal.aborted) return done({ text: interruptedResult, isError: true });
		return done({ text: `The tool ${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`, isError: true });
	}
}

function withInjections({ parts }: Session, result: ToolResult, { injections }: { readonly injections: Go["injections"] }): ToolResult {
	return injections.length === 0 ? result : { ...result, text: `${result.text}\n\n${contextOf(parts, injections)}` };
}

function resultMistake(result: unknown): string | undefined {
	const { text, isError } = (typeof result === "object" && result !== null ? result : {}) as Partial<ToolResult>;
	return typeof text === "string" && typeof isError === "boolean" ? undefined : "a result that is no tool result (a text and isError)";
}

/** Takes a result to the model, to the store and to the observers. Results of blocked calls are ours and go unchanged. */
async function handBack(session: Session, executed: Executed, signal: AbortSignal): Promise<void> {
	const { engine } = session.parts;
	const { request } = executed;
	const result = await returned(session, executed, signal);
	let stored = result;
	if (engine.has("tool.persisting")) {
		const outcome = await engine.dispatch("tool.persisting", { ...factsOf(session, executed), result }, { signal });
		stored = outcome.kind === "go" ? outcome.payload.result : withheld(outcome.kind === "blocked" ? outcome.reason : outcome.text);
	}
	const message = ({ text, isError }: ToolResult) => ({ role: "tool", callId: request.id, name: request.name, text, ...(isError && { isError }) }) as const;
	session.append(message(result), message(stored));
	tellCalled(session, executed, result);
}

const factsOf = (session: Session, { request, args }: Executed) => ({ ...session.facts(), toolName: request.name, callId: request.id, args });

/** The result as the hooks leave it. */
async function returned(session: Session, executed: Executed, signal: AbortSignal): Promise<ToolResult> {
	const { engine } = session.parts;
	const { result, durationMs } = executed;
	if (!engine.has("tool.returning")) return result;
	const outcome = await engine.dispatch("tool.returning", { ...factsOf(session, executed), result, durationMs }, { signal });
	return outcome.kind === "go" ? withInjections(session, outcome.payload.result, outcome) : withheld(outcome.kind === "blocked" ? outcome.reason : outcome.text);
}

function tellCalled(session: Session, executed: Executed, result: ToolResult): void {
	const { engine } = session.parts;
	if (!engine.has("tool.called")) return;
	const { durationMs, blockedBy } = executed;
	const status = blockedBy !== undefined ? "blocked" : result.isError ? "error" : "ok";
	engine.tell("tool.called", { ...factsOf(session, executed), status, result, durationMs, ...(blockedBy !== undefined && { blockedBy }) });
}

const withheld = (reason: string): ToolResult => ({ text: `[The result was withheld: ${reason}]`, isError: true });
