def asked(command, description, pattern_key, pattern_keys, session_key, surface, **kwargs):
    print("asked", command, "|", description, "|", pattern_key, pattern_keys, session_key, surface)

def answered(command, choice, surface, **kwargs):
    print("answered", command, choice, surface)


def register(ctx):
    ctx.register_hook("pre_approval_request", asked)
    ctx.register_hook("post_approval_response", answered)
