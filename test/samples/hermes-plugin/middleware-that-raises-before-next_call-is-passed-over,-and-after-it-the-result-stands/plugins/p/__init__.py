def before(**kwargs):
    raise ValueError("before")

def after(next_call, **kwargs):
    next_call()
    raise ValueError("after")


def register(ctx):
    ctx.register_middleware("tool_execution", before)
    ctx.register_middleware("tool_execution", after)
