// The author's view: four verbs. Calling one the wrong way does not compile; what types cannot see is refused when it is registered.
import type { ExtensionApi } from "./api.ts";
import type { EventsTaking, WrappableEvent } from "./catalog.ts";
import type { HookContext } from "./context.ts";
import type { GuardDecision, TransformDecision } from "./decision.ts";
import type { EventName, ObserveEvent, Payloads } from "./payloads/all.ts";
import type { Facts } from "./payloads/facts.ts";
import type { ToolResult } from "./payloads/tool.ts";
import type { HookOptions } from "./registration.ts";

export type TransformEvent = EventsTaking<"rewrite" | "inject" | "respond">;
export type GuardEvent = EventsTaking<"ask" | "allow" | "block">;
/** `tool.*`, `*`: all events of that family the verb can be used with. */
export type WildcardEvent = "*" | (EventName extends `${infer Family}.${string}` ? `${Family}.*` : never);

type Maybe<Answer> = Answer | undefined | void | Promise<Answer | undefined | void>;
type Answers<Decision> = Maybe<Decision | readonly Decision[]>;

export type TransformHandler<Name extends TransformEvent> = (payload: Payloads[Name], context: HookContext) => Answers<TransformDecision<Name>>;
export type GuardHandler<Name extends GuardEvent> = (payload: Payloads[Name], context: HookContext) => Maybe<GuardDecision<Name>>;
export type ObserveHandler<Payload> = (payload: Payload, context: HookContext) => unknown;

/** What the operation of an event gives, and so what a wrapper passes on. */
export interface OperationResults {
	"tool.calling": ToolResult;
	"model.calling": ModelAnswer;
}
/** A complete model answer, as wrappers of `model.calling` see it. */
export interface ModelAnswer {
	readonly text: string;
	readonly reasoning: string;
	readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
	readonly finish: "stop" | "tool-calls" | "length" | "content-filter" | "other";
	readonly usage: { readonly inputTokens?: number; readonly outputTokens?: number; readonly cachedTokens?: number; readonly cacheWriteTokens?: number };
	/** For the model alone, to be passed on with the answer. */
	readonly providerData?: { readonly [key: string]: unknown };
}
/** `next()` runs the operation, on exactly the value that was approved. It takes nothing, so nothing can be slipped in. */
export type WrapHandler<Name extends WrappableEvent> = (payload: Payloads[Name], next: () => Promise<OperationResults[Name]>, context: HookContext) => Maybe<OperationResults[Name]>;

/** How an extension registers its hooks. */
export interface Hooks {
	/** Runs before the guards, one after the other; may rewrite, inject, respond or block. */
	transform<Name extends TransformEvent>(event: Name, handler: TransformHandler<Name>): void;
	transform<Name extends TransformEvent>(event: Name, options: HookOptions, handler: TransformHandler<Name>): void;
	/** Judges the final value, all guards at once; may allow, ask or block. */
	guard<Name extends GuardEvent>(event: Name, handler: GuardHandler<Name>): void;
	guard<Name extends GuardEvent>(event: Name, options: HookOptions, handler: GuardHandler<Name>): void;
	/** Runs around the operation itself: to retry, cache, time or sandbox it. */
	wrap<Name extends WrappableEvent>(event: Name, handler: WrapHandler<Name>): void;
	wrap<Name extends WrappableEvent>(event: Name, options: HookOptions, handler: WrapHandler<Name>): void;
	/** Is told what has happened; nobody waits for it. */
	observe<Name extends ObserveEvent>(event: Name, handler: ObserveHandler<Payloads[Name]>): void;
	observe<Name extends ObserveEvent>(event: Name, options: HookOptions, handler: ObserveHandler<Payloads[Name]>): void;
	observe(event: WildcardEvent, handler: ObserveHandler<Facts & { readonly [field: string]: unknown }>): void;
	observe(event: WildcardEvent, options: HookOptions, handler: ObserveHandler<Facts & { readonly [field: string]: unknown }>): void;
}

/** Registers everything an extension has. It counts from the moment the factory has returned, all of it or nothing; hooks can be registered only until then. */
export type ExtensionFactory = (hooks: Hooks, hookline: ExtensionApi) => void | Promise<void>;

/** What an extension file exports as its default. */
export interface Extension {
	readonly hookline: 1;
	readonly factory: ExtensionFactory;
}

/** Makes the default export of an extension file. */
export function defineExtension(factory: ExtensionFactory): Extension {
	return { hookline: 1, factory };
}
