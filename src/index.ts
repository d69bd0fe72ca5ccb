// Door 1: everything for extensions, and the engine to be mounted in other programs.
export * from "./extension.ts";
export { createEngine, type Engine, type EngineOptions, OperationBlocked, type Registration } from "./engine/engine.ts";
export type { ApprovalAnswer, ApprovalQuestion, Blocked, DispatchOptions, Go, Injection, Outcome, Responded } from "./engine/outcome.ts";
export { HookFailure } from "./events/failure.ts";
export type { DispatchRecord, HookRecord, HookSet, HookSummary, TraceSink } from "./events/record.ts";
export type { LogLevel } from "./system/log.ts";
export { type HookDefinition, RegistrationError, type Source } from "./events/registration.ts";
