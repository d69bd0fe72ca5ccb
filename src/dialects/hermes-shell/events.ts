// The events of Hermes Agent as ours: which of our events a name stands for, and which of its dispatches are meant.
import { eventNames, isEventName, specOf } from "../../events/catalog.ts";
import type { EventName, Payloads } from "../../events/payloads/all.ts";

type Meaning = { [Name in EventName]: { readonly event: Name; /** Only these dispatches; all when left out. */ readonly only?: (payload: Payloads[Name]) => boolean; /** The same in words, for the documentation. */ readonly which?: string } }[EventName];

const edits = ["write_file", "patch"];

/** By the name a hook is declared with. The last three are the names of extensions (transform_user_input …), which scripts may use as well. */
const meanings = {
	pre_tool_call: { event: "tool.calling" },
	post_tool_call: { event: "tool.called" },
	transform_tool_result: { event: "tool.returning" },
	transform_terminal_output: { event: "terminal.returning" },
	pre_llm_call: { event: "turn.starting" },
	post_llm_call: { event: "turn.ended", only: ({ completed, interrupted }) => completed && !interrupted, which: "turns that succeeded" },
	transform_llm_output: { event: "turn.answering" },
	pre_verify: { event: "turn.ending", only: ({ toolNames }) => toolNames.some((name) => edits.includes(name)), which: "turns in which `write_file` or `patch` was called" },
	pre_api_request: { event: "model.requesting" },
	post_api_request: { event: "model.called" },
	api_request_error: { event: "model.failed" },
	on_stream_delta: { event: "model.streamed" },
	on_stream_end: { event: "model.called" },
	on_interim_message: { event: "message.sent", only: ({ purpose }) => purpose === "interim", which: "what the agent says beside its tool calls" },
	agent_loop_stopped: { event: "turn.ended", only: ({ interrupted }) => interrupted, which: "turns that were interrupted" },
	on_session_start: { event: "session.started", only: ({ resumed }) => !resumed, which: "new sessions" },
	on_session_end: { event: "turn.ended", only: ({ waits }) => waits !== true, which: "every turn" },
	on_session_finalize: { event: "session.ended" },
	on_session_reset: { event: "session.reset" },
	subagent_start: { event: "subagent.started" },
	subagent_stop: { event: "subagent.stopped" },
	pre_gateway_dispatch: { event: "message.receiving" },
	pre_command: { event: "command.running" },
	pre_approval_request: { event: "approval.requested" },
	post_approval_response: { event: "approval.resolved" },
	transform_user_input: { event: "input.receiving" },
	before_llm_call: { event: "model.calling" },
	intercept_tool_call: { event: "tool.calling" },
} as const satisfies Record<string, Meaning>;

export type HermesName = keyof typeof meanings;
export type EventOf<Name extends HermesName> = (typeof meanings)[Name]["event"];

/** Names of extensions, not of shell hooks: Hermes Agent itself never starts a script for them. */
const ofExtensions: readonly string[] = ["transform_user_input", "before_llm_call", "intercept_tool_call"] satisfies readonly HermesName[];

/** What Hermes Agent has and Hookline does not, each with a sentence why: a hook for it is left out, with a warning. */
export const notCarried: Readonly<Record<string, string>> = {
	pre_transcription: "Hookline transcribes nothing.",
	pre_tts_synthesis: "Hookline does not speak.",
	pre_auxiliary_call: "Calls of a second model for titles, summaries and images are not told apart here; pre_api_request hears all of them.",
	post_auxiliary_call: "Calls of a second model for titles, summaries and images are not told apart here; post_api_request hears all of them.",
	on_stream_start: "That an answer begins to come is not told by itself; on_stream_delta hears its first piece.",
	transform_api_error_classification: "What is tried again after an error of a provider is not for hooks to say; api_request_error tells of it.",
	on_skill_lifecycle: "Hookline has no skills.",
	gateway_platform_event: "What platforms tell beside messages is not handed on as it is; reactions are the events reaction.added and reaction.removed.",
	on_room_member_activity: "Hookline has no rooms with several agents.",
	...Object.fromEntries(
		["kanban_task_claimed", "kanban_task_completed", "kanban_task_blocked", "on_kanban_worker_spawned", "on_kanban_worker_exited", "on_kanban_worker_stale_claim", "on_kanban_task_updated", "on_kanban_dispatch_tick"].map((name) => [name, "Hookline has no board of tasks."]),
	),
};

/** Every name a hook may be declared with. */
export const knownNames: readonly string[] = [...Object.keys(meanings), ...eventNames];

/** Whether this is a name Hermes Agent itself starts shell hooks for. */
export const isHermesName = (written: string): written is HermesName => Object.hasOwn(meanings, written) && !ofExtensions.includes(written);

/** Our event for a name, or undefined when there is none. */
export function eventOf(written: string): EventName | undefined {
	if (isEventName(written)) return written;
	return Object.hasOwn(meanings, written) ? meanings[written as HermesName].event : undefined;
}

/** Whether a dispatch of its event is one that a hook of this name is for. */
export function isMeant(written: string, payload: object): boolean {
	const meaning = Object.hasOwn(meanings, written) ? (meanings[written as HermesName] as { readonly only?: (payload: never) => boolean }) : undefined;
	return meaning?.only?.(payload as never) ?? true;
}

/** Which dispatches a hook of this name is for, in words; undefined when it is all of them. */
export const whichOf = (written: HermesName): string | undefined => (meanings[written] as { readonly which?: string }).which;

/** Whether the answer of a hook counts at this event. */
export const decides = (event: EventName): boolean => specOf(event).kind === "intercept";

/** Whether the event says which tool it is about. */
export const hasTool = (event: EventName): boolean => ["tool.calling", "tool.called", "tool.returning", "tool.persisting", "approval.requested", "approval.resolved"].includes(event);
