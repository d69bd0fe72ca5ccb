"""Events between plugins: `<plugin>:<event>`, for everyone who subscribed in this process."""

from _contextvars import ContextVar
from _queue import SimpleQueue
from _thread import allocate_lock, start_new_thread

from hookline_host.errors import raised
from hookline_host.unit import Call

from .calling import place, takes

# Events on their way; a further one is dropped.
PENDING = 64
# Events that were emitted because of one another.
DEPTH = 8

depth = ContextVar("hermes_event_depth", default=0)


class Subscription:
    def __init__(self, unit, callback):
        self.unit, self.callback, self.takes, self.live = unit, callback, takes(callback), True


class Bus:
    def __init__(self, host):
        self.host, self.subscriptions, self.queue, self.lock = host, {}, SimpleQueue(), allocate_lock()
        self.pending, self.works, self.told = 0, False, set()

    def subscribe(self, unit, event, callback):
        """Gives a function that ends it, also for what is on its way already."""
        subscription = Subscription(unit, callback)
        with self.lock:
            self.subscriptions[event] = [*self.subscriptions.get(event, ()), subscription]

        def end():
            subscription.live = False
            with self.lock:
                self.subscriptions[event] = [one for one in self.subscriptions[event] if one is not subscription]

        return end

    def emit(self, unit, event, payload):
        """Never waits. Gives for how many it is on its way."""
        from copy import deepcopy

        if depth.get() >= DEPTH:
            unit.log(f"'{event}' was dropped: it was emitted because of {DEPTH} events that were each emitted because of another")
            return 0
        with self.lock:
            subscriptions = self.subscriptions.get(event, ())
            if not subscriptions:
                return 0
            full = self.pending >= PENDING
            if not full:
                self.pending += 1
            if not self.works:
                self.works = True
                start_new_thread(self.work, ())
        if full:
            unit.log(f"'{event}' was dropped: {PENDING} events are waiting for their subscribers")
            return 0
        try:
            copied = deepcopy(payload)
        except BaseException:
            with self.lock:
                self.pending -= 1
            raise
        self.queue.put((event, copied, subscriptions, depth.get() + 1, place.get()))
        return len(subscriptions)

    def work(self):
        while True:
            event, payload, subscriptions, level, where = self.queue.get()
            for subscription in subscriptions:
                if subscription.live:
                    try:
                        self.deliver(subscription, payload, level, where)
                    except BaseException as error:
                        self.failed(subscription.unit, event, error)
            with self.lock:
                self.pending -= 1

    def deliver(self, subscription, payload, level, where):
        from copy import deepcopy

        def run(_):
            depth.set(level)
            place.set(where)
            return subscription.callback(**deepcopy(subscription.takes.of(payload)))

        call = Call(0, subscription.unit, run, None)
        returned = call.run()
        if hasattr(type(returned), "__await__"):
            call.context.run(self.host.loop.complete, finished(returned))

    def failed(self, unit, event, error):
        """Told once; the same subscriber fails the same way at each event."""
        what = (unit.number, event, raised(self.host, error))
        if what not in self.told and len(self.told) < 1000:
            self.told.add(what)
            self.host.stray(error, unit)


async def finished(awaitable):
    await awaitable
