# Waits for a moment, in a coroutine.
import asyncio


async def wait(_):
    await asyncio.sleep(0.01)


hooks = [wait]
