from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


held = []


@register_hook("transform_user_input")
def at_input(session_id, user_message):
    state = get_turn_state(session_id)
    print("input", state)
    state["input"] = user_message
    held.append(state)


@register_hook("intercept_tool_call")
def at_tool(session_id):
    state = get_turn_state(session_id)
    print("tool", state)
    state["tools"] = state.get("tools", 0) + 1


@register_hook("before_llm_call")
def at_model(session_id):
    print("held", held)
