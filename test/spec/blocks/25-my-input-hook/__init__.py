from agent.extension_hooks import register_hook

@register_hook("transform_user_input", priority=10)
def my_input_hook(user_message, **kwargs):
    if is_implementation_request(user_message) and not has_valid_plan():
        return HookResult("rewrite", f"/start-feature {user_message}")
    return HookResult("pass")
