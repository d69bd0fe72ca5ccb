from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


PLAN = get_config("plan_path", "plan.md")


@register_hook("intercept_tool_call")
def guard(tool_name):
    print(PLAN, get_config("allowed", ["x"]), get_config())
