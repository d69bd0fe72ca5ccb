def register(ctx):
    ctx.register_system_prompt_section("house", "Speak in rhymes.")
