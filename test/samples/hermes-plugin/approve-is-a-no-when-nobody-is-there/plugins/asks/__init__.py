def ask(**kwargs):
    return {"action": "approve", "message": "Really?", "rule_key": "r"}


def register(ctx):
    ctx.register_hook("pre_tool_call", ask)
