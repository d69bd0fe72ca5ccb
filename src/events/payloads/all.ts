// Every event and its payload. The catalog must have one row for each name here, and no other.
import type * as conversation from "./conversation.ts";
import type { JsonObject } from "./facts.ts";
import type * as house from "./house.ts";
import type * as model from "./model.ts";
import type * as tool from "./tool.ts";

/** Events that are about to happen: the agent waits for the answers. Their names end in -ing. */
export interface InterceptPayloads {
	"message.receiving": conversation.MessageReceiving;
	"message.sending": conversation.MessageSending;
	"command.running": conversation.CommandRunning;
	"input.receiving": conversation.InputReceiving;
	"session.switching": conversation.SessionSwitching;
	"session.compacting": conversation.SessionCompacting;
	"turn.starting": conversation.TurnStarting;
	"model.calling": model.ModelCalling;
	"model.requesting": model.ModelRequesting;
	"tool.calling": tool.ToolCalling;
	"terminal.returning": tool.TerminalReturning;
	"tool.returning": tool.ToolReturning;
	"tool.persisting": tool.ToolPersisting;
	"turn.answering": conversation.TurnAnswering;
	"turn.ending": conversation.TurnEnding;
	"shell.running": conversation.ShellRunning;
	"subagent.starting": house.SubagentStarting;
}

/** Events that have happened: handlers are told, nobody waits. */
export interface ObservePayloads {
	"gateway.started": house.GatewayStarted;
	"gateway.stopped": house.GatewayStopped;
	"message.received": conversation.MessageReceived;
	"message.sent": conversation.MessageSent;
	"reaction.added": conversation.ReactionAdded;
	"reaction.removed": conversation.ReactionRemoved;
	"command.ran": conversation.CommandRan;
	"session.started": conversation.SessionStarted;
	"session.ended": conversation.SessionEnded;
	"session.reset": conversation.SessionReset;
	"session.switched": conversation.SessionSwitched;
	"session.compacted": conversation.SessionCompacted;
	"turn.started": conversation.TurnStarted;
	"turn.ended": conversation.TurnEnded;
	"step.started": conversation.StepStarted;
	"step.ended": conversation.StepEnded;
	"model.streamed": model.ModelStreamed;
	"model.called": model.ModelCalled;
	"model.failed": model.ModelFailed;
	"model.selected": model.ModelSelected;
	"tool.called": tool.ToolCalled;
	"approval.requested": tool.ApprovalRequested;
	"approval.resolved": tool.ApprovalResolved;
	"subagent.started": house.SubagentStarted;
	"subagent.stopped": house.SubagentStopped;
	"extension.loaded": house.ExtensionLoaded;
	"extension.failed": house.ExtensionFailed;
	"extension.refused": house.ExtensionRefused;
	"hook.failed": house.HookFailed;
	"config.changed": house.ConfigChanged;
}

export interface Payloads extends InterceptPayloads, ObservePayloads {}

export type InterceptEvent = keyof InterceptPayloads;
export type ObserveEvent = keyof ObservePayloads;
export type EventName = keyof Payloads;

/** What `rewrite(value)` takes at each event that can be rewritten. Where it is an object of optional fields, only those given change. */
export interface Rewrites {
	"message.receiving": string;
	"message.sending": string;
	"command.running": { readonly name?: string; readonly args?: string };
	"input.receiving": string;
	"session.compacting": { readonly summary?: string; readonly instructions?: string };
	"turn.starting": string;
	"model.calling": readonly model.Message[];
	"model.requesting": { readonly body?: JsonObject; readonly headers?: Readonly<Record<string, string>> };
	"tool.calling": JsonObject;
	"terminal.returning": string;
	"tool.returning": tool.ToolResult;
	"tool.persisting": tool.ToolResult;
	"turn.answering": string;
	"shell.running": string;
	"subagent.starting": string;
}
