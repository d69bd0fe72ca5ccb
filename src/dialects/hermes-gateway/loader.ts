// Runs beside a handler.ts or handler.js, in whatever process that is, and makes an extension of it: `export async function handle(eventType, context)`.
import { defineExtension, type Extension, type Hooks } from "../../events/hooks.ts";
import { describe } from "../../events/registration.ts";
import type { Subscription } from "./events.ts";
import { hooksOf } from "./hooks.ts";

type Register = (event: string, options: object, handler: (...given: never[]) => unknown) => void;

/** @throws Error in words for the author. */
export function extensionOf(module: Record<string, unknown>, { subscriptions }: { readonly subscriptions: readonly Subscription[] }): Extension {
	const inner = module["default"];
	const handle = module["handle"] ?? (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)["handle"] : inner);
	if (typeof handle !== "function") {
		const what = handle === undefined ? "it exports no 'handle'" : `its 'handle' is ${describe(handle)}`;
		throw new Error(`${what}. It must be a function:\n  export async function handle(eventType, context) { /* … */ }`);
	}
	return defineExtension((hooks: Hooks) => {
		for (const { subscription, stage, options, handler } of hooksOf(subscriptions, async ({ event_type, context }) => handle(event_type, context) as unknown)) {
			(hooks[stage] as Register)(subscription.event, options, handler);
		}
	});
}
