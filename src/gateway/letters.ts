// What waits in the engine's two boxes, as JSON keeps it, and the names of sessions there.
import { createHash } from "node:crypto";
import type { GatewayConfig } from "../config/gateway.ts";
import type { MessagePurpose } from "../events/payloads/conversation.ts";
import type { Facts, Sender } from "../events/payloads/facts.ts";
import { newId } from "../system/ids.ts";
import type { SessionPlace } from "../agent/session.ts";
import type { Role } from "./access.ts";
import type { Button, Chat, Handled, Inbound, OutboundFile } from "./platform.ts";
import type { Target } from "./target.ts";

/** A message of a person, in the inbox of its session under the platform's id. */
export interface Letter {
	readonly text: string;
	readonly sender: Sender;
	readonly role: Role;
	/** The message whose turn ran when this one came, and into which it was then said. */
	readonly into?: string;
	/** What came with it. */
	readonly files?: readonly KeptFile[];
	/** It is no person's, but says that the time of a question is up, which was asked in the turn of this message. `last` of one that let others go first. */
	readonly expires?: { readonly approvalId: string; readonly messageId: string; readonly last?: true };
}

/** A file that somebody sent, as it lies in the home. */
export interface KeptFile {
	/** Absolute. */
	readonly path: string;
	readonly name: string;
	readonly bytes: number;
}

/** A text for a person, in the outbox. */
export interface Reply {
	readonly platform: string;
	readonly chat: Chat;
	readonly text: string;
	readonly purpose: MessagePurpose;
	readonly replyTo?: string;
	readonly buttons?: readonly Button[];
	readonly files?: readonly OutboundFile[];
	/** For `message.sent`. */
	readonly facts: Facts;
}

/** In the outbox behind the texts about a message. */
export type Done = Pick<Handled, "messageId" | "how" | "into"> & { readonly platform: string; readonly chat: Chat };

/** The kinds of messages in the engine's sessions. */
export const kinds = { message: "message", job: "job", text: "text", expiry: "expiry" } as const;

/** An engine takes names of up to 512 characters. */
const longestSession = 400;

/** What has a session of its own. */
export type SessionRule = NonNullable<GatewayConfig["session_per"]>;

/** The engine's session for a message, whose names are well-formed text. Its parts are escaped: nobody gets into another session by what their chat is called. */
export function sessionOf(rule: SessionRule, platform: string, { chatId, threadId, userId }: Inbound): string {
	const parts = rule === "user" ? [platform, "user", userId] : [platform, "chat", chatId, ...(rule === "thread" && threadId !== undefined ? [threadId] : [])];
	return bounded("gateway", parts);
}

/** Where a text to a chat waits for its turn on the disk, one behind the other. */
export const deliverySession = ({ platform, chatId, threadId }: Target): string => bounded("deliver", [platform, chatId, ...(threadId === undefined ? [] : [threadId])]);

function bounded(kind: string, parts: readonly string[]): string {
	const name = parts.map(encodeURIComponent).join("/");
	return `${kind}/${name.length <= longestSession ? name : createHash("sha256").update(name).digest("hex")}`;
}

export const chatOf = ({ chatId, threadId }: Pick<Sender, "chatId" | "threadId">): Chat => ({ chatId: chatId ?? "", ...(threadId !== undefined && { threadId }) });

export function senderOf(platform: string, { userId, chatId, threadId, chatType }: Pick<Inbound, "userId" | "chatId" | "threadId" | "chatType">): Sender {
	return { platform, userId, chatId, chatType, ...(threadId !== undefined && { threadId }) };
}

/** The facts of what happens now, outside of any session. */
export function factsOf({ cwd, surface, profile }: SessionPlace, sender: Sender = {}): Facts {
	return { eventId: newId("e"), at: Date.now(), surface, cwd, profile, ...sender };
}
