import time

seen = []

def slow(tool_name, **kwargs):
    time.sleep(0.1)
    seen.append(tool_name)

def ended(**kwargs):
    print(len(seen))


def register(ctx):
    ctx.register_hook("post_tool_call", slow)
    ctx.register_hook("on_session_end", ended)
