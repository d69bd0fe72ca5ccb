def register(ctx):
    print(ctx.plugin_id, ctx.get_config("color"), ctx.get_config("size", 3), ctx.has_plugin("p"), ctx.has_plugin("q"))
