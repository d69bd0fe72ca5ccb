def broken(**kwargs):
    raise ValueError("broken")


def register(ctx):
    ctx.register_hook("transform_tool_result", broken)
    ctx.register_hook("pre_llm_call", broken)
    ctx.register_hook("post_tool_call", broken)
