def change(**kwargs):
    return {"action": "continue", "message": "More."}


def register(ctx):
    ctx.register_hook("pre_verify", change)
