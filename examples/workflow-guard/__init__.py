"""Plan first: until there is a plan, nothing but plans can be written.

Copy this folder to ~/.hookline/extensions/workflow-guard. What it looks at can be set in config.yaml, see README.md.
"""
from pathlib import Path

from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook

from .plan_check import asks_for_changes, is_plan

PLAN = get_config("plan_path", "plans/active/plan.md")
BLOCKED_TOOLS = get_config("blocked_tools", ["write_file", "patch"])
ALLOWED_PATHS = get_config("allowed_paths", ["plans/", "handoff/"])


@register_hook("transform_user_input", priority=10)
def plan_comes_first(user_message, session_id, cwd, **kwargs):
    """A request to change something becomes one to plan it."""
    if not asks_for_changes(user_message) or is_plan(Path(cwd, PLAN)):
        return None
    get_turn_state(session_id)["planning"] = True
    return HookResult("rewrite", f"Write a plan to {PLAN}, with its steps as a list of '- [ ] …', and change nothing else yet. What is to be planned: {user_message}")


@register_hook("before_llm_call", priority=10)
def say_what_holds(session_id, cwd, **kwargs):
    """The model is told what it may do now, before every answer: the plan may just have been written."""
    if is_plan(Path(cwd, PLAN)):
        if get_turn_state(session_id).get("planning"):
            return HookResult("inject_system", "The plan is written. Stop here and show it; it is carried out when the user says so.")
        return HookResult("inject_system", f"Follow {PLAN} step by step. Run the tests before you say that a step is done.")
    return HookResult("inject_system", f"There is no plan in {PLAN}. Until there is one, files can be written in {', '.join(ALLOWED_PATHS)} only.")


# Closed: when this one fails, nothing is written.
@register_hook("intercept_tool_call", priority=10, on_error="closed")
def only_plans_without_a_plan(tool_name, tool_args, session_id, cwd, **kwargs):
    """The rule itself. The model cannot talk its way around it."""
    if tool_name not in BLOCKED_TOOLS:
        return None
    # A plan that was written in this turn has been seen by nobody yet.
    if is_plan(Path(cwd, PLAN)) and not get_turn_state(session_id).get("planning"):
        return None
    # Resolved, so that neither `plans/../src` nor a link leads out.
    target = Path(cwd, str(tool_args.get("path", ""))).resolve()
    if any(Path(cwd, allowed).resolve() in target.parents for allowed in ALLOWED_PATHS):
        return None
    return HookResult("block", f"There is no plan yet that the user has agreed to. Write one to {PLAN} and show it; files outside of {', '.join(ALLOWED_PATHS)} come after that.")
