// What the gateway asks of a messaging platform, and what a platform gets from the gateway. test/contracts/platform.ts holds each to it.
import type { MessagePurpose } from "../events/payloads/conversation.ts";
import type { JsonObject } from "../events/payloads/facts.ts";

export interface Platform {
	/** As it stands in payloads and in the access lists: `http`. */
	readonly name: string;
	/** Characters of one text at most; what is longer comes in pieces. */
	readonly maxText: number;
	/**
	 * Takes messages from now on and hands each to `door.accept`. Resolves when it does.
	 * @throws Error when it cannot; the message says what to do about it.
	 */
	start(door: Door): Promise<void>;
	/** Takes no more messages. Texts can still be sent. */
	stop(): Promise<void>;
	/** After `stop`: lets go of everything. */
	close(): Promise<void>;
	/**
	 * Resolves when the platform has the text. A text can come a second time after a crash, with the same key: a platform that can tell drops it.
	 * @throws UndeliverableError when another try cannot help; any other error is tried again.
	 */
	send(text: OutboundText, signal: AbortSignal): Promise<void>;
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
	/** `dm`, `group` or what else the platform has. */
	readonly chatType: string;
	readonly text: string;
	/** The platform knows by itself that this is the owner, and the access lists are not asked. */
	readonly isOwner?: true;
}

export type Accepted =
	| { readonly kind: "accepted" | "duplicate" }
	/** A hook answered in the agent's place. */
	| { readonly kind: "answered"; readonly text: string }
	/** A hook dropped it, or the sender may not talk to this agent. */
	| { readonly kind: "blocked" | "stranger"; readonly reason: string };

export interface OutboundText extends Chat {
	/** The same each time this text comes. */
	readonly key: string;
	readonly text: string;
	readonly purpose: MessagePurpose;
	/** The message it belongs to. */
	readonly replyTo?: string;
}

export interface Handled extends Chat {
	readonly key: string;
	readonly messageId: string;
	/** `joined`: it was said into the turn of another message, `into`, and the answer to that is the answer to both. */
	readonly how: "answered" | "joined" | "interrupted";
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
