def start(session_id, model, platform, **kwargs):
    print("start", session_id, model, platform)

def finalize(session_id, platform, **kwargs):
    print("finalize", session_id, platform, kwargs["reason"])

def reset(session_id, platform, **kwargs):
    print("reset", session_id, platform, kwargs["old_session_id"], kwargs["new_session_id"])


def register(ctx):
    ctx.register_hook("on_session_start", start)
    ctx.register_hook("on_session_finalize", finalize)
    ctx.register_hook("on_session_reset", reset)
