def check(args, **kwargs):
    if args["command"].startswith("rm"):
        return {"action": "block", "message": "Never."}


def register(ctx):
    ctx.register_hook("pre_tool_call", check)
