// Hooks by their thirteen kebab-case names, with the four kinds of context that go with them: `api.registerHook({ event, handler, priority })`.
import type { Decision } from "./decision.ts";
import type { JsonObject } from "./payloads/facts.ts";
import type { ToolResult } from "./payloads/tool.ts";

export interface KebabAgentContext {
	/** The turn; empty for the gateway's own start and stop. */
	readonly runId: string;
	readonly config: { readonly model?: string };
	/** Where the agent works, absolute. */
	readonly workspaceDir: string;
	/** Hookline's home, absolute. */
	readonly agentDir: string;
}

export interface KebabMessageContext {
	/** The session. */
	readonly sessionKey: string;
	/** The platform, or the surface where there is none. */
	readonly channel: string;
	/** Empty where the surface has one person only. */
	readonly senderId: string;
	readonly direction: "received" | "sending" | "sent";
	readonly text: string;
}

export interface KebabToolContext {
	readonly runId: string;
	readonly toolName: string;
	readonly args: JsonObject;
	/** After the call. */
	readonly result?: ToolResult;
}

export interface KebabSessionContext {
	readonly sessionKey: string;
	readonly channel: string;
}

export interface KebabContexts {
	"gateway-start": KebabAgentContext;
	"gateway-stop": KebabAgentContext;
	"session-start": KebabSessionContext;
	"session-end": KebabSessionContext;
	"before-agent-start": KebabAgentContext;
	"message-received": KebabMessageContext;
	"message-sending": KebabMessageContext;
	"message-sent": KebabMessageContext;
	"before-tool-call": KebabToolContext;
	"after-tool-call": KebabToolContext;
	"before-compaction": KebabSessionContext;
	"after-compaction": KebabSessionContext;
	"tool-result-persist": KebabToolContext;
}

export type KebabName = keyof KebabContexts;

const all: Readonly<Record<KebabName, true>> = {
	"gateway-start": true,
	"gateway-stop": true,
	"session-start": true,
	"session-end": true,
	"before-agent-start": true,
	"message-received": true,
	"message-sending": true,
	"message-sent": true,
	"before-tool-call": true,
	"after-tool-call": true,
	"before-compaction": true,
	"after-compaction": true,
	"tool-result-persist": true,
};
export const kebabNames = Object.keys(all) as readonly KebabName[];

export interface KebabRegistration<Name extends KebabName = KebabName> {
	readonly event: Name;
	/** What it returns counts where the event is about to happen: the same decisions as everywhere (`block`, `rewrite`, `inject` …). */
	readonly handler: (context: KebabContexts[Name]) => Decision | readonly Decision[] | undefined | void | Promise<Decision | readonly Decision[] | undefined | void>;
	/** Lower counts earlier; 100 when not given. */
	readonly priority?: number;
}

export type RegisterHook = <Name extends KebabName>(registration: KebabRegistration<Name>) => void;
