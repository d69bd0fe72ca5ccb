from hermes_cli.middleware import LLMExecutionBlocked

def stop(request, next_call, **kwargs):
    raise LLMExecutionBlocked("Over budget.")


def register(ctx):
    ctx.register_middleware("llm_execution", stop)
