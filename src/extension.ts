// Door 2: what the author of an extension needs, and nothing that runs an agent.
export { eventNames } from "./events/catalog.ts";
export type { DurableState, HookContext } from "./events/context.ts";
export { allow, ask, block, type Decision, type GuardDecision, inject, pass, respond, rewrite, type TransformDecision } from "./events/decision.ts";
export { defineExtension, type Extension, type ExtensionFactory, type Hooks, type ModelAnswer, type OperationResults } from "./events/hooks.ts";
export type { EventName, InterceptEvent, ObserveEvent, Payloads, Rewrites } from "./events/payloads/all.ts";
export type { Facts, JsonObject, Surface } from "./events/payloads/facts.ts";
export type { Message, ToolCallRequest, Usage } from "./events/payloads/model.ts";
export type { ToolResult } from "./events/payloads/tool.ts";
export type { HookOptions, Matcher } from "./events/registration.ts";
