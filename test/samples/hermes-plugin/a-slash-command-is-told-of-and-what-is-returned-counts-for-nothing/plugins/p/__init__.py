def see(surface, command, alias_used, args_raw, session_key, platform, **kwargs):
    print(surface, command, alias_used, args_raw, platform)
    return {"decision": "deny"}


def register(ctx):
    ctx.register_hook("pre_command", see)
