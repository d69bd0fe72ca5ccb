import time

sessions = {}

def start(session_id, **kwargs):
    time.sleep(0.2)
    sessions[session_id] = 1

def context(session_id, **kwargs):
    return f"prepared {sessions[session_id]}"


def register(ctx):
    ctx.register_hook("on_session_start", start)
    ctx.register_hook("pre_llm_call", context)
