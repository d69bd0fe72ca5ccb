// What a conversation needs of the place a person sees it in: a full-screen editor, or plain lines. Nothing here knows a terminal.
import type { Command } from "../../agent/conversation.ts";
import type { Approver, Output } from "../../agent/surface.ts";
import type { PendingHook } from "../../engine/engine.ts";
import type { Message } from "../../events/payloads/model.ts";
import type { Ui } from "../../events/ui.ts";
import type { Activity } from "./activity.ts";

export interface ChatView {
	/** Where the agent's texts go. */
	readonly output: Output;
	/** Absent where nobody can be asked. */
	readonly approver?: Approver;
	/** A line for the person, beside the conversation. */
	note(text: string): void;
	/** What a hook or an extension writes. */
	log(from: string, message: string): void;
	/** Something happened in the agent. */
	show(activity: Activity): void;
	/** A text of the person is now part of the conversation. */
	said(text: string): void;
	/** A command of the user's own has begun; gives where its output goes, and how it came out. */
	shell(command: string): ShellView;
	/** Gives texts back to the person: they were not taken. */
	giveBack(texts: readonly string[]): void;
	/** The conversation is in another session now, in which this was said. */
	moved(earlier: readonly Message[]): void;
	/** What an extension holds of this view. Questions that come before `open` are asked then. */
	ui(extension: string): Ui;
	/** Takes away what an extension shows and asks, and its keys: it is gone. */
	dropUi(extension: string): void;
	/** The keys an extension has from now on, in the place of those it had; gives why not, a sentence for each that it cannot have. */
	bind(extension: string, shortcuts: readonly Shortcut[]): readonly string[];
	/** What the keys do, those of extensions included, a line each. */
	readonly keys: readonly string[];
	/** Empties what is seen; nothing is forgotten. */
	clear(): void;
	/** Begins to take input, and goes on until `close`. */
	open(input: ChatInput, opening: Opening): void;
	/** Called whenever `ChatInput.status` may have changed. */
	changed(): void;
	/** Leaves the terminal as it was. Can be called at any time, again too. */
	close(): Promise<void>;
}

export interface Shortcut {
	/** `alt+g`, `ctrl+alt+p`, `f5`: modifiers are ctrl, shift, alt and super. */
	readonly key: string;
	/** One line for the list of keys. */
	readonly summary: string;
	/** May reject: the person is shown the message. */
	run(): Promise<void> | void;
}

export interface ShellView {
	output(chunk: Buffer): void;
	/** Said once, with all of it. */
	ended(text: string, failed: boolean): void;
}

/** What a conversation begins with on the screen. */
export interface Opening {
	readonly banner: string;
	/** Those there are now. */
	readonly commands: () => readonly Command[];
	/** What the arguments of a command could become; soon, or nothing. */
	readonly completions: (command: Command, args: string, signal: AbortSignal) => Promise<readonly string[]>;
	/** Absolute; paths are completed against it. */
	readonly cwd: string;
	/** What was said before, when a session is taken up. */
	readonly earlier: readonly Message[];
	/** What the person typed in other conversations, the newest last. */
	readonly history: readonly string[];
}

/** What a view tells the conversation. Never throws. */
export interface ChatInput {
	/** A text was sent off. `after`: not into the turn that runs, but as a message of its own when that is over. */
	submit(text: string, when: "now" | "after"): void;
	/** Ctrl-C. */
	interrupt(): void;
	/** Stops the turn, when one runs; true then. */
	stop(): boolean;
	/** No more input comes. What was sent off is still done. */
	end(): void;
	/** Leaves as soon as it can: a signal, or a terminal that is gone. */
	leave(): void;
	status(): ChatStatus;
}

export interface ChatStatus {
	/** Since when something is under way, ms of the monotonic clock. */
	readonly workingSince: number | undefined;
	/** Whether it was told to stop. */
	readonly stopping: boolean;
	/** Said into the turn, not joined yet. */
	readonly steered: readonly string[];
	/** Texts that wait for the turn to be over. */
	readonly queued: readonly string[];
	readonly pending: readonly PendingHook[];
	readonly model: string;
	/** Tokens. The window is absent where it is not known. */
	readonly usedTokens: number;
	readonly windowTokens: number | undefined;
	/** US dollars of this conversation in this process; undefined when a price was not known. */
	readonly costUsd: number | undefined;
	readonly session: string;
	readonly hooks: number;
}
