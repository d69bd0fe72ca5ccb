// What an agent is made of. The runtime puts it together; everything in this folder works with it.
import type { Engine } from "../engine/engine.ts";
import type { ExtensionCommand } from "../events/brings.ts";
import type { Model } from "../models/model.ts";
import type { Store } from "../stores/store.ts";
import type { Tool, ToolSettings } from "../tools/tool.ts";
import type { Models } from "./models.ts";
import type { Approver, Output } from "./surface.ts";

export interface AgentParts {
	readonly engine: Engine;
	readonly models: Models;
	/** The one that is asked now: `models.current`. */
	readonly model: Model;
	/** Those of a session that begins now, in a constant order: it is part of what providers cache. */
	readonly tools: readonly Tool[];
	/** What extensions brought beside them; absent where there are none, and for delegated children, whose tools are all of their parent's. */
	readonly brought?: BroughtByExtensions | undefined;
	/** Where sessions and conversations say that they are there; absent where nobody asks. */
	readonly open?: Doorkeeper;
	/** What the user configured for the tools; nothing when absent. */
	readonly toolSettings?: ToolSettings;
	readonly store: Store;
	/** The folder of the user's own files, absolute. */
	readonly home: string;
	/** Absent where nobody is there to ask: then every question is answered no. */
	readonly approver?: Approver;
	/**
	 * Set where no turn waits for a person: one whose calls are asked about ends with them open, and goes on when somebody brings the answers
	 * (`Conversation.goOn`). Delegated children and calls that no model made cannot: about those nobody is asked.
	 */
	readonly parksQuestions?: true;
	/** Hookline's own guard, as far as its questions go. */
	readonly approvals?: OwnApprovals;
	readonly output: Output;
	readonly limits: Limits;
	/** A warning for the person, in a sentence. */
	warn(message: string): void;
}

/** Knows which sessions and conversations are open. */
export interface Doorkeeper {
	enter(session: { readonly id: string }): void;
	leave(session: { readonly id: string }): void;
	/** A conversation is opened, or something begins in it. */
	attach(conversation: object): void;
	detach(conversation: object): void;
}

export interface BroughtByExtensions {
	/** Counts the changes. */
	readonly version: number;
	/** Those tools and what was brought, each under a name of its own. */
	tools(own: readonly Tool[]): readonly Tool[];
	/** What was brought, under names that are none of those and each its own. */
	commands(own: readonly string[]): ReadonlyMap<string, ExtensionCommand>;
}

/** What is asked by the agent's own guard, and what becomes of a yes. */
export interface OwnApprovals {
	/** Its id as a hook. */
	readonly hook: string;
	/** Where nobody is there to ask. */
	readonly unattended: "deny" | "allow";
	/** What it asks about a payload it has judged. */
	about(payload: object): { readonly command: string; readonly rules: readonly [string, ...string[]]; readonly lasts: boolean } | undefined;
	/** May reject: then the yes counts, but is not kept. */
	remember(payload: object, scope: "session" | "always"): Promise<void>;
}

export interface Limits {
	/** Model answers in one turn. */
	readonly maxSteps: number;
	/** Tries of one model call, the first included. */
	readonly maxAttempts: number;
	/** Wait before the second try, in ms; doubles with each further one. */
	readonly retryBaseMs: number;
	/** How often hooks of `turn.ending` can make one turn go on. */
	readonly maxContinuations: number;
	/** Tools of one batch that run at the same time; the others wait. */
	readonly maxParallelTools: number;
	/** How long a person has to answer a question, in ms. */
	readonly approvalTimeoutMs: number;
}

export const defaultLimits: Limits = {
	maxSteps: 50,
	maxAttempts: 4,
	retryBaseMs: 1000,
	maxContinuations: 3,
	maxParallelTools: 16,
	approvalTimeoutMs: 300_000,
};
