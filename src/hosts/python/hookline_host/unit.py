"""A unit as its loader sees it, and the calls of its callbacks."""

from _contextvars import Context, ContextVar

current = ContextVar("hookline_call")
CO_COROUTINE = 0x80


class LoadError(Exception):
    """Why a unit cannot be loaded, in words for its author."""

    def __init__(self, why, file=None, line=None):
        super().__init__(why)
        self.why, self.file, self.line = why, file, line


class ServiceError(Exception):
    """The agent did not do what it was asked; the message says why."""


class Call:
    __slots__ = ("id", "unit", "callback", "payload", "context", "awaited", "asks", "off")

    def __init__(self, number, unit, callback, payload):
        self.id, self.unit, self.callback, self.payload = number, unit, callback, payload
        self.context, self.awaited = Context(), None
        # Services it waits for.
        self.asks = None
        # Nobody waits for it any more.
        self.off = False

    def run(self):
        """In a thread."""
        return self.context.run(self.begin)

    def begin(self):
        current.set(self)
        return self.callback(self.payload)


class Unit:
    """What a loader's `load(unit, host)` gets."""

    def __init__(self, number, name, settings, host):
        self.number, self.name, self.settings = number, name, settings
        self._host, self._callbacks, self._unloads, self._is_loading = host, [], [], True

    def register(self, callback, what):
        """Makes a callback known, with plain data of the dialect about it. Gives its id, which counts from 0."""
        if not self._is_loading:
            raise RuntimeError(f"{self.name}: callbacks can only be registered while it is loaded")
        self._callbacks.append((callback, is_coroutine_function(callback), what))
        return len(self._callbacks) - 1

    def service(self, name, args=None):
        """Asks the agent and waits. From any thread. @raise ServiceError"""
        from .services import ask_and_wait

        return ask_and_wait(self._host, self, name, args or {})

    async def service_async(self, name, args=None):
        """Asks the agent, from a coroutine. @raise ServiceError"""
        from .services import ask

        return await ask(self._host, self, name, args or {})

    def log(self, text):
        self._host.printed.emit(self.number, f"{text}\n".encode("utf-8", "backslashreplace"))

    def on_unload(self, callback):
        """`callback()` runs when the unit is unloaded or Hookline closes; the last that was registered first."""
        self._unloads.append(callback)

    def import_file(self, path, name=None):
        """Imports a file, or a package by its `__init__.py`, as a module of that name; under one of its own when none is given."""
        from .importing import import_file

        return import_file(self, path, name)


def is_coroutine_function(callback):
    # Not inspect.iscoroutinefunction: importing inspect takes as long as starting Python. What this misses runs in a thread, and what it gives is awaited.
    code = getattr(getattr(callback, "__func__", callback), "__code__", None)
    return code is not None and bool(code.co_flags & CO_COROUTINE)
