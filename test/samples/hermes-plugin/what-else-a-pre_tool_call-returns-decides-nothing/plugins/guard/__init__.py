def one(**kwargs):
    return "deny"

def two(**kwargs):
    return {"action": "allow"}

def three(**kwargs):
    return False

def four(**kwargs):
    return {"action": "blok", "message": "no"}


def register(ctx):
    ctx.register_hook("pre_tool_call", one)
    ctx.register_hook("pre_tool_call", two)
    ctx.register_hook("pre_tool_call", three)
    ctx.register_hook("pre_tool_call", four)
