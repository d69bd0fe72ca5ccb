from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("transform_user_input")
def gives_text(user_message):
    return "rewrite"


@register_hook("before_llm_call")
def rewrites(messages):
    return HookResult("rewrite", messages)


@register_hook("intercept_tool_call")
def gives_dict(tool_name):
    return {"action": "block", "value": "In a dict."}
