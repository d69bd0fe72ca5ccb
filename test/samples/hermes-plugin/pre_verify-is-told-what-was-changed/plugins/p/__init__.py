def verify(session_id, platform, model, coding, attempt, final_response, changed_paths, **kwargs):
    print(model, coding, attempt, final_response, changed_paths)


def register(ctx):
    ctx.register_hook("pre_verify", verify)
