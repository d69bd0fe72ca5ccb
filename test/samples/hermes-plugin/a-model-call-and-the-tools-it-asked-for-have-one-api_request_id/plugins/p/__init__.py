def register(ctx):
    for hook in ("pre_api_request", "post_api_request", "pre_tool_call"):
        ctx.register_hook(hook, lambda api_request_id, turn_id, **given: print(api_request_id.replace(turn_id, "TURN")))
