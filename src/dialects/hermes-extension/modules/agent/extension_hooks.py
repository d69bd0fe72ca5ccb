"""What extensions in Python import: `from agent.extension_hooks import register_hook, HookResult, get_turn_state, get_config`."""
from __future__ import annotations

import contextvars
import difflib
import inspect
import threading
from dataclasses import dataclass, field
from typing import Any, Callable

from hookline_host.unit import LoadError, is_coroutine_function

__all__ = ["register_hook", "HookResult", "get_turn_state", "get_config"]


@dataclass
class HookResult:
    """The answer of a hook. `metadata` is for the hooks that run after it, as their keyword argument `metadata`."""

    action: str = "pass"
    value: Any = None
    metadata: dict = field(default_factory=dict)


@dataclass
class _Extension:
    """One that is loaded or running; `hooks` is a list while it is being loaded."""

    config: dict
    gives: dict
    hooks: list | None = field(default_factory=list)
    # The first registration that was refused. It counts also when the author's own code caught it: a guard that is missing must not pass for one that is there.
    refused: LoadError | None = None


@dataclass
class _Hook:
    hook: str
    callback: Callable
    priority: float
    on_error: str | None


_current: contextvars.ContextVar[_Extension | None] = contextvars.ContextVar("extension", default=None)


def register_hook(name: str, priority: float = 100, on_error: str | None = None) -> Callable[[Callable], Callable]:
    """Registers the function below it. Lower priorities run earlier. on_error="closed": when the hook fails, what it was asked about does not happen."""
    extension = _current.get()
    if extension is None or extension.hooks is None:
        raise RuntimeError("register_hook can be called only while the extension is loaded: at the top of its __init__.py or of what that imports.")
    if name not in extension.gives:
        near = difflib.get_close_matches(str(name), extension.gives, 1)
        meant = f" Did you mean '{near[0]}'?" if near else f" The hooks are {', '.join(extension.gives)}."
        raise _refused(extension, f"register_hook({name!r}): there is no such hook.{meant}")
    if isinstance(priority, bool) or not isinstance(priority, (int, float)) or priority != priority or priority in (float("inf"), float("-inf")):
        raise _refused(extension, f"register_hook({name!r}): 'priority' must be a number, not {priority!r}.")
    if on_error not in (None, "open", "closed"):
        raise _refused(extension, f"register_hook({name!r}): 'on_error' must be 'open' or 'closed', not {on_error!r}.")
    hooks = extension.hooks

    def register(callback: Callable) -> Callable:
        _check(extension, name, callback)
        # The text that asks for these hooks uses the class without importing it, and who followed it wrote the same.
        getattr(callback, "__globals__", {}).setdefault("HookResult", HookResult)
        hooks.append(_Hook(name, callback, priority, on_error))
        return callback

    return register


def get_config(key: str | None = None, default: Any = None) -> Any:
    """What the user set for this extension in config.yaml under extensions.NAME.config: one value of it, or all when no key is given."""
    extension = _current.get()
    if extension is None:
        raise RuntimeError("get_config can be called only while the extension is loaded, and in its hooks: a thread of its own has to be given what it needs.")
    return dict(extension.config) if key is None else extension.config.get(key, default)


def get_turn_state(session_id: str) -> dict:
    """A dict that all extensions share for the turn under way in a session. It is emptied when the turn ends."""
    with _lock:
        return _turns.setdefault(session_id, _Turn()).state


@dataclass
class _Turn:
    # None until the input has become a turn: what is noted while the input is judged belongs to the turn that comes of it.
    turn_id: str | None = None
    event_id: str | None = None
    # Of the input, in ms.
    at: float = 0
    state: dict = field(default_factory=dict)


_turns: dict[str, _Turn] = {}
_lock = threading.Lock()


def _enter(payload: dict) -> None:
    """Sees to it that the state of a session is that of the turn a call belongs to, also where the end of the one before has not been heard of yet."""
    session_id, turn_id, event_id = payload["session_id"], payload["turn_id"], payload["event_id"]
    is_input = payload["hook"] == "transform_user_input"
    with _lock:
        turn = _turns.setdefault(session_id, _Turn())
        if turn_id is None:
            # A new input, and no turn that it could join: the hooks that are asked about it share a fresh state.
            over = is_input and (turn.turn_id is not None or turn.event_id != event_id)
        else:
            over = turn.turn_id not in (None, turn_id)
        if over:
            turn.state.clear()
            turn = _turns[session_id] = _Turn()
        if turn_id is not None:
            turn.turn_id = turn_id
        elif is_input:
            turn.event_id, turn.at = event_id, payload["at"]


def _leave(payload: dict) -> None:
    with _lock:
        turn = _turns.get(payload["session_id"])
        if turn is None:
            return
        # The next input may be judged already when this end is heard of; its state is not the one that ends.
        if turn.turn_id == payload["turn_id"] or (turn.turn_id is None and turn.at < payload["at"]):
            turn.state.clear()
            del _turns[payload["session_id"]]


def _refused(extension: _Extension, why: str, callback: Any = None) -> LoadError:
    # Pythons differ in which line they say a decorator failed in.
    code = getattr(callback, "__code__", None)
    error = LoadError(why) if code is None else LoadError(why, code.co_filename, code.co_firstlineno)
    extension.refused = extension.refused or error
    return error


def _check(extension: _Extension, name: str, callback: Callable) -> None:
    """A callback that wants what it is never given can never run: that is said now, not at every call."""
    if not callable(callback):
        raise _refused(extension, f"register_hook({name!r}): it belongs above a function, not a {type(callback).__name__}.")
    gives, wanted = extension.gives[name], _parameters(callback)
    missing = [parameter.name for parameter in wanted if parameter.name not in gives and parameter.default is parameter.empty and parameter.kind in _by_name]
    if missing:
        raise _refused(extension, f"register_hook({name!r}): {_name(callback)} wants '{missing[0]}', which this hook is not given. It is given {', '.join(gives)}.", callback)


_by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _parameters(callback: Callable) -> list:
    return list(inspect.signature(callback).parameters.values())


def _name(callback: Callable) -> str:
    return getattr(callback, "__name__", type(callback).__name__)


def _caller(extension: _Extension, hook: _Hook) -> Callable[[dict], Any]:
    """What the host calls for a hook: the callback with the arguments that it declares, in the kind of function that it is itself."""
    callback = hook.callback
    parameters = _parameters(callback)
    everything = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    names = [parameter.name for parameter in parameters if parameter.kind in _by_name]

    def arguments(payload: dict) -> dict:
        _current.set(extension)
        _enter(payload)
        given = payload["arguments"]
        return given if everything else {name: given[name] for name in names if name in given}

    if is_coroutine_function(callback):

        async def call(payload: dict) -> dict | None:
            return _answer(hook, await callback(**arguments(payload)))

        return call

    async def awaited(returned: Any) -> dict | None:
        return _answer(hook, await returned)

    def call_plain(payload: dict) -> Any:
        returned = callback(**arguments(payload))
        return awaited(returned) if hasattr(type(returned), "__await__") else _answer(hook, returned)

    return call_plain


def _answer(hook: _Hook, returned: Any) -> dict | None:
    if returned is None:
        return None
    if isinstance(returned, dict) and "action" in returned:
        returned = HookResult(**{name: returned[name] for name in ("action", "value", "metadata") if name in returned})
    if not hasattr(returned, "action"):
        raise TypeError(f"{_name(hook.callback)} returned a {type(returned).__name__}; a hook returns HookResult(...) or nothing")
    return {"action": returned.action, "value": getattr(returned, "value", None), "metadata": getattr(returned, "metadata", None) or {}}
