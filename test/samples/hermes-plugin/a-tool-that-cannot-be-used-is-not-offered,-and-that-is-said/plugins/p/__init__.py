def register(ctx):
    ctx.register_tool(name="search", toolset="web", schema={"type": "object", "properties": {}}, handler=lambda args: "", requires_env=["SEARCH_KEY"])
