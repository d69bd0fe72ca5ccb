"""`ctx`: what `register(ctx)` of a plugin gets."""

import os
from types import SimpleNamespace

from . import tools
from .asking import Llm, State, dispatch_tool, inject_message
from .bus import Bus
from .calling import name_of, takes
from .hooks import LONGEST_SECTION, MOST_SECTIONS, hook_caller, section_caller, wants
from .middleware import EXECUTION, REQUEST, execution_caller, request_caller
from .refused import refused
from .tasks import Tasks


class PluginError(AttributeError):
    """What a plugin asked of its ctx cannot be. An AttributeError, so that a plugin that looks before it calls, with hasattr, is told no."""


class Handle:
    """Of something that was registered. `dispose()` takes it back."""

    def __init__(self, what, take_back=None):
        self.what, self.call, self.disposed, self._take_back = what, None, False, take_back

    def dispose(self):
        if self.disposed:
            return
        self.disposed = True
        if self._take_back is not None:
            self._take_back()

    def missing(self):
        """In place of what it would have answered."""
        if self.what["kind"] in ("tool", "command"):
            raise PluginError(f"the plugin took the {self.what['kind']} '{self.what['name']}' back")
        return None


class PluginContext:
    def __init__(self, unit, host):
        settings = unit.settings
        self.plugin_id = settings["id"]
        self.profile_name = settings.get("profile") or "default"
        self.manifest = SimpleNamespace(name=settings.get("name") or self.plugin_id, version=settings.get("version"), path=os.path.dirname(settings["file"]))
        self.state = State(unit)
        self.llm = Llm(unit, self.has_capability)
        self._unit, self._host, self._tasks = unit, host, None
        hook_names.update(settings.get("hooks") or ())
        # A list while register(ctx) runs.
        self._registered, self._left_out = [], set()

    def __getattr__(self, name):
        if name in refused:
            # What a plugin offers is only not used here, and it goes on: its guards are worth more than its skills, which one that is not loaded has not
            # either. Where it needs an answer there is none to give.
            if name.startswith("register_"):
                return lambda *_, **__: self._leave_out(name)
            raise PluginError(f"ctx.{name} is not carried by Hookline: {refused[name]}.")
        if name.startswith("_"):
            raise AttributeError(f"ctx has no '{name}'")
        raise PluginError(f"ctx has no '{name}'.{nearest(name, [one for one in (*dir(self), *refused) if not one.startswith('_')])}")

    def _register(self, what, called, *details):
        """`called(handle, *details)` makes what the host calls."""
        if self._registered is None:
            raise PluginError(f"ctx.register_{what['kind']} can be called only while register(ctx) runs. What is registered there can act, or not, by what it finds when it is called.")
        handle = Handle(what)
        handle.call = called(handle, *details)
        self._registered.append(handle)
        return handle

    def _leave_out(self, name):
        if name not in self._left_out:
            self._left_out.add(name)
            self._warn(f"ctx.{name} is not carried by Hookline, so what the plugin registers with it is not there: {refused[name]}. All else of the plugin runs.")
        return Handle({"kind": "left out"})

    def _warn(self, text):
        if self._registered is None:
            self._unit.log(text)
        else:
            self._registered.append(Handle({"kind": "warning", "text": text}))

    def _hand_over(self):
        """After register(ctx)."""
        for requirement in self._unit.settings.get("dependencies") or ():
            if not is_installed(requirement):
                self._warn(f"plugin.yaml names the Python package '{requirement}', which this Python does not have. What needs it will fail. Install it for the Python that runs plugins.")
        registered, self._registered = self._registered, None
        for handle in registered:
            if not handle.disposed:
                self._unit.register(handle.call or no_call, handle.what)

    def register_hook(self, hook_name, callback):
        """`callback` is called by keyword with what it declares, at each event of this name; **kwargs gets everything."""
        must_be_callable(f"register_hook({hook_name!r})", callback)
        hooks, not_carried = self._unit.settings.get("hooks"), self._unit.settings.get("notCarried") or {}
        if hooks is not None and hook_name not in hooks and hook_name not in not_carried:
            self._warn(f"register_hook({hook_name!r}): there is no such hook, so {name_of(callback)} is never called.{nearest(str(hook_name), [*hooks, *not_carried])}")
            return Handle({"kind": "hook"})
        known = takes(callback)
        given = (hooks or {}).get(hook_name)
        problem = None if given is None else wants(hook_name, callback, known, given)
        if problem is not None:
            self._warn(f"register_hook({hook_name!r}): {name_of(callback)} {problem}. Each of its calls will fail. Write it as def {name_of(callback)}(…, **kwargs).")
        what = {"kind": "hook", "hook": hook_name, "name": name_of(callback), "takes": None if known.everything else list(known.names)}
        return self._register(what, hook_caller, hook_name, known, callback)

    def register_middleware(self, kind, callback):
        """Request kinds give {"args": …} or {"request": …} in place of what they got; execution kinds get next_call as well, which does what they wrap."""
        must_be_callable(f"register_middleware({kind!r})", callback)
        what = {"kind": "middleware", "middleware": kind, "name": name_of(callback)}
        if kind in REQUEST:
            return self._register(what, request_caller, callback)
        if kind in EXECUTION:
            return self._register(what, execution_caller, callback, self._unit, self._host)
        self._warn(f"register_middleware({kind!r}): there is no such kind, so {name_of(callback)} is never called.{nearest(str(kind), [*REQUEST, *EXECUTION])}")
        return Handle({"kind": "middleware"})

    def register_system_prompt_section(self, id, content, *, position="after_memory", max_chars=LONGEST_SECTION):
        """A text for the system prompt, or a function that gives it once for each session."""
        allowed = "abcdefghijklmnopqrstuvwxyz0123456789"
        if not isinstance(id, str) or not 0 < len(id) <= 128 or id[0] not in allowed or not set(id) <= set(allowed + "._-"):
            raise ValueError(f"a system prompt section's id has lowercase letters, digits, '.', '_' and '-', at most 128 of them, and {id!r} does not")
        if not isinstance(content, str):
            must_be_callable(f"register_system_prompt_section({id!r})", content)
        if isinstance(max_chars, bool) or not isinstance(max_chars, int) or not 0 < max_chars <= LONGEST_SECTION:
            raise ValueError(f"system prompt section {id!r}: max_chars must be a number from 1 to {LONGEST_SECTION}, not {max_chars!r}")
        if id in sections:
            raise ValueError(f"system prompt section {id!r} is there already, of the plugin {sections[id]}")
        if len(sections) >= MOST_SECTIONS:
            self._warn(f"system prompt section {id!r} is left out: there are {MOST_SECTIONS} already")
            return Handle({"kind": "hook"})
        what = {"kind": "hook", "hook": "system_prompt_section", "name": id, "takes": None}
        handle = self._register(what, section_caller, id, content, max_chars, self._unit)
        sections[id] = self.plugin_id
        handle._take_back = lambda: sections.pop(id, None)
        self._unit.on_unload(handle.dispose)
        return handle

    def register_tool(self, name, toolset="", schema=None, handler=None, check_fn=None, requires_env=None, is_async=False, description="", emoji="", override=False, **others):
        """`handler(args, **kwargs)` gives a text, as a rule JSON. `schema` is a function as OpenAI has it, or the JSON Schema of the arguments."""
        if handler is None:
            unknown = f"; it has no argument {' and no '.join(repr(one) for one in others)}" if others else ""
            raise TypeError(f"ctx.register_tool({name!r}) needs the function that does the work: handler=my_function, beside toolset and schema{unknown}")
        must_be_callable(f"register_tool({name!r}), its handler", handler)
        self._tell_unused(f"register_tool({name!r})", others)
        return self._register(tools.tool(name, toolset, schema, check_fn, requires_env, description, emoji, override), tools.tool_caller, handler)

    def register_command(self, name, handler, description="", args_hint="", argument_mode=None, **others):
        """`handler(raw_args)` gives the text to show, or nothing."""
        must_be_callable(f"register_command({name!r}), its handler", handler)
        self._tell_unused(f"register_command({name!r})", others)
        return self._register(tools.command(name, description, args_hint, argument_mode), tools.command_caller, handler)

    def _tell_unused(self, where, others):
        if others:
            self._warn(f"{where}: {', '.join(repr(name) for name in others)} changes nothing in Hookline")

    def emit(self, event, payload=None):
        """Tells everyone who subscribed to '<plugin_id>:<event>'. Never waits. Gives how many will hear of it."""
        if not event or not isinstance(event, str) or ":" in event:
            raise ValueError(f"ctx.emit({event!r}): give the event's own name, without ':'. It becomes '{self.plugin_id}:NAME'")
        if payload is not None and not isinstance(payload, dict):
            raise TypeError(f"ctx.emit({event!r}): the payload must be a dict, not a {type(payload).__name__}")
        return bus(self._host).emit(self._unit, f"{self.plugin_id}:{event}", payload or {})

    def subscribe(self, event, callback):
        """`callback` gets the payload of '<plugin>:<event>' by keyword."""
        must_be_callable(f"subscribe({event!r})", callback)
        if not event or not isinstance(event, str):
            raise ValueError(f"ctx.subscribe({event!r}): name an event: '<plugin>:<event>'")
        handle = Handle({"kind": "subscription"}, bus(self._host).subscribe(self._unit, event, callback))
        self._unit.on_unload(handle.dispose)
        return handle

    def get_config(self, key, default=None):
        """What config.yaml has under plugins.entries.<id>.settings; 'a.b' is b below a."""
        value = self._unit.settings.get("config") or {}
        for part in key.split("."):
            if not isinstance(value, dict) or part not in value:
                return default
            value = value[part]
        return value

    def has_plugin(self, id):
        return id in (self._unit.settings.get("plugins") or ())

    def has_capability(self, capability):
        return capability in (self._unit.settings.get("capabilities") or ())

    def on_unload(self, callback):
        """`callback()` runs when the plugin goes; the last that was registered first."""
        must_be_callable("on_unload", callback)
        handle = Handle({"kind": "on_unload"})
        self._unit.on_unload(lambda: None if handle.disposed else callback())
        return handle

    def spawn_task(self, coro, *, name=None):
        """Runs a coroutine in the background; it is cancelled when the plugin goes."""
        if self._tasks is None:
            self._tasks = Tasks(self._unit, self._host)
            self._unit.on_unload(self._tasks.end)
        return self._tasks.spawn(coro, name)

    def dispatch_tool(self, tool_name, args=None, **_):
        """Runs a tool as if the model had called it, through all hooks and approvals. Gives its result as a text."""
        return dispatch_tool(self._unit, tool_name, args or {})

    def inject_message(self, content, role="user", *, session_key=None):
        """Puts a text into the conversation in the user's place. Gives whether there is one."""
        return inject_message(self._unit, content, role, session_key)

    @property
    def logger(self):
        import logging

        return logging.getLogger(f"hermes_plugins.{self.plugin_id}")


# Of all plugins of this process: the ids of their system prompt sections, with whose they are.
sections = {}
buses = []
# All hooks that are ever called.
hook_names = set()


def bus(host):
    if not buses:
        buses.append(Bus(host))
    return buses[0]


def no_call(_):
    return None


def must_be_callable(where, callback):
    if not callable(callback):
        raise TypeError(f"ctx.{where}: it must be a function, not a {type(callback).__name__}")


def nearest(name, names):
    from difflib import get_close_matches

    near = get_close_matches(name, names, 1)
    return f" Did you mean '{near[0]}'?" if near else f" There is {', '.join(sorted(names))}."


def is_installed(requirement):
    """Whether there is a package of that name, in whatever version."""
    from importlib.metadata import PackageNotFoundError, distribution

    name = requirement
    for end in " <>=!~;[@(":
        name = name.partition(end)[0]
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
