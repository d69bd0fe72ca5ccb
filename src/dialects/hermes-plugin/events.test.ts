import assert from "node:assert/strict";
import { test } from "node:test";
import { isHermesName, knownNames, notCarried } from "../hermes-shell/events.ts";
import { allArguments } from "./arguments.ts";
import { isPluginHook, type PluginHook, whyNot } from "./events.ts";

test("every hook that shell hooks have of Hermes is there for plugins, and none is both carried and not", () => {
	for (const name of knownNames) if (isHermesName(name)) assert.ok(isPluginHook(name), name);
	for (const name of Object.keys(notCarried)) assert.ok(!isPluginHook(name), name);
});

test("a name that is not carried says why, and one that does not exist names the nearest", () => {
	assert.equal(whyNot("on_skill_lifecycle"), "Hookline does not have the hook 'on_skill_lifecycle', so it is never called: Hookline has no skills.");
	assert.equal(whyNot("pre_tool_cal"), "there is no hook 'pre_tool_cal', so it is never called. Did you mean 'pre_tool_call'?");
});

test("callbacks get every argument that the documentation of Hermes names", () => {
	const named: Readonly<Partial<Record<PluginHook, string>>> = {
		pre_tool_call: "tool_name args task_id session_id tool_call_id turn_id api_request_id middleware_trace",
		post_tool_call: "tool_name args result task_id duration_ms session_id tool_call_id turn_id status error_type error_message",
		transform_tool_result: "tool_name args arguments result task_id duration_ms session_id status error_type error_message",
		transform_terminal_output: "command output returncode exit_code cwd task_id env_type",
		pre_llm_call: "session_id task_id turn_id user_message conversation_history is_first_turn model platform parent_session_id sender_id",
		post_llm_call: "session_id task_id turn_id user_message assistant_response conversation_history model platform",
		transform_llm_output: "response_text session_id model platform",
		pre_verify: "session_id platform model coding attempt final_response changed_paths",
		on_session_start: "session_id model platform",
		on_session_end: "session_id task_id turn_id completed failed interrupted turn_exit_reason model platform",
		on_session_finalize: "session_id platform",
		on_session_reset: "session_id platform reason old_session_id new_session_id",
		subagent_start: "parent_session_id parent_turn_id parent_subagent_id child_session_id child_subagent_id child_role child_goal",
		subagent_stop: "parent_session_id parent_turn_id child_session_id child_role child_summary child_status tool_call_history duration_ms",
		pre_gateway_dispatch: "event gateway session_store",
		pre_command: "surface command alias_used args_raw session_key platform",
		pre_approval_request: "command description pattern_key pattern_keys session_key surface turn_id",
		post_approval_response: "command description pattern_key pattern_keys session_key surface choice",
		on_stream_delta: "delta kind turn_id iteration session_id model provider surface",
		on_stream_end: "final_text finished error turn_id iteration session_id model provider surface",
	};
	const given = allArguments();
	for (const [hook, names] of Object.entries(named)) for (const name of names.split(" ")) assert.ok(given[hook as keyof typeof given].includes(name), `${hook} is not given ${name}`);
});
