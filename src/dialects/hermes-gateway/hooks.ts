// The hooks of one handler, whatever language it is written in: it is called as Hermes calls it, and what it answers counts for commands alone.
import type { HookContext } from "../../events/context.ts";
import type { Payloads } from "../../events/payloads/all.ts";
import type { Facts } from "../../events/payloads/facts.ts";
import { type HookOptions, maxTimeoutMs } from "../../events/registration.ts";
import { isMeant, type Subscription } from "./events.ts";
import { inOrder } from "./in-order.ts";
import { type Called, calling, decisionIn } from "./wire.ts";

/** Calls the user's `handle`. */
export type Handle = (called: Called, context: HookContext, timeoutMs: number) => Promise<unknown>;

export interface HandlerHook {
	readonly subscription: Subscription;
	readonly stage: "transform" | "observe";
	readonly options: HookOptions;
	readonly handler: (payload: Facts, context: HookContext) => Promise<unknown> | undefined;
}

/** Hermes lets a handler take for ever. A command waits for its handlers; for what has happened nobody waits. */
const commandMs = 30_000;

export function hooksOf(subscriptions: readonly Subscription[], handle: Handle): readonly HandlerHook[] {
	const oneByOne = inOrder();
	return subscriptions.map((subscription) => {
		const { theirs, name } = subscription;
		const called = calling(subscription);
		if (theirs === "command") {
			const handler = async (payload: Facts, context: HookContext) => {
				const answer = await handle(called(payload), context, commandMs);
				return decisionIn(answer, payload as Payloads["command.running"], (message) => context.log(message));
			};
			return { subscription, stage: "transform", options: { ...(name && { name }), timeoutMs: commandMs, onError: "open" }, handler: (payload, context) => (isMeant(subscription, payload) ? handler(payload, context) : undefined) };
		}
		const handler = (payload: Facts, context: HookContext) => {
			if (!isMeant(subscription, payload)) return undefined;
			const { signal } = context;
			const call = called(payload);
			return oneByOne(payload.sessionId ?? "", async () => {
				signal.throwIfAborted();
				await handle(call, context, maxTimeoutMs);
			});
		};
		return { subscription, stage: "observe", options: { ...(name && { name }), timeoutMs: maxTimeoutMs }, handler };
	});
}
