// What the gateway asks of a messaging platform, and what a platform gets from the gateway. test/contracts/platform.ts holds each to it.
import type { MessagePurpose } from "../events/payloads/conversation.ts";
import type { JsonObject } from "../events/payloads/facts.ts";

export interface Platform {
	/** As it stands in payloads and in the access lists: `http`. */
	readonly name: string;
	/** Characters of one text at most; what is longer comes in pieces. */
	readonly maxText: number;
	/** Whether it can be reached now: what a status or a metric shows. */
	readonly connected: boolean;
	/** Set where texts can have buttons. */
	readonly buttons?: true;
	/** Set where files can be sent: bytes of one at most. */
	readonly maxFileBytes?: number;
	/** Set where a text can be changed after it was sent: how long to wait between two changes, in ms. Then there is `edit`. */
	readonly editEveryMs?: number;
	/** Answers requests that come over HTTP to `/platforms/NAME` and below: where the platform calls us. The body is at most 4 MiB. */
	readonly webhook?: (request: Request) => Promise<Response>;
	/**
	 * Takes messages from now on and hands each to `door.accept`. Resolves when it does; also when the platform cannot be reached yet, which it then
	 * goes on trying by itself, for as long as it takes, and says once in a warning.
	 * @throws Error when another try cannot help (a wrong token); the message is one line that says what to do about it.
	 */
	start(door: Door): Promise<void>;
	/** Takes no more messages. Texts can still be sent. */
	stop(): Promise<void>;
	/** After `stop`: lets go of everything. */
	close(): Promise<void>;
	/**
	 * Resolves when the platform has the text. A text can come a second time after a crash, with the same key: a platform that can tell drops it.
	 * @throws UndeliverableError when another try cannot help; RetryLaterError where the platform says how long to wait; any other error is tried again.
	 */
	send(text: OutboundText, signal: AbortSignal): Promise<Sent>;
	/** Puts another text in the place of one that was sent. Errors as `send`. */
	edit?(sentId: string, text: OutboundText, signal: AbortSignal): Promise<void>;
	/** A message is done with, after all texts about it were sent. As `send`, where somebody wants to know. */
	handled?(handled: Handled, signal: AbortSignal): Promise<void>;
	/** Something to show while a turn works: nobody waits for it, and it may be lost. */
	show?(chat: Chat, live: Live): void;
}

/** Where messages come in. */
export interface Door {
	/**
	 * Resolves when it is decided what becomes of a message; one that is accepted is on the disk, and only then may the platform be told so.
	 * @throws StoreError when it cannot be kept (the disk is full, too many wait in this chat): the platform is to deliver it again later.
	 */
	accept(message: Inbound): Promise<Accepted>;
	/** Somebody reacted to a message, or took that back. */
	reacted(reaction: Reaction): void;
}

export interface Chat {
	readonly chatId: string;
	/** Where a chat has threads. */
	readonly threadId?: string;
}

export interface Inbound extends Chat {
	/** The platform's own id of the message, unique in its chat: what is delivered twice is handled once. */
	readonly messageId: string;
	readonly userId: string;
	/** `dm`, `group` or what else the platform has. In all but a `dm` the rules for groups hold. */
	readonly chatType: string;
	/** Without the mention of the agent at its beginning. Of a button that was pressed: what it says. May be empty where there are files. */
	readonly text: string;
	/** In a group: it mentions the agent, answers a text of its own, or is a button of one. */
	readonly toAgent?: true;
	readonly files?: readonly InboundFile[];
	/** The platform knows by itself that this is the owner, and the access lists are not asked. */
	readonly isOwner?: true;
}

/** A file that somebody sent. It is fetched before its message is accepted. */
export interface InboundFile {
	/** As its sender called it, without any folder. */
	readonly name: string;
	/** As the platform says; not to be trusted. */
	readonly mediaType?: string;
	/** Where it is known beforehand. */
	readonly bytes?: number;
	/** @throws Error when it cannot be had. */
	read(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

export interface Reaction extends Chat {
	readonly userId: string;
	readonly chatType: string;
	readonly messageId: string;
	readonly reaction: string;
	readonly kind: "added" | "removed";
}

export type Accepted =
	| { readonly kind: "accepted" | "duplicate" }
	/** It was said in a group, and not to the agent. */
	| { readonly kind: "ignored" }
	/** A hook answered in the agent's place. */
	| { readonly kind: "answered"; readonly text: string }
	/** Its sender has said too much in too short a time. */
	| { readonly kind: "too-many"; readonly reason: string; readonly retryAfterMs: number }
	/** A hook dropped it, or the sender may not talk to this agent. */
	| { readonly kind: "blocked" | "stranger"; readonly reason: string };

export interface OutboundText extends Chat {
	/** The same each time this text comes. */
	readonly key: string;
	/** Markdown, as models write it. May be empty where there are files. */
	readonly text: string;
	readonly purpose: MessagePurpose;
	/** The message it belongs to. */
	readonly replyTo?: string;
	/** Only where the platform has buttons. */
	readonly buttons?: readonly Button[];
	/** Only where the platform takes files. */
	readonly files?: readonly OutboundFile[];
}

/** Who presses it says something: a message of its own comes in, with that text. The platform takes the buttons away when that was accepted. */
export interface Button {
	readonly label: string;
	/** At most 60 bytes. */
	readonly says: string;
}

export interface OutboundFile {
	/** Absolute. It is there until it was sent. */
	readonly path: string;
	readonly name: string;
	readonly mediaType: string;
}

export interface Sent {
	/** The platform's own id of it, for `edit` and for a `replyTo`. */
	readonly id?: string;
}

export interface Handled extends Chat {
	readonly key: string;
	readonly messageId: string;
	/**
	 * `joined`: it was said into the turn of another message, `into`, and the answer to that is the answer to both. `waits`: its turn goes on when an
	 * owner has answered a question.
	 */
	readonly how: "answered" | "joined" | "interrupted" | "waits";
	readonly into?: string;
}

export type Live =
	/** A piece of an answer as it arrives. */
	| { readonly kind: "delta"; readonly text: string; readonly replyTo: string }
	/** The pieces since the last text are void. */
	| { readonly kind: "discard"; readonly replyTo: string }
	| { readonly kind: "tool"; readonly toolName: string; readonly args: JsonObject; readonly status: "ok" | "error" | "blocked"; readonly callId: string }
	/** Comes every few seconds while a turn works. */
	| { readonly kind: "typing" };

/** Trying again cannot help: the chat is gone, the text is refused. */
export class UndeliverableError extends Error {
	override readonly name = "UndeliverableError";
}

/** The platform says how long to wait. */
export class RetryLaterError extends Error {
	override readonly name = "RetryLaterError";
	readonly afterMs: number;

	constructor(message: string, afterMs: number) {
		super(message);
		this.afterMs = afterMs;
	}
}
