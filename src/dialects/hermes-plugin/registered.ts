// What the Python part of this dialect says that a plugin registered: one of these for each callback.

export interface RegisteredHook {
	readonly kind: "hook";
	readonly hook: string;
	/** Of the function. */
	readonly name: string;
	/** The arguments it declares; null for all there are. */
	readonly takes: readonly string[] | null;
}

export type AroundKind = "tool_request" | "llm_request" | "tool_execution" | "llm_execution";

export interface RegisteredAround {
	readonly kind: "middleware";
	readonly middleware: AroundKind;
	readonly name: string;
}

export interface RegisteredTool {
	readonly kind: "tool";
	readonly name: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly override?: boolean;
	/** True, or why it cannot be used. */
	readonly available: true | string;
}

export interface RegisteredCommand {
	readonly kind: "command";
	readonly name: string;
	readonly description?: string | null;
	readonly args_hint?: string | null;
}

export interface RegisteredWarning {
	readonly kind: "warning";
	readonly text: string;
}

export type Registered = RegisteredHook | RegisteredAround | RegisteredTool | RegisteredCommand | RegisteredWarning;
