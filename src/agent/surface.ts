// What an agent needs of the surface it is met on.
import type { ApprovalAnswer, ApprovalQuestion } from "../engine/outcome.ts";
import type { MessagePurpose } from "../events/payloads/conversation.ts";

export type { ApprovalAnswer, ApprovalQuestion };

/** Where a person reads. */
export interface Output {
	/** A piece of an answer as it arrives. Only called while nothing is hooked that could still change or withhold the text. */
	delta(text: string): void;
	/** What `delta` showed since the last message is void: the model broke off and is asked again. */
	discard(): void;
	/** A complete text, after all hooks. What `delta` showed since the last message is the beginning of it. */
	message(text: string, purpose: MessagePurpose): void;
	/** Set where a text takes its time to arrive: the surface then tells `message.sent` itself. */
	readonly tellsSent?: true;
}

/** For a session whose texts reach no person: what a delegated child says goes to its parent. */
export const nobodyReads: Output = { delta: () => {}, discard: () => {}, message: () => {} };

/** A question as a surface puts it. */
export interface Question extends ApprovalQuestion {
	/** A yes can be for longer than this once: for the session, or always. Only Hookline's own guard can keep one. */
	readonly lasts: boolean;
}

/** Puts a question to the person of one surface. */
export interface Approver {
	/** `signal` is aborted when the turn is stopped or the time is up. May reject: then the answer is no. */
	ask(question: Question, signal: AbortSignal): Promise<ApprovalAnswer>;
}
