import asyncio


async def handle(event_type, context):
    if event_type == 'agent:start':
        await asyncio.sleep(0.2)
    print(event_type)
