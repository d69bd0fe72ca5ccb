def change(**kwargs):
    return "  "


def register(ctx):
    ctx.register_hook("pre_llm_call", change)
