def see(tool_name, args, result, task_id, duration_ms, status, error_type, error_message, **kwargs):
    print(tool_name, args, result, duration_ms, status, error_type, error_message)
    return "ignored"


def register(ctx):
    ctx.register_hook("post_tool_call", see)
