def change(**kwargs):
    return {"other": 1}


def register(ctx):
    ctx.register_hook("pre_llm_call", change)
