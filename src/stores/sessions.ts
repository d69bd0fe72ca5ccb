// Conversations, as they are kept.
import type { Surface } from "../events/payloads/facts.ts";
import type { Message } from "../events/payloads/model.ts";
import type { Holder } from "./leases.ts";

export interface NewSession {
	readonly id: string;
	/** Absolute. */
	readonly cwd: string;
	readonly model: string;
	readonly surface: Surface;
	readonly systemPrompt: string;
	/** The tool list as JSON text, given back byte for byte: providers cache it. */
	readonly tools: string;
	/** The session that delegated to this one. */
	readonly parentId?: string;
}

/** A session without its messages. */
export interface SessionRecord extends NewSession {
	/** Milliseconds since the epoch, as all times here. */
	readonly startedAt: number;
	readonly updatedAt: number;
	/** Messages of the user. */
	readonly turns: number;
	readonly messages: number;
	/** The first user text on one line, at most 120 characters; absent before there is one. */
	readonly title?: string;
}

/** A session as lists show it. */
export interface SessionSummary extends Omit<SessionRecord, "systemPrompt" | "tools"> {
	/** The process that runs it now. */
	readonly inUseBy?: Holder;
}

/** Every method throws StoreError when the database does not answer. */
export interface Sessions {
	/** @throws StoreError `session-exists` */
	create(session: NewSession): SessionRecord;
	/**
	 * The session of this id, or of the only id that starts so. Undefined when there is none: see `nearest`.
	 * @throws StoreError `ambiguous`, naming the sessions it could be.
	 */
	get(idOrPrefix: string): SessionRecord | undefined;
	/** The known id that is most like this one, for "did you mean". */
	nearest(id: string): string | undefined;
	/** The session last written to, in this folder when one is given. Sessions of subagents are left out. */
	latest(cwd?: string): SessionRecord | undefined;
	/** Last written first. 20 when no limit is given. */
	list(options?: { readonly limit?: number }): readonly SessionSummary[];
	/**
	 * Adds messages at the end, all or none. When it returns they outlive this process (a loss of power may still take the last ones).
	 * @throws StoreError `full`, `read-only`, `unknown-session` …; SessionInUseError when another process holds the session's lease.
	 */
	append(sessionId: string, messages: readonly Message[]): void;
	/** All messages, oldest first. Empty for an unknown session. */
	messages(sessionId: string): readonly Message[];
	/** @throws StoreError `unknown-session` */
	setSystemPrompt(sessionId: string, text: string): void;
}

// No i, l, o, u: ids are read out and typed.
const letters = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * A new id such as `20261121-153012-k3f9`: UTC, so that ids sort by time through every change of clocks.
 * @param now milliseconds since the epoch
 * @param random numbers from 0 up to, not including, 1
 */
export function newSessionId(now: number, random: () => number = Math.random): string {
	const [date, time] = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").split("T");
	const tail = Array.from({ length: 4 }, () => letters[Math.floor(random() * letters.length)]);
	return `${date}-${time}-${tail.join("")}`;
}

/** The longest title, in characters. */
export const maxTitleLength = 120;

/** A user's text as one line of a list; control characters would move the terminal's cursor. */
export function titleOf(text: string): string {
	// Only the start is looked at: a prompt may be a whole file.
	const line = text.slice(0, 2000).toWellFormed().replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
	const characters = [...line];
	return characters.length <= maxTitleLength ? line : `${characters.slice(0, maxTitleLength - 1).join("")}…`;
}
