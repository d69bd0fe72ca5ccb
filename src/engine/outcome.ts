// What the engine makes of all decisions of one dispatch.
import type { InjectAs } from "../events/catalog.ts";
import type { InterceptEvent, Payloads } from "../events/payloads/all.ts";
import type { Cause, JsonObject } from "../events/payloads/facts.ts";

/** Text a hook adds for the model. */
export interface Injection {
	readonly text: string;
	readonly as: InjectAs;
	readonly by: string;
}

/** It may happen, with exactly this payload. The proof that every guard saw it: `perform` runs nothing without one. */
export interface Go<Name extends InterceptEvent = InterceptEvent> {
	readonly kind: "go";
	/** Final, validated, frozen. */
	readonly payload: Payloads[Name];
	readonly injections: readonly Injection[];
	readonly metadata: JsonObject;
	/** The hook that explicitly allowed it, when none asked and one did. */
	readonly allowedBy?: string;
	/** When a person approved it: whose answer it was, bound to the SHA-256 of the value. */
	readonly approval?: { readonly by: string; readonly digest: string };
}

/** It must not happen. Every event can end like this, because a closed hook can fail anywhere. */
export interface Blocked {
	readonly kind: "blocked";
	/** For the model or the person; names the hook when it failed. */
	readonly reason: string;
	/** A hook's id, or `person`, `engine`. */
	readonly by: string;
	/** A `decision` of a hook, its `failure`, a person who `denied`, a turn that was `interrupted`, hooks that call each other `too-deep`. */
	readonly cause: "decision" | "failure" | "denied" | "interrupted" | "too-deep";
}

/** A hook answered in the agent's place. */
export interface Responded {
	readonly kind: "responded";
	readonly text: string;
	readonly by: string;
}

export type Outcome<Name extends InterceptEvent = InterceptEvent> = Go<Name> | Blocked | Responded;

/** A question to a person. Every reason names the hook that asked. */
export interface ApprovalQuestion {
	readonly event: InterceptEvent;
	/** The final payload, after all rewrites. */
	readonly payload: Payloads[InterceptEvent];
	/** The value the answer is bound to: for a tool call its arguments. */
	readonly value: unknown;
	readonly reasons: readonly { readonly hook: string; readonly reason: string }[];
	readonly digest: string;
	/** Aborted when the turn is stopped. */
	readonly signal: AbortSignal;
}

/** `by` says who: `person`, or why nobody answered. */
export type ApprovalAnswer =
	/** `remember` is a wish of the person; the engine's own approval is for this once. */
	| { readonly approved: true; readonly by: string; readonly remember?: "session" | "always" }
	| { readonly approved: false; readonly by: string; readonly reason: string };

export interface DispatchOptions {
	/** The user's stop: pending handlers end at once and the outcome is `interrupted`. */
	readonly signal?: AbortSignal;
	/** Checks a rewritten field on top of the catalog's shape; gives the mistake as a sentence. */
	readonly validate?: (field: string, value: unknown) => string | undefined;
	/** Asks a person. Without it every `ask` is a no. */
	readonly ask?: (question: ApprovalQuestion) => Promise<ApprovalAnswer>;
	/** From the context of the handler that fires this event, when it is fired after an await. */
	readonly cause?: Cause;
}
