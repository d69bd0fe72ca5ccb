def delta(delta, kind, **kwargs):
    print(kind, delta)


def register(ctx):
    ctx.register_hook("on_stream_delta", delta)
