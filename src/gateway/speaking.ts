// Who speaks to the agent in the work that is under way. Several people can speak into one turn, so it is known by the way the work came, not by the chat.
import { AsyncLocalStorage } from "node:async_hooks";
import type { ApprovalAnswer } from "../agent/surface.ts";
import type { MessagePurpose } from "../events/payloads/conversation.ts";
import type { Facts, Sender } from "../events/payloads/facts.ts";
import type { Role } from "./access.ts";
import type { Button } from "./platform.ts";

export interface Speaking {
	readonly sender: Sender;
	readonly role: Role;
	readonly messageId: string;
	/** What the turn says at its end, kept with it. Absent for what is said into a turn: the answer to that goes out at once. */
	readonly said?: Said[];
	/** Where a message can answer questions: a command notes the answers down. */
	readonly answering?: Answering;
}

export interface Answering {
	/** When the message was accepted, in ms since the epoch. */
	readonly at: number;
	/** By `approvalId`. */
	readonly answers: Map<string, ApprovalAnswer>;
}

export interface Said {
	readonly text: string;
	readonly purpose: MessagePurpose;
	readonly buttons?: readonly Button[];
	/** For `message.sent`, when it has arrived. */
	readonly facts: Facts;
}

export const speaking = new AsyncLocalStorage<Speaking>();
