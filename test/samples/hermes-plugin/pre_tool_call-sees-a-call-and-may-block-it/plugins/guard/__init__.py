def check(tool_name, args, task_id, **kwargs):
    print(tool_name, args["command"], task_id, kwargs["session_id"], kwargs["turn_id"], kwargs["tool_call_id"], kwargs["platform"], kwargs["telemetry_schema_version"])
    if "rm" in args["command"]:
        return {"action": "block", "message": "No removing."}


def register(ctx):
    ctx.register_hook("pre_tool_call", check)
