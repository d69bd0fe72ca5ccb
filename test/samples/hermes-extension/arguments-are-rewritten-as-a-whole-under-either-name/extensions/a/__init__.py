from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("intercept_tool_call")
def elsewhere(tool_args, **kwargs):
    return HookResult("rewrite", {"command": "nice " + tool_args["command"], "workdir": "/projects/two"})
