from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("intercept_tool_call", priority=1)
def notes(**kwargs):
    return HookResult("pass", metadata={"seen": kwargs["tool_name"], "by": "notes"})


@register_hook("intercept_tool_call", priority=2)
def overwrites(metadata, **kwargs):
    return HookResult("pass", None, {"by": "overwrites"})
