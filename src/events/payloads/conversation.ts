import type { Facts } from "./facts.ts";
import type { ImagePart, Message, Usage } from "./model.ts";

export interface MessageReceiving extends Facts {
	readonly text: string;
	/** The platform's own id of the message. */
	readonly messageId?: string;
}
export interface MessageReceived extends MessageReceiving {}

/** `answer` ends a turn, `interim` stands beside tool calls, `notice` is the agent's own word, `question` asks for approval. */
export type MessagePurpose = "answer" | "interim" | "notice" | "question";

export interface MessageSending extends Facts {
	readonly text: string;
	readonly purpose: MessagePurpose;
}
export interface MessageSent extends MessageSending {}

export interface ReactionAdded extends Facts {
	readonly reaction: string;
	readonly messageId: string;
}
export interface ReactionRemoved extends ReactionAdded {}

export interface CommandRunning extends Facts {
	/** Without the slash. */
	readonly name: string;
	readonly args: string;
}
export interface CommandRan extends CommandRunning {
	readonly status: "ok" | "error" | "blocked";
	readonly durationMs: number;
}

export interface InputReceiving extends Facts {
	readonly text: string;
	/** How it came: typed, piped, as an argument of the program, sent on by an extension, or by a job whose time had come or another program's request. */
	readonly origin: "typed" | "piped" | "argument" | "extension" | "job";
	/** What goes with the text: which images, not their bytes. */
	readonly images?: readonly ImagePart[];
}

export interface SessionSwitching extends Facts {
	readonly to: "new" | "resume" | "fork";
	readonly targetSessionId?: string;
}
export interface SessionSwitched extends SessionSwitching {
	readonly previousSessionId?: string;
}
export interface SessionStarted extends Facts {
	readonly model: string;
	readonly resumed: boolean;
}
export interface SessionEnded extends Facts {
	readonly reason: "quit" | "reset" | "switched" | "finished" | "failed";
	readonly turns: number;
}
export interface SessionReset extends Facts {
	readonly previousSessionId: string;
	readonly reason: string;
}
export interface SessionCompacting extends Facts {
	readonly messages: readonly Message[];
	/** Set by a rewrite to be used instead of a summary by the model. */
	readonly summary?: string;
	readonly instructions: string;
	readonly why: "full" | "asked";
}
export interface SessionCompacted extends Facts {
	readonly summary: string;
	readonly before: number;
	readonly after: number;
}

export interface TurnStarting extends Facts {
	readonly text: string;
	/** What goes with the text: which images, not their bytes. */
	readonly images?: readonly ImagePart[];
	readonly systemPrompt: string;
	readonly model: string;
	/** True for the first turn of a session. */
	readonly first: boolean;
}
export interface TurnStarted extends Facts {
	readonly text: string;
	readonly model: string;
	/** It was told before: this turn ended with a question to a person, and goes on with the answer. */
	readonly goesOn?: true;
}
export interface TurnAnswering extends Facts {
	readonly text: string;
}
export interface TurnEnding extends Facts {
	readonly text: string;
	/** How often a hook already made this turn go on. */
	readonly continuations: number;
	readonly toolNames: readonly string[];
}
export interface TurnEnded extends Facts {
	/** What the person said. */
	readonly input: string;
	readonly text: string;
	readonly completed: boolean;
	readonly interrupted: boolean;
	/** Why it did not complete, when it did not. */
	readonly error?: string;
	/** It asked a person and ended; the same turn goes on with their answer, and is told again when it is over. */
	readonly waits?: true;
	/** This and what follows counts from the beginning of the turn, without the time in which it waited for a person. */
	readonly steps: number;
	readonly toolCalls: number;
	readonly usage: Usage;
	readonly durationMs: number;
}
export interface StepStarted extends Facts {
	readonly messages: number;
}
export interface StepEnded extends Facts {
	readonly toolNames: readonly string[];
	readonly durationMs: number;
}

export interface ShellRunning extends Facts {
	/** What the user typed after the exclamation mark. */
	readonly command: string;
}
