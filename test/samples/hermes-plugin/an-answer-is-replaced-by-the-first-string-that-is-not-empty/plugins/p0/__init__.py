def change(**kwargs):
    return ""


def register(ctx):
    ctx.register_hook("transform_llm_output", change)
