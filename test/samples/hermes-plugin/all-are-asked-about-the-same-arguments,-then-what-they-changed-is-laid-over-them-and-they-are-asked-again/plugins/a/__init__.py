def longer(args, **kwargs):
    print("asked about", args)
    return {"action": "modify", "args": {"timeout": 60, "background": False}}


def register(ctx):
    ctx.register_hook("pre_tool_call", longer)
