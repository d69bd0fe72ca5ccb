// Hooks and payloads in a line each, for every test that goes through the engine's door.
import { createEngine, type Engine, type EngineOptions } from "../src/engine/engine.ts";
import type { Outcome } from "../src/engine/outcome.ts";
import type { Stage, WrappableEvent } from "../src/events/catalog.ts";
import type { HookContext } from "../src/events/context.ts";
import type { InterceptEvent, ObserveEvent, Payloads } from "../src/events/payloads/all.ts";
import type { InputReceiving, TurnStarting } from "../src/events/payloads/conversation.ts";
import type { Facts, JsonObject } from "../src/events/payloads/facts.ts";
import type { ModelCalling } from "../src/events/payloads/model.ts";
import type { ToolCalled, ToolCalling } from "../src/events/payloads/tool.ts";
import type { HookDefinition, HookOptions, Source } from "../src/events/registration.ts";
import { newId } from "../src/system/ids.ts";

/** The options an author gives, and where the hook comes from. */
export interface More extends HookOptions {
	readonly extension?: string;
	readonly trust?: Source["trust"];
	readonly rank?: number;
	readonly judges?: boolean;
}

/** Handlers give `unknown`: what a test hands back is often exactly what the types forbid. */
type Handler<Payload> = (payload: Payload, context: HookContext) => unknown;

export function hook(event: string, stage: Stage, handler: HookDefinition["handler"], { extension = "test", trust = "user", rank = 0, judges = false, ...options }: More = {}): HookDefinition {
	return { event, stage, handler, options, source: { extension, trust, dialect: "native", rank }, host: "inline", judges };
}

export const transform = <Name extends InterceptEvent>(event: Name, handler: Handler<Payloads[Name]>, more?: More): HookDefinition => hook(event, "transform", handler, more);
export const guard = <Name extends InterceptEvent>(event: Name, handler: Handler<Payloads[Name]>, more?: More): HookDefinition => hook(event, "guard", handler, more);
export const wrap = <Name extends WrappableEvent>(event: Name, handler: (payload: Payloads[Name], next: () => Promise<unknown>, context: HookContext) => unknown, more?: More): HookDefinition =>
	hook(event, "wrap", handler, more);
export const observe = <Name extends ObserveEvent>(event: Name, handler: Handler<Payloads[Name]>, more?: More): HookDefinition => hook(event, "observe", handler, more);

export function engineWith(definitions: readonly HookDefinition[], options?: EngineOptions): Engine {
	const engine = createEngine(options);
	engine.register(definitions);
	return engine;
}

export function facts(more: Partial<Facts> = {}): Facts {
	return { eventId: newId("e"), at: Date.now(), surface: "test", cwd: "/", profile: "default", sessionId: "s1", turnId: "t1", ...more };
}

export const toolCall = (args: JsonObject = { command: "ls" }, more: Partial<ToolCalling> = {}): ToolCalling => ({ ...facts(), step: 1, toolName: "terminal", callId: "c1", args, ...more });
export const toolCalled = (more: Partial<ToolCalled> = {}): ToolCalled => ({ ...toolCall(), status: "ok", result: { text: "done", isError: false }, durationMs: 1, ...more });
export const input = (text = "hello", more: Partial<InputReceiving> = {}): InputReceiving => ({ ...facts(), text, origin: "typed", ...more });
export const turnStart = (systemPrompt = "Be brief."): TurnStarting => ({ ...facts(), text: "hello", systemPrompt, model: "rehearsal", first: true });
export const modelCall = (): ModelCalling => ({ ...facts(), model: "rehearsal", messages: [{ role: "user", text: "hello" }], toolNames: [] });

/** An outcome in a line: `go`, `blocked by test/a (decision): no`. */
export function inWords(outcome: Outcome): string {
	switch (outcome.kind) {
		case "go":
			return outcome.approval ? `go, approved by ${outcome.approval.by}` : outcome.allowedBy === undefined ? "go" : `go, allowed by ${outcome.allowedBy}`;
		case "blocked":
			return `blocked by ${outcome.by} (${outcome.cause}): ${outcome.reason}`;
		case "responded":
			return `responded by ${outcome.by}: ${outcome.text}`;
	}
}

/** The command a tool call would run with. Fails the test when it may not run. */
export function commandOf(outcome: Outcome<"tool.calling">): unknown {
	if (outcome.kind !== "go") throw new Error(`it did not go ahead: ${inWords(outcome)}`);
	return outcome.payload.args["command"];
}

/** A promise that nothing settles: what a hanging handler returns. */
export const never = (): Promise<never> => new Promise(() => {});
