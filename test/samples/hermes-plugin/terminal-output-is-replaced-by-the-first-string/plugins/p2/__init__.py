def change(**kwargs):
    return "two"


def register(ctx):
    ctx.register_hook("transform_terminal_output", change)
