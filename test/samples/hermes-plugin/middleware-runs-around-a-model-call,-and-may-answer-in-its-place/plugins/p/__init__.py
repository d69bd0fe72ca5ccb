def polite(request, next_call, **kwargs):
    answer = next_call()
    return {**answer, "text": answer["text"] + ", please"}


def register(ctx):
    ctx.register_middleware("llm_execution", polite)
