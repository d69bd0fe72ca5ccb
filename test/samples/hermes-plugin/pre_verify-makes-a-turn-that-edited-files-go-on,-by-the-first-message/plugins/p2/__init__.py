def change(**kwargs):
    return {"action": "continue", "message": "Lint as well."}


def register(ctx):
    ctx.register_hook("pre_verify", change)
