def change(**kwargs):
    return None


def register(ctx):
    ctx.register_hook("transform_tool_result", change)
