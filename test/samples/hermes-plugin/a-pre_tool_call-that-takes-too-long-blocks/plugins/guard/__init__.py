import asyncio

async def check(**kwargs):
    await asyncio.sleep(600)


def register(ctx):
    ctx.register_hook("pre_tool_call", check)
