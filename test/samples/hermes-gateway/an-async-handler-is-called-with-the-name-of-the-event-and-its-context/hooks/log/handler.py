import asyncio


async def handle(event_type: str, context: dict):
    await asyncio.sleep(0)
    print(event_type, context.get('message'), context.get('iteration'), context.get('tool_names'), context.get('response'))
