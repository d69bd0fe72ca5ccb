def change(**kwargs):
    return "one"


def register(ctx):
    ctx.register_hook("transform_terminal_output", change)
