def change(**kwargs):
    return "second"


def register(ctx):
    ctx.register_hook("transform_tool_result", change)
