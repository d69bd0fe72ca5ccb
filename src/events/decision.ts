// What a handler may answer. A handler that returns nothing passes.
import type { DecisionsOf, InjectAs, RewriteOf } from "./catalog.ts";
import type { InterceptEvent } from "./payloads/all.ts";
import type { JsonObject } from "./payloads/facts.ts";

/** Notes for the hooks that run later in the same dispatch; plain data. */
export interface WithMetadata {
	readonly metadata?: JsonObject;
}

export interface Pass extends WithMetadata {
	readonly kind: "pass";
}
export interface Rewrite<Value> extends WithMetadata {
	readonly kind: "rewrite";
	readonly value: Value;
	readonly reason?: string;
}
export interface Inject extends WithMetadata {
	readonly kind: "inject";
	readonly text: string;
	readonly as?: InjectAs;
}
export interface Respond extends WithMetadata {
	readonly kind: "respond";
	readonly text: string;
}
export interface Ask extends WithMetadata {
	readonly kind: "ask";
	readonly reason: string;
}
export interface Allow extends WithMetadata {
	readonly kind: "allow";
	readonly reason?: string;
}
export interface Block extends WithMetadata {
	readonly kind: "block";
	readonly reason: string;
}

/** Any decision, as the engine reads it. */
export type Decision = Pass | Rewrite<unknown> | Inject | Respond | Ask | Allow | Block;

interface DecisionTypes<Value> {
	rewrite: Rewrite<Value>;
	inject: Inject;
	respond: Respond;
	ask: Ask;
	allow: Allow;
	block: Block;
}

/** What a transform of this event may answer. */
export type TransformDecision<Name extends InterceptEvent> =
	| Pass
	| DecisionTypes<RewriteOf<Name>>[Extract<DecisionsOf<Name>, "rewrite" | "inject" | "respond" | "block">];
/** What a guard of this event may answer. */
export type GuardDecision<Name extends InterceptEvent> = Pass | DecisionTypes<never>[Extract<DecisionsOf<Name>, "ask" | "allow" | "block">];

/** No opinion, but notes for later hooks. Returning nothing is the same without notes. */
export const pass = (metadata?: JsonObject): Pass => (metadata ? { kind: "pass", metadata } : { kind: "pass" });

/** Replace the value. It is validated before anybody else sees it, and every guard judges the new value. */
export const rewrite = <Value>(value: Value, more: { readonly reason?: string; readonly metadata?: JsonObject } = {}): Rewrite<Value> => ({ kind: "rewrite", value, ...more });

/** Add text for the model. It is marked as coming from this hook. */
export const inject = (text: string, as?: InjectAs): Inject => (as ? { kind: "inject", text, as } : { kind: "inject", text });

/** Answer in the agent's place; nothing further happens with the input. */
export const respond = (text: string): Respond => ({ kind: "respond", text });

/** Let a person decide, shown the final value. Nobody there means no. */
export const ask = (reason: string): Ask => ({ kind: "ask", reason });

/** No objection. Weaker than `ask` and `block`, whoever answers them. */
export const allow = (reason?: string): Allow => (reason === undefined ? { kind: "allow" } : { kind: "allow", reason });

/** Stop it. The reason is told to the model or the person, and names this hook. */
export const block = (reason: string): Block => ({ kind: "block", reason });
