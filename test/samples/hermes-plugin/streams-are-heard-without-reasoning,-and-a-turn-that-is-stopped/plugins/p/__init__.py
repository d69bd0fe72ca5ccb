def delta(delta, kind, **kwargs):
    print(kind, delta)

def end(final_text, finished, error, **kwargs):
    print("end", final_text, finished, error)

def interim(text, **kwargs):
    print("interim", text)

def stopped(session_key, platform, reason, **kwargs):
    print("stopped", session_key, platform, reason)


def register(ctx):
    ctx.register_hook("on_stream_delta", delta)
    ctx.register_hook("on_stream_end", end)
    ctx.register_hook("on_interim_message", interim)
    ctx.register_hook("agent_loop_stopped", stopped)
