"""Loads a gateway hook: a handler.py with `handle(event_type, context)`, plain or async."""
import os

from hookline_host.importing import offer
from hookline_host.unit import LoadError, is_coroutine_function

offer(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hermes-modules"))


def load(unit, host):
    path = unit.settings["file"]
    folder = os.path.basename(os.path.dirname(path))
    module = unit.import_file(path, name="hermes_hook_" + "".join(letter if letter.isalnum() else "_" for letter in folder))
    handle = getattr(module, "handle", None)
    if not callable(handle):
        what = "it has no 'handle'" if handle is None else f"its 'handle' is a {type(handle).__name__}"
        raise LoadError(f"{what}. It must be a function: async def handle(event_type, context)", path)
    unit.register(caller(handle), {"calls": "handle"})


def caller(handle):
    """What the host calls: `handle` in the kind of function that it is itself."""
    if is_coroutine_function(handle):

        async def call(payload):
            return answer(await handle(payload["event_type"], payload["context"]))

        return call

    def call_plain(payload):
        returned = handle(payload["event_type"], payload["context"])
        return awaited(returned) if hasattr(type(returned), "__await__") else answer(returned)

    return call_plain


async def awaited(returned):
    return answer(await returned)


def answer(returned):
    """Only what can decide is handed on, so that nothing else in it can make a decision unreadable."""
    if not isinstance(returned, dict):
        return None
    return {key: value for key, value in returned.items() if isinstance(key, str) and (value is None or isinstance(value, (str, bool, int)))}
