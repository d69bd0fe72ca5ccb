from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("intercept_tool_call", priority=1)
def sets(session_id):
    get_turn_state(session_id)["authorized_paths"] = ["plans/"]
