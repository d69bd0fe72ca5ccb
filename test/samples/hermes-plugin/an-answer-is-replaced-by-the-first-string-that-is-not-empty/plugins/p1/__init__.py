def change(**kwargs):
    return "better"


def register(ctx):
    ctx.register_hook("transform_llm_output", change)
