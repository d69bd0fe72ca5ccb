from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("intercept_tool_call", priority=1)
def guard(tool_name, tool_args, session_id, task_id):
    return HookResult("block", f"No {tool_name} {tool_args['command']} {session_id == task_id}.")


@register_hook("intercept_tool_call", priority=2)
def later(**kwargs):
    print("called")
