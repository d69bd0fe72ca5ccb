def see(**kwargs):
    return {"action": "block", "message": "no"}

def register(ctx):
    ctx.register_hook("pre_tool_call", see)
    raise ValueError("no")
