def route(event, gateway, session_store, **kwargs):
    print(event.text, event.source.platform, event.source.chat_type, event.source.user_id, event.internal)
    return {"action": "skip", "reason": "not now"}


def register(ctx):
    ctx.register_hook("pre_gateway_dispatch", route)
