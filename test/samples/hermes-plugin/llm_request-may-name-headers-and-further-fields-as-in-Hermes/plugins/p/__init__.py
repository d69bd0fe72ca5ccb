def affinity(request, session_id="", **kwargs):
    return {"request": {**request, "extra_headers": {"X-Session-ID": session_id}, "extra_body": {"top_k": 3}}}


def register(ctx):
    ctx.register_middleware("llm_request", affinity)
