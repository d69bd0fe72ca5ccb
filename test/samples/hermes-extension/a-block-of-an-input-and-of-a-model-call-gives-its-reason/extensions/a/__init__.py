from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("transform_user_input")
def no_input(user_message):
    return HookResult("block", "Not now.")


@register_hook("before_llm_call")
def no_call(messages, system_prompt):
    return HookResult(action="block", value=f"{len(messages)} {system_prompt}")
