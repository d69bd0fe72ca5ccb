def change(**kwargs):
    return {"action": "rewrite", "text": "two"}


def register(ctx):
    ctx.register_hook("pre_gateway_dispatch", change)
