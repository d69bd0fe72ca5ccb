from agent.extension_hooks import HookResult, get_config, get_turn_state, register_hook


@register_hook("before_llm_call", priority=1)
async def rules(messages, system_prompt, session_id):
    return HookResult("inject_system", "Follow TDD.")


@register_hook("before_llm_call", priority=2)
def reminder(messages, **kwargs):
    return HookResult("inject_user", f"After {messages[-1]['role']}: {messages[-1]['content']}")
