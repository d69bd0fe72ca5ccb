// The handlers of the engine's rows: twenty functions, each from its own line of code, as hooks of twenty authors would be. A list filled
// from one line would be compiled as if there were only one.
import type { ToolCalling } from "../src/events/payloads/tool.ts";
import type { Stage } from "../src/events/catalog.ts";
import type { HookDefinition, HookOptions } from "../src/events/registration.ts";

export type Handler = (call: ToolCalling) => undefined;
export type AsyncHandler = (call: ToolCalling) => Promise<undefined>;

let hits = 0;
const hit = (): undefined => void hits++;

/** They look at the call and have nothing against it. */
export const handlers: readonly Handler[] = [
	(call) => (call.toolName === "deploy" ? hit() : undefined),
	(call) => (call.args["command"] === "reboot" ? hit() : undefined),
	(call) => (call.surface === "cron" ? hit() : undefined),
	(call) => (call.cwd === "/etc" ? hit() : undefined),
	(call) => (call.step === 50 ? hit() : undefined),
	(call) => (call.callId === "" ? hit() : undefined),
	(call) => (call.platform === "telegram" ? hit() : undefined),
	(call) => (call.toolName === "web_search" ? hit() : undefined),
	(call) => (call.args["path"] === "/" ? hit() : undefined),
	(call) => (call.sessionId === "s0" ? hit() : undefined),
	(call) => (call.turnId === "t0" ? hit() : undefined),
	(call) => (call.profile === "other" ? hit() : undefined),
	(call) => (call.at === 0 ? hit() : undefined),
	(call) => (call.toolName === "patch" ? hit() : undefined),
	(call) => (call.args["command"] === "shutdown" ? hit() : undefined),
	(call) => (call.userId === "u0" ? hit() : undefined),
	(call) => (call.cwd === "/boot" ? hit() : undefined),
	(call) => (call.step === 49 ? hit() : undefined),
	(call) => (call.surface === "gateway" ? hit() : undefined),
	(call) => (call.args["background"] === true ? hit() : undefined),
];

/** The same, each answering with a promise. */
export const asyncHandlers: readonly AsyncHandler[] = handlers.map((handler) => async (call) => handler(call));

const ids = Array.from({ length: 1024 }, (_, n) => `e_bench${n}`);

/** A small payload, made anew for every call as the agent does; ids and time are taken from what is given, for they are no part of a dispatch. */
export function toolCall(n: number): ToolCalling {
	return {
		eventId: ids[n & 1023]!,
		at: n,
		surface: "run",
		cwd: "/",
		profile: "default",
		sessionId: "s1",
		turnId: "t1",
		step: 1,
		toolName: "terminal",
		callId: "call_1",
		args: { command: "ls -la", timeout: n & 63 },
	};
}

/** A hook as an extension in this process would have registered it. */
export function define(event: string, stage: Stage, handler: HookDefinition["handler"], options: HookOptions = {}): HookDefinition {
	return { event, stage, handler, options, source: { extension: "bench", trust: "user", dialect: "native", rank: 0 }, host: "inline" };
}
