"""The event loop for coroutine functions, in a thread of its own. Made when the first one is needed: asyncio takes three times as long to import as Python
to start."""

import sys
from _collections import deque
from _thread import allocate_lock, start_new_thread


class Loop:
    def __init__(self, host):
        self.host, self.asyncio, self.loop, self.thread = host, None, None, None
        self.waiting, self.tasks, self.lock = deque(), {}, allocate_lock()
        self.will_flush = False
        # Its thread waits for an answer of the agent, and what leads to that answer may be coroutines: they run elsewhere.
        self.held = False

    def open(self):
        with self.lock:
            if self.loop is not None:
                return
            import asyncio

            self.asyncio = asyncio
            self.loop = asyncio.new_event_loop()
            self.loop.set_exception_handler(self.stray)
            self.thread = start_new_thread(self.run, ())

    def run(self):
        self.asyncio.set_event_loop(self.loop)
        while True:
            try:
                self.loop.run_forever()
            except BaseException as error:
                # sys.exit in a task that user code made, or the like.
                self.host.stray(error)

    def put(self, call):
        self.waiting.append(call)

    def start(self):
        """Sees to it that what was put is begun."""
        if self.waiting:
            self.loop.call_soon_threadsafe(self.begin)

    def begin(self):
        while self.waiting:
            call = self.waiting.popleft()
            # A task takes over the context it is made in.
            self.tasks[call.id] = call.context.run(self.loop.create_task, self.answer(call))

    async def answer(self, call):
        try:
            awaited = call.awaited
            result = await (call.begin() if awaited is None else awaited)
        except BaseException as error:
            self.host.failed(call, error)
        else:
            self.host.answered(call, result)
        self.tasks.pop(call.id, None)
        if not self.will_flush:
            self.will_flush = True
            self.loop.call_soon(self.flush)

    def flush(self):
        self.will_flush = False
        self.host.lines.flush()

    def cancel(self, number):
        """From any thread."""
        self.loop.call_soon_threadsafe(self.find_and_cancel, number)

    def find_and_cancel(self, number):
        task = self.tasks.get(number)
        if task is not None:
            # In its turn after the task's first step: one that never began would never answer.
            self.loop.call_soon(task.cancel)

    def complete(self, coroutine):
        """Runs a coroutine to its end, for another thread. Gives what it returned. @raise what it raised."""
        self.open()
        return self.asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def stray(self, _, context):
        self.host.stray(context.get("exception") or RuntimeError(context.get("message")))

    def files_at_work(self):
        """Of the code that keeps the loop busy right now, innermost first."""
        frame = sys._current_frames().get(self.thread)
        while frame is not None:
            yield frame.f_code.co_filename
            frame = frame.f_back


def run_alone(awaitable):
    """Runs it on a loop of its own, in the thread that calls."""
    import asyncio

    async def finish():
        return await awaitable

    return asyncio.run(finish())
