// What code of an extension can ask of the agent, in whatever host it runs. Plain data in and out; a rejection's message is for the author.
import type { JsonObject, Surface } from "./payloads/facts.ts";
import type { Message, Usage } from "./payloads/model.ts";
import type { ToolResult } from "./payloads/tool.ts";

/** Who asks, and where from. */
export interface Asker {
	/** Its name in lists and messages. */
	readonly extension: string;
	/** The session the asking call belongs to; the conversation that was active last when there is none. */
	readonly sessionId?: string | undefined;
	/** Ends what was asked for. */
	readonly signal?: AbortSignal | undefined;
}

export interface CompletionRequest {
	readonly messages: readonly Message[];
	/** `PROVIDER:NAME`; the session's model when not given. */
	readonly model?: string | undefined;
	/** Tokens. */
	readonly maxOutputTokens?: number | undefined;
}

export interface Completion {
	readonly text: string;
	readonly model: string;
	readonly usage: Usage;
}

export interface ConverseRequest {
	readonly text: string;
	/** Added to our own system prompt, or in its place. */
	readonly system?: { readonly text: string; readonly replaces: boolean } | undefined;
	/** False leaves the instructions of the user and the folder (AGENTS.md) out of our own system prompt. */
	readonly instructions?: false | undefined;
	/** What was said before, in a session that is new; system messages among it are left out. */
	readonly history?: readonly Message[] | undefined;
	readonly model?: string | undefined;
	/** Goes on with this session; a new one when not given. */
	readonly sessionId?: string | undefined;
	/** Names of the tools it may use; all when not given. */
	readonly tools?: readonly string[] | undefined;
	readonly maxSteps?: number | undefined;
	readonly surface?: Surface | undefined;
}

export interface Conversed {
	readonly sessionId: string;
	readonly text: string;
	readonly completed: boolean;
	readonly interrupted: boolean;
	readonly error?: string | undefined;
	readonly messages: readonly Message[];
	readonly steps: number;
}

export interface ModelInUse {
	/** `PROVIDER:NAME`. */
	readonly name: string;
	readonly provider: string;
	readonly model: string;
	readonly baseUrl?: string | undefined;
}

export interface AgentRequests {
	/** Runs a tool as if the model had called it: through all hooks and approvals. */
	callTool(from: Asker, tool: string, args: JsonObject): Promise<ToolResult>;
	/**
	 * Puts a text into a conversation in the user's place: into the turn under way, else as a turn of its own where the surface can begin one
	 * (`queued`), marked as coming from the extension. False when nobody has a conversation open that can take it, or a hook did not let it in.
	 */
	say(from: Asker, text: string): Promise<"steered" | "queued" | false>;
	/** One model call without tools, through the hooks of model calls. */
	complete(from: Asker, request: CompletionRequest): Promise<Completion>;
	/** A whole turn of the agent in a session of its own, with all hooks. Nobody can be asked there. */
	converse(from: Asker, request: ConverseRequest): Promise<Conversed>;
	model(from: Asker): Promise<ModelInUse>;
	/** Names of the tools the session has now, and of those that are active. */
	tools(from: Asker): Promise<{ readonly all: readonly string[]; readonly active: readonly string[] }>;
	/** From the session's next step on only these are offered to the model. @throws when one of them is not there. */
	setActiveTools(from: Asker, names: readonly string[]): Promise<void>;
}
