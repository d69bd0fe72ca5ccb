// A turn that ended with a question to a person, as plain data: whoever keeps it can let the turn go on in another process.
import { randomInt } from "node:crypto";
import type { Facts } from "../events/payloads/facts.ts";
import type { Usage } from "../events/payloads/model.ts";
import type { ApprovalRequested } from "../events/payloads/tool.ts";

/** A call that was asked about and has no result yet. An answer is bound to all that is said of it here. */
export interface ParkedCall extends Omit<ApprovalRequested, keyof Facts> {
	/** The id the model gave it. */
	readonly callId: string;
	/** The folder it would have run in. */
	readonly cwd: string;
	/** A yes can be for longer than this once. */
	readonly lasts: boolean;
	/** In ms since the epoch, as `expiresAt`: from then on the answer is no. */
	readonly askedAt: number;
	readonly expiresAt: number;
	/** It was approved before, and was then no longer what had been approved. */
	readonly changed?: true;
}

/** What a turn keeps from one step to the next. */
export interface TurnState {
	readonly turnId: string;
	/** What the person said. */
	readonly text: string;
	/** Set where hooks made it another one than the session's. */
	readonly systemPrompt?: string;
	readonly steps: number;
	readonly continuations: number;
	readonly toolNames: readonly string[];
	readonly usage: Usage;
	/** Without the time in which it waited. */
	readonly durationMs: number;
}

export interface WaitingTurn extends TurnState {
	readonly calls: readonly ParkedCall[];
}

/** Without what is mistaken for something else, and without vowels: no word that somebody writes is an id. */
const alphabet = "23456789bcdfghjkmnpqrstvwxz";
const idLength = 6;

/** The id of a question that a person may have to type. */
export const newQuestionId = (): string => Array.from({ length: idLength }, () => alphabet[randomInt(alphabet.length)]).join("");

/** Whether a text could be one. */
export const isQuestionId = (text: string): boolean => text.length === idLength && [...text].every((letter) => alphabet.includes(letter));
