def nice(args, **kwargs):
    print("asked about", args)
    if not args["command"].startswith("nice"):
        return {"action": "modify", "args": {"command": "nice " + args["command"], "timeout": 90}}


def register(ctx):
    ctx.register_hook("pre_tool_call", nice)
