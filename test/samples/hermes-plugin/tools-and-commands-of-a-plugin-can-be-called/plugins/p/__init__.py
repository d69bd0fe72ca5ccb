import json

def add(args, **kwargs):
    if "b" not in args:
        return json.dumps({"error": "b is missing"})
    return json.dumps({"sum": args["a"] + args["b"], "session": kwargs["session_id"]})

async def greet(raw_args):
    return f"Hello, {raw_args or 'you'}."

SCHEMA = {"name": "add", "description": "Adds.", "parameters": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a"]}}


def register(ctx):
    ctx.register_tool(name="add", toolset="sums", schema=SCHEMA, handler=add)
    ctx.register_command("greet", greet, description="Says hello.", args_hint="[name]")
    ctx.register_command("quiet", lambda raw_args: None)
