// An agent to measure: real parts, a real store, a tool that does nothing, and conversations as long as they are wanted.
import { Conversation } from "../src/agent/conversation.ts";
import { Models } from "../src/agent/models.ts";
import { type AgentParts, defaultLimits } from "../src/agent/parts.ts";
import { createEngine } from "../src/engine/engine.ts";
import type { Message } from "../src/events/payloads/model.ts";
import type { Model } from "../src/models/model.ts";
import { newSessionId, type SessionRecord } from "../src/stores/sessions.ts";
import type { Store } from "../src/stores/store.ts";
import type { Tool } from "../src/tools/tool.ts";
import { define } from "./handlers.ts";

export const noop: Tool = {
	name: "noop",
	description: "Does nothing.",
	parameters: { type: "object", properties: {}, additionalProperties: false },
	run: () => Promise.resolve({ text: "done", isError: false }),
};
export const stepsInTurn = 10;
/** As an extension that guards, redacts and logs would have them: each step passes seven, each turn all. */
const tenHooks = [
	define("input.receiving", "guard", () => undefined),
	define("turn.starting", "transform", () => undefined),
	define("model.calling", "guard", () => undefined),
	define("tool.calling", "transform", () => undefined),
	define("tool.calling", "guard", () => undefined),
	define("tool.calling", "guard", () => undefined, { tool: ["terminal", "write_*"] }),
	define("tool.returning", "transform", () => undefined),
	define("tool.called", "observe", () => undefined),
	define("step.ended", "observe", () => undefined),
	define("turn.ended", "observe", () => undefined),
] as const;
const silent = { delta: () => {}, discard: () => {}, message: () => {} };

/** With so many of ten hooks. */
export function partsFor(model: Model, store: Store, hooks: number): AgentParts {
	const engine = createEngine({ trace: { sink: store.trace } });
	engine.register(tenHooks.slice(0, hooks));
	const warn = (message: string) => console.error(message);
	const models = new Models({ first: model, fixed: true, fallbacks: [], open: () => model, list: () => [], noteOn: () => undefined });
	return { engine, models, model, tools: [noop], store, home: place.cwd, output: silent, limits: { ...defaultLimits, maxSteps: stepsInTurn }, warn };
}

/** A conversation as it goes: question, call, result, answer; 300 bytes a message. */
export function history(length: number): readonly Message[] {
	const text = "The quick brown fox jumps over the lazy dog. ".repeat(6);
	return Array.from({ length }, (_, i): Message => {
		const callId = `call_${i - (i % 4)}`;
		switch (i % 4) {
			case 0:
				return { role: "user", text };
			case 1:
				return { role: "assistant", text: "", toolCalls: [{ id: callId, name: "noop", arguments: "{}" }] };
			case 2:
				return { role: "tool", callId, name: "noop", text };
			default:
				return { role: "assistant", text };
		}
	});
}

export const place = { cwd: "/", surface: "run", profile: "default" } as const;

/** A stored session with so many messages. */
export function storedSession({ sessions }: Store, length: number): SessionRecord {
	const { id } = sessions.create({ id: newSessionId(Date.now()), cwd: "/", model: "rehearsal", surface: "run", systemPrompt: "Be brief.", tools: "[]" });
	const messages = history(length);
	for (let at = 0; at < length; at += 1000) sessions.append(id, messages.slice(at, at + 1000));
	return sessions.get(id)!;
}

/** A conversation with so many messages before it. */
export function resumed(parts: AgentParts, length: number): Promise<Conversation> {
	return Conversation.open(parts, place, [], storedSession(parts.store, length));
}
