def see(**kwargs):
    pass


def register(ctx):
    ctx.register_hook("pre_tool_cal", see)
    ctx.register_hook("pre_transcription", see)
    ctx.register_hook("pre_tool_call", see)
