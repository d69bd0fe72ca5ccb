import type { Facts, JsonObject } from "./facts.ts";

export interface GatewayStarted extends Facts {
	readonly platforms: readonly string[];
}
export interface GatewayStopped extends Facts {
	readonly reason: string;
}
export interface SubagentStarting extends Facts {
	readonly goal: string;
	readonly childSessionId: string;
	readonly depth: number;
}
export interface SubagentStarted extends SubagentStarting {}
export interface SubagentStopped extends SubagentStarting {
	readonly status: "completed" | "failed" | "interrupted";
	readonly summary: string;
	readonly durationMs: number;
}
export interface ExtensionLoaded extends Facts {
	readonly extension: string;
	readonly file: string;
	readonly hooks: number;
	readonly durationMs: number;
}
export interface ExtensionFailed extends Facts {
	readonly extension: string;
	readonly file: string;
	readonly line?: number;
	readonly message: string;
	/** `load` while it was read, `run` for a throw outside of any call (a timer, a floating promise), `host` when its process ended. */
	readonly during: "load" | "run" | "host";
}
export interface ExtensionRefused extends Facts {
	readonly extension: string;
	/** What it lacks: `paths.read`, `hosts`, `exec` …; `worker`, `addon`, `inspector` and `wasi` are never granted. */
	readonly permission: string;
	/** The path, host, program, name. */
	readonly wanted: string;
	readonly message: string;
}
export interface HookFailed extends Facts {
	readonly hook: string;
	readonly extension: string;
	readonly event: string;
	readonly failure: string;
	readonly message: string;
	/** What the failure meant for the dispatch. */
	readonly effect: "blocked" | "passed" | "none";
	/** True when this failure put the hook on hold. */
	readonly suspended: boolean;
}
export interface ConfigChanged extends Facts {
	readonly file: string;
	readonly changed: readonly string[];
	readonly config: JsonObject;
}
