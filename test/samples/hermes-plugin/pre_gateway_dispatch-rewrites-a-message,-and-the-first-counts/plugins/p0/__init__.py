def change(**kwargs):
    return {"action": "rewrite", "text": "one"}


def register(ctx):
    ctx.register_hook("pre_gateway_dispatch", change)
