from hermes_cli.config import load_config


def register(ctx):
    print(load_config())
    print(ctx.has_capability("llm.model_override"), ctx.has_capability("tools.override"))
