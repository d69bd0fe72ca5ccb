def check(args, **kwargs):
    return args["no such"]


def register(ctx):
    ctx.register_hook("pre_tool_call", check)
