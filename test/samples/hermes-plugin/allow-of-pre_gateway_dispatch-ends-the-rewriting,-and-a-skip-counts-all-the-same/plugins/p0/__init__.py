def change(**kwargs):
    return {"action": "allow"}


def register(ctx):
    ctx.register_hook("pre_gateway_dispatch", change)
