// What an extension brings beside its hooks, in whatever host it runs. All of it is owned by the extension and leaves with it.
import type { JsonObject } from "./payloads/facts.ts";
import type { ToolResult } from "./payloads/tool.ts";
import type { ExtensionProvider } from "./providers.ts";

/** Where and for whom something of an extension runs. */
export interface CallPlace {
	/** Aborted when the user stops it or its time is up. */
	readonly signal: AbortSignal;
	/** Absolute. */
	readonly cwd: string;
	readonly sessionId: string;
	/** Absent outside of a turn. */
	readonly turnId?: string;
}

export interface ToolCallPlace extends CallPlace {
	/** The id the model gave the call. */
	readonly callId: string;
	/** Shows a piece of what the tool is doing to whoever watches; the model does not get it. */
	update(text: string): void;
}

export interface ExtensionTool {
	/** What the model calls it, unless another tool has the name: then it is `<extension>__<name>`. */
	readonly name: string;
	/** For the model. */
	readonly description: string;
	/** JSON Schema (2020-12) of the arguments, an object. */
	readonly parameters: JsonObject;
	/** Set to take the place of the built-in tool of this name. */
	readonly overrides?: true;
	/** In ms, at most 3,600,000; 600,000 when not given. */
	readonly timeoutMs?: number;
	/** Gets arguments that fit `parameters`. May reject: the model is told the message. */
	run(args: JsonObject, call: ToolCallPlace): Promise<ToolResult>;
}

export interface ExtensionCommand {
	/** Without the slash; `<extension>:<name>` when it is taken. */
	readonly name: string;
	/** One line for /help. */
	readonly summary: string;
	/** Set where it may run while a turn does. */
	readonly anytime?: true;
	/** `args` is what stands behind the name. Gives the text to show, when there is one. May reject: the person is shown the message. */
	run(args: string, call: CallPlace): Promise<string | undefined>;
	/** What the arguments typed so far could become, whole. */
	complete?(args: string, call: CallPlace): Promise<readonly string[]>;
}

export interface ExtensionShortcut {
	/** Modifiers in the order ctrl, alt, shift, in lower case: `ctrl+shift+g`, `f5`. */
	readonly key: string;
	/** One line for the help. */
	readonly summary: string;
	run(call: CallPlace): Promise<void>;
}

export interface ExtensionFlag {
	readonly name: string;
	readonly summary: string;
	readonly type: "boolean" | "string";
	readonly default?: boolean | string;
}

export interface Brings {
	readonly tools: readonly ExtensionTool[];
	readonly commands: readonly ExtensionCommand[];
	readonly shortcuts?: readonly ExtensionShortcut[];
	readonly flags?: readonly ExtensionFlag[];
	readonly providers?: readonly ExtensionProvider[];
}

export const bringsNothing: Brings = { tools: [], commands: [] };
