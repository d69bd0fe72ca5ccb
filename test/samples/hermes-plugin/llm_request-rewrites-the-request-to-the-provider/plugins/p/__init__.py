def cooler(request, **kwargs):
    return {"request": {**request, "temperature": 0}}


def register(ctx):
    ctx.register_middleware("llm_request", cooler)
