"""How the callbacks of a plugin are called: with the arguments that they declare."""

from _contextvars import ContextVar
from types import FunctionType

from hookline_host.unit import is_coroutine_function

# The payload of the call under way.
place = ContextVar("hermes_place", default={})


class Takes:
    """What a callback can be given. `names` by keyword, `required` those without a default, `unnamed` those without a default that no keyword reaches."""

    __slots__ = ("names", "required", "unnamed", "everything")

    def __init__(self, names, required, unnamed, everything):
        self.names, self.required, self.unnamed, self.everything = names, required, unnamed, everything

    def of(self, given):
        return given if self.everything else {name: given[name] for name in self.names if name in given}


def takes(callback, after=0):
    """What it takes, `after` so many arguments that are given by position."""
    function = getattr(callback, "__func__", callback)
    # Importing inspect takes as long as starting Python, and most plugins have nothing but plain functions.
    if type(function) is FunctionType and not hasattr(function, "__wrapped__") and not hasattr(function, "__signature__"):
        code = function.__code__
        first = after + (function is not callback)
        positional = code.co_varnames[: code.co_argcount]
        by_keyword = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        without = positional[: code.co_argcount - len(function.__defaults__ or ())]
        unnamed = without[first : code.co_posonlyargcount]
        required = without[max(first, code.co_posonlyargcount) :] + tuple(name for name in by_keyword if name not in (function.__kwdefaults__ or {}))
        return Takes(positional[max(first, code.co_posonlyargcount) :] + by_keyword, required, unnamed, bool(code.co_flags & 0x08))
    import inspect

    try:
        parameters = list(inspect.signature(callback).parameters.values())
    except (TypeError, ValueError):
        return Takes((), (), (), True)
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    open_to = [one for one in parameters if one not in positional[:after] and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    unnamed = tuple(one.name for one in positional[after:] if one.kind is one.POSITIONAL_ONLY and one.default is one.empty)
    required = tuple(one.name for one in open_to if one.default is one.empty)
    return Takes(tuple(one.name for one in open_to), required, unnamed, any(one.kind is one.VAR_KEYWORD for one in parameters))


def caller(handle, callback, arguments, answer):
    """
    What the host calls for a callback, in the kind of function that it is itself. `arguments(payload)` gives its arguments, by position and by keyword;
    `answer(returned)` what goes back.
    """
    if is_coroutine_function(callback):

        async def call(payload):
            if handle.disposed:
                return handle.missing()
            place.set(payload)
            args, named = arguments(payload)
            return answer(await callback(*args, **named))

        return call

    def call_plain(payload):
        if handle.disposed:
            return handle.missing()
        place.set(payload)
        args, named = arguments(payload)
        returned = callback(*args, **named)
        return awaited(returned, answer) if hasattr(type(returned), "__await__") else answer(returned)

    return call_plain


async def awaited(returned, answer):
    return answer(await returned)


def name_of(callback):
    function = getattr(callback, "func", callback)
    return getattr(function, "__name__", None) or type(function).__name__
