"""Threads for callbacks that are no coroutine functions. One of them, the runner, works off what is waiting, as handing each call to a thread of its own
would cost more than most calls take. When it does not come back from a call within a moment, another takes over, and a hung one holds up nobody."""

from _collections import deque
from _thread import allocate_lock, start_new_thread


class Threads:
    def __init__(self, run, when_idle):
        """`run(call)` must not raise. `when_idle()` is called when nothing is waiting any more."""
        self.run, self.when_idle = run, when_idle
        self.waiting, self.idle = deque(), []
        self.runner = None
        # Calls begun, so that it shows whether the runner moves on.
        self.begun = self.seen = 0

    def put(self, call):
        self.waiting.append(call)

    def start(self):
        """Sees to it that somebody works off what was put."""
        if self.runner is not None or not self.waiting:
            return
        self.seen = self.begun
        try:
            baton = self.idle.pop()
        except IndexError:
            baton = allocate_lock()
            self.runner = baton
            start_new_thread(self.work, (baton,))
        else:
            self.runner = baton
            baton.release()

    def look(self):
        """Called from time to time while there is a runner: one that is stuck in a call is no runner any more."""
        if self.begun == self.seen:
            self.runner = None
            self.start()
        self.seen = self.begun

    def work(self, baton):
        baton.acquire()
        while True:
            try:
                call = self.waiting.popleft()
            except IndexError:
                if self.runner is baton:
                    self.runner = None
                # Put after we looked, while we were still the runner: nobody else will take it.
                if self.waiting:
                    self.runner = baton
                    continue
                self.idle.append(baton)
                self.when_idle()
                baton.acquire()
            else:
                self.begun += 1
                self.run(call)
                call = None
