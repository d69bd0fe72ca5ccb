def check(tool_name, args, **kwargs):
    return {"decision": "deny"}


def register(ctx):
    ctx.register_hook("pre_tool_call", check)
