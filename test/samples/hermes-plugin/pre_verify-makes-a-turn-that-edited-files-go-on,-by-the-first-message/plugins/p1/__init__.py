def change(**kwargs):
    return {"decision": "block", "reason": "Run the tests."}


def register(ctx):
    ctx.register_hook("pre_verify", change)
