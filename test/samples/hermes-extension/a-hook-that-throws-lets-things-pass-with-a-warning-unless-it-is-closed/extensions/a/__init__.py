from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("transform_user_input")
def breaks(user_message):
    raise ValueError("broken")


@register_hook("intercept_tool_call", on_error="closed")
def breaks_too(tool_name):
    raise ValueError("broken")
