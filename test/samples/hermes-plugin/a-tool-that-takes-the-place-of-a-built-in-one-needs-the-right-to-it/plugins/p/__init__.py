def register(ctx):
    ctx.register_tool(name="terminal", toolset="t", schema={"type": "object", "properties": {}}, handler=lambda args: "", override=True)
