def check(args, **kwargs):
    if "rm" in args["command"]:
        return {"action": "block", "message": "No removing."}


def register(ctx):
    ctx.register_hook("pre_tool_call", check)
