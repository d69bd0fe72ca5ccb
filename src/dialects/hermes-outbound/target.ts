// A receiver of `hooks.outbound` as config.yaml has it, read and checked.
import type { EventName } from "../../events/payloads/all.ts";
import type { Facts } from "../../events/payloads/facts.ts";

export interface OutboundTarget {
	/** Its name in lists, and what waits for it is kept under: from `name`, or from its address; unique. */
	readonly id: string;
	/** As it was written. */
	readonly name?: string;
	/** As it was written. It may hold secrets: `shownAddress` is for people. */
	readonly url: string;
	readonly subscriptions: readonly Subscription[];
	/** Matches a whole tool name; counts at events about a tool. */
	readonly matcher?: string;
	/** Of the environment variable with its secret; it comes before `secret`. */
	readonly secretEnv?: string;
	readonly secret?: string;
	readonly timeoutMs: number;
	readonly format: "hermes" | "standard";
	/** Absolute, with the line from 1. */
	readonly file: string;
	readonly line: number;
}

/** One event that a receiver is told of. */
export interface Subscription {
	/** As it was written. */
	readonly written: string;
	readonly event: EventName;
	/** What the receiver reads as the event's name. */
	readonly nameFor: (payload: Facts) => string;
	/** Whether a dispatch of the event is one it is for. */
	readonly isMeant: (payload: Facts) => boolean;
}

/** The address without what may be a secret: no user, password, query and fragment. */
export function shownAddress(url: string): string {
	const { origin, pathname } = new URL(url);
	return `${origin}${pathname}`;
}
