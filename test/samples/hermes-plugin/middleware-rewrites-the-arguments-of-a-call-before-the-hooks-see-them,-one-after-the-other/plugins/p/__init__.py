def one(tool_name, args, **kwargs):
    return {"args": {**args, "command": args["command"] + " one"}, "reason": "why not"}

def two(args, **kwargs):
    return {"args": {**args, "command": args["command"] + " two"}}

def nothing(**kwargs):
    return None

def see(args, **kwargs):
    print(args["command"])


def register(ctx):
    ctx.register_hook("pre_tool_call", see)
    ctx.register_middleware("tool_request", one)
    ctx.register_middleware("tool_request", two)
    ctx.register_middleware("tool_request", nothing)
