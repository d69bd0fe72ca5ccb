from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


try:
    register_hook("intercept_tool_call", priority="high")
except Exception:
    pass


@register_hook("transform_user_input")
def fine(user_message):
    pass
