// Conversations, as they are kept.
import type { Surface } from "../events/payloads/facts.ts";
import type { ImagePart, ImageType, Message } from "../events/payloads/model.ts";
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
	/** What the user calls it, on one line. */
	readonly name?: string;
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
	/** Where it was forked from; that session may be deleted since. */
	readonly forkedFrom?: Origin;
}

/** The first messages of a session, with which another one began. */
export interface Origin {
	readonly sessionId: string;
	readonly messages: number;
}

/** A session as lists show it. */
export interface SessionSummary extends Omit<SessionRecord, "systemPrompt" | "tools"> {
	/** The process that runs it now. */
	readonly inUseBy?: Holder;
}

/** A message with its place in the session. */
export interface SessionEntry {
	/** Counts from 1. */
	readonly number: number;
	readonly at: number;
	readonly message: Message;
}

/** An image that goes with a new message. */
export interface NewImage {
	readonly part: ImagePart;
	readonly data: Uint8Array;
}

export interface StoredImage {
	readonly mediaType: ImageType;
	readonly data: Uint8Array;
}

/** All given fields must match. */
export interface MessageSearch {
	/** Words that all begin somewhere in the message, its tool calls included. */
	readonly words: string;
	readonly role?: Message["role"];
	/** Of the session, absolute. */
	readonly cwd?: string;
	/** The earliest time of the message. */
	readonly since?: number;
	/** 20 when not given. */
	readonly limit?: number;
}

/** A message that was found. */
export interface Found extends SessionEntry {
	readonly sessionId: string;
	readonly cwd: string;
	/** The session's name, or its title. */
	readonly title?: string;
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
	/** Messages with these words, the newest first. The first search after messages were added takes them into the index. */
	search(query: MessageSearch): readonly Found[];
	/**
	 * Adds messages at the end, all or none, with the images they bring. When it returns they outlive this process (a loss of power may still take the last ones).
	 * @throws StoreError `full`, `read-only`, `unknown-session` …; SessionInUseError when another process holds the session's lease.
	 */
	append(sessionId: string, messages: readonly Message[], images?: readonly NewImage[]): void;
	/** An image that a message of this session refers to; undefined for any other. */
	image(sessionId: string, sha256: string): StoredImage | undefined;
	/** All messages, oldest first. Empty for an unknown session. */
	messages(sessionId: string): readonly Message[];
	/** The same a few at a time, with their numbers and times, those after a number when one is given: a long session need not be in memory whole. */
	entries(sessionId: string, after?: number): Iterable<SessionEntry>;
	/**
	 * Takes the last messages away again.
	 * @throws StoreError `unknown-session`; SessionInUseError when another process holds the session's lease.
	 */
	dropLast(sessionId: string, count: number): void;
	/** @throws StoreError `unknown-session` */
	setSystemPrompt(sessionId: string, text: string): void;
	/** Keeps the name of the model it is led with from now on. @throws StoreError `unknown-session`; SessionInUseError when another process holds its lease. */
	setModel(sessionId: string, model: string): void;
	/** Gives it a name, made one line as titles are; undefined takes it away. @throws StoreError `unknown-session` */
	rename(sessionId: string, name: string | undefined): void;
	/**
	 * A new session that begins with the first messages of another one, all when no number is given.
	 * @throws StoreError `unknown-session`; `bad-value` when there is no such message, or a tool call would be cut off from its results.
	 */
	fork(sessionId: string, newId: string, messages?: number): SessionRecord;
	/**
	 * Deletes it and the sessions it delegated to, with their messages and trace; gives the ids, its own first.
	 * @throws StoreError `unknown-session`; SessionInUseError when anybody runs one of them, this process included.
	 */
	delete(sessionId: string): readonly string[];
}

// No i, l, o, u: ids are read out and typed.
const letters = "0123456789abcdefghjkmnpqrstvwxyz";

/** Those this process made within a second: a gateway begins hundreds, and of so many two would be the same now and then. */
const made = { second: "", ids: new Set<string>() };

/**
 * A new id such as `20261121-153012-k3f9`, which this process gives once: UTC, so that ids sort by time through every change of clocks.
 * @param now milliseconds since the epoch
 * @param random numbers from 0 up to, not including, 1
 */
export function newSessionId(now: number, random: () => number = Math.random): string {
	const [date, time] = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").split("T");
	const second = `${date}-${time}`;
	if (made.second !== second) {
		made.second = second;
		made.ids.clear();
	}
	const letter = () => letters[Math.floor(random() * letters.length)]!;
	let id = `${second}-${letter()}${letter()}${letter()}${letter()}`;
	while (made.ids.has(id)) id += letter();
	made.ids.add(id);
	return id;
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
