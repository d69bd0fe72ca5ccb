def change(**kwargs):
    return {"context": "It is Friday."}


def register(ctx):
    ctx.register_hook("pre_llm_call", change)
