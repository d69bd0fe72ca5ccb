// Door 2: what the author of an extension needs, and nothing that runs an agent.
export type { Asking, CommandDefinition, Emission, Executed, ExecOptions, ExtensionApi, FlagDefinition, ShortcutDefinition, ToolCall, ToolDefinition } from "./events/api.ts";
export type { CallPlace } from "./events/brings.ts";
export { eventNames } from "./events/catalog.ts";
export type { DurableState, HookContext } from "./events/context.ts";
export { allow, ask, block, type Decision, type GuardDecision, inject, pass, respond, rewrite, type TransformDecision } from "./events/decision.ts";
export { GrantError } from "./events/grant-error.ts";
export { defineExtension, type Extension, type ExtensionFactory, type Hooks, type ModelAnswer, type OperationResults } from "./events/hooks.ts";
export type { KebabContexts, KebabName, KebabRegistration } from "./events/kebab-hooks.ts";
export type { EventName, InterceptEvent, ObserveEvent, Payloads, Rewrites } from "./events/payloads/all.ts";
export type { Facts, JsonObject, Surface } from "./events/payloads/facts.ts";
export type { Message, ToolCallRequest, Usage } from "./events/payloads/model.ts";
export type { ToolResult } from "./events/payloads/tool.ts";
export type { AnsweringProvider, KeyLogin, ModelAnswered, ModelAsked, ModelCall, OAuthLogin, ProviderDefinition, ProviderLogin, ProviderModel, ServedProvider } from "./events/providers.ts";
export type { HookOptions, Matcher } from "./events/registration.ts";
export type { Completion, CompletionRequest, Conversed, ConverseRequest, ModelInUse } from "./events/requests.ts";
export type { StandardSchema } from "./events/standard-schema.ts";
export type { Ui, UiPart } from "./events/ui.ts";
