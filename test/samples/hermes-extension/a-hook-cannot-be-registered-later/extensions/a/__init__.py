from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("intercept_tool_call")
def guard(tool_name):
    register_hook("transform_user_input")
