calls = []

def around(tool_name, next_call, **kwargs):
    calls.append(tool_name)
    return next_call().upper()

def just(next_call, **kwargs):
    next_call()


def register(ctx):
    ctx.register_middleware("tool_execution", around)
    ctx.register_middleware("tool_execution", just)
