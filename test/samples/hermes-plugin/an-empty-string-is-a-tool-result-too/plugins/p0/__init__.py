def change(**kwargs):
    return ""


def register(ctx):
    ctx.register_hook("transform_tool_result", change)
