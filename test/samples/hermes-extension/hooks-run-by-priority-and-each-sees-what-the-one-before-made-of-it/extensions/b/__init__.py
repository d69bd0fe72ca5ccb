from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("transform_user_input", priority=-1.5)
def first(user_message):
    return HookResult("rewrite", user_message + " first")
