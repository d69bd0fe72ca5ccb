def change(**kwargs):
    return "The sun shines."


def register(ctx):
    ctx.register_hook("pre_llm_call", change)
