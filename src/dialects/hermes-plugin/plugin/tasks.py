"""Coroutines that a plugin has running in the background, on the loop where all coroutines run."""


class Tasks:
    def __init__(self, unit, host):
        self.unit, self.host, self.running = unit, host, set()

    def spawn(self, coroutine, name):
        """Gives a task when called from a coroutine, else a future; both can be cancelled."""
        loop = self.host.loop
        loop.open()
        asyncio = loop.asyncio
        if not asyncio.iscoroutine(coroutine):
            raise TypeError("ctx.spawn_task needs a coroutine: ctx.spawn_task(work())")
        if asyncio._get_running_loop() is loop.loop:
            return loop.loop.create_task(self.watch(coroutine), name=name)
        return asyncio.run_coroutine_threadsafe(self.watch(coroutine), loop.loop)

    async def watch(self, coroutine):
        asyncio = self.host.loop.asyncio
        task = asyncio.current_task()
        self.running.add(task)
        try:
            return await coroutine
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self.host.stray(error, self.unit)
        finally:
            self.running.discard(task)

    def end(self):
        """Cancels them. Gives something to wait for, when there is."""
        return self.ended(list(self.running)) if self.running else None

    async def ended(self, tasks):
        for task in tasks:
            task.cancel()
        await self.host.loop.asyncio.wait(tasks, timeout=1)
