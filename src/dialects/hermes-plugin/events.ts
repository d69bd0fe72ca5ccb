// The hooks of Hermes plugins as our events. What a name stands for is said where shell hooks have it too; here is what plugins alone have of it.
import { didYouMean } from "../../system/nearest.ts";
import { type EventOf, eventOf, type HermesName, notCarried } from "../hermes-shell/events.ts";

/** `closed`: it has so long as `hook_callback_timeout` says, and a failure blocks. `open`: as long, and things go on without it. `unbounded`: Hermes never ends it, here it has 600 s. */
type Bound = "closed" | "open" | "unbounded";

interface PluginHookSpec {
	readonly bound: Bound;
	/** Comes so often that it has a queue of its own, and the others are not held up by it. */
	readonly apart?: true;
	/** What becomes of what it returns, for the documentation; nothing when left out. */
	readonly answer?: string;
}

/** In the order of the documentation. */
export const hooks = {
	pre_tool_call: { bound: "closed", answer: "`{\"action\": \"block\", \"message\": …}`, `{\"action\": \"modify\", \"args\": {…}}`, `{\"action\": \"approve\", \"message\": …}` (a person is asked)" },
	post_tool_call: { bound: "open" },
	transform_tool_result: { bound: "open", answer: "a string replaces the result; the first counts, an empty one too" },
	transform_terminal_output: { bound: "open", answer: "a string replaces the output; the first counts, an empty one too" },
	pre_llm_call: { bound: "open", answer: "a string or `{\"context\": …}` is added to the user's message, all of them" },
	post_llm_call: { bound: "open" },
	transform_llm_output: { bound: "open", answer: "a string that is not empty replaces the answer; the first counts" },
	pre_verify: { bound: "open", answer: "`{\"action\": \"continue\", \"message\": …}` or `{\"decision\": \"block\", \"reason\": …}`: the agent goes on with that; the first counts" },
	pre_api_request: { bound: "open" },
	post_api_request: { bound: "open" },
	api_request_error: { bound: "open" },
	on_stream_delta: { bound: "unbounded", apart: true },
	on_stream_end: { bound: "unbounded", apart: true },
	on_interim_message: { bound: "unbounded", apart: true },
	on_session_start: { bound: "open" },
	on_session_end: { bound: "open" },
	on_session_finalize: { bound: "unbounded" },
	on_session_reset: { bound: "unbounded" },
	agent_loop_stopped: { bound: "unbounded" },
	subagent_start: { bound: "unbounded" },
	subagent_stop: { bound: "unbounded" },
	pre_gateway_dispatch: { bound: "unbounded", answer: "`{\"action\": \"skip\", \"reason\": …}` drops the message, `{\"action\": \"rewrite\", \"text\": …}` replaces its text, `{\"action\": \"allow\"}` ends the rewriting" },
	pre_command: { bound: "unbounded" },
	pre_approval_request: { bound: "unbounded" },
	post_approval_response: { bound: "unbounded" },
} as const satisfies Partial<Record<HermesName, PluginHookSpec>>;

export type PluginHook = keyof typeof hooks;
export const hookNames = Object.keys(hooks) as readonly PluginHook[];

export const isPluginHook = (name: string): name is PluginHook => Object.hasOwn(hooks, name);
export const specOfHook = (hook: PluginHook): PluginHookSpec => hooks[hook];
export const eventOfHook = (hook: PluginHook): EventOf<PluginHook> => eventOf(hook) as EventOf<PluginHook>;

/** Why a hook of that name is never called, a sentence. */
export function whyNot(name: string): string {
	if (Object.hasOwn(notCarried, name)) return `Hookline does not have the hook '${name}', so it is never called: ${notCarried[name]}`;
	return `there is no hook '${name}', so it is never called.${didYouMean(name, [...hookNames, ...Object.keys(notCarried)])}`;
}
