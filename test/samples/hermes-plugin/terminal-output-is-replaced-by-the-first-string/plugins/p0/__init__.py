def change(**kwargs):
    return {"output": "no"}


def register(ctx):
    ctx.register_hook("transform_terminal_output", change)
