def change(**kwargs):
    return None


def register(ctx):
    ctx.register_hook("pre_llm_call", change)
