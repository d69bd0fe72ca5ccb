// What every payload carries: where and when it happened, and who caused it.

/** Where a person meets the agent. `run` is one prompt on the command line, `terminal` a conversation there. */
export type Surface = "terminal" | "run" | "dashboard" | "editor" | "gateway" | "cron" | "boot" | "test";

export const surfaces = ["terminal", "run", "dashboard", "editor", "gateway", "cron", "boot", "test"] as const satisfies readonly Surface[];

/** The fields all events share. A field is absent where the thing it names does not exist (a gateway start has no session). */
export interface Facts {
	/** Unique per dispatch. */
	readonly eventId: string;
	/** Milliseconds since the epoch. */
	readonly at: number;
	readonly surface: Surface;
	/** The working folder the agent acts in, absolute. */
	readonly cwd: string;
	/** Which home the agent runs with; `default` unless the user made others. */
	readonly profile: string;
	readonly sessionId?: string;
	/** Set in the session of a delegated child. */
	readonly parentSessionId?: string;
	readonly turnId?: string;
	/** Counts model answers within the turn, from 1. */
	readonly step?: number;
	/** The messaging platform behind the gateway, for example `telegram`. */
	readonly platform?: string;
	readonly userId?: string;
	readonly chatId?: string;
	readonly threadId?: string;
	readonly chatType?: string;
	/** The event whose handler caused this one, when a handler did. */
	readonly cause?: Cause;
}

/** Who caused something, where a person behind the gateway did. */
export type Sender = Pick<Facts, "platform" | "userId" | "chatId" | "threadId" | "chatType">;

/** The chain that leads from one event to another fired by its handler. `depth` counts the links, from 1. */
export interface Cause {
	readonly eventId: string;
	readonly event: string;
	readonly hook: string;
	readonly depth: number;
}

/** Plain data with string keys, as JSON has it. */
export type JsonObject = { readonly [key: string]: unknown };
