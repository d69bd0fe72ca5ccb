def change(**kwargs):
    return "first"


def register(ctx):
    ctx.register_hook("transform_tool_result", change)
