def maybe(event, **kwargs):
    return {"action": "skip", "reason": "late"} if event.text == "late" else None


def register(ctx):
    ctx.register_hook("pre_gateway_dispatch", maybe)
