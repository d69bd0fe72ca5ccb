from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("intercept_tool_call", priority=2)
async def reads(session_id):
    print(get_turn_state(session_id))
