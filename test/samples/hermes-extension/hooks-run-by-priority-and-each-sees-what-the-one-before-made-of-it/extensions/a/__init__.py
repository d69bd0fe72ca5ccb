from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("transform_user_input", priority=20)
def second(user_message, **kwargs):
    return HookResult("rewrite", user_message + " second")


@register_hook("transform_user_input")
def last(user_message, **kwargs):
    return HookResult("rewrite", user_message + " last")
