"""Loads an extension in Python: a package whose __init__.py registers hooks with `agent.extension_hooks`."""
import os
import sys
from types import ModuleType

from hookline_host.importing import offer
from hookline_host.unit import LoadError

offer(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hermes-modules"))

# A namespace without an __init__.py, at the end of the path: where an `agent` package of somebody else is installed it stays what it is.
modules = os.path.join(os.path.dirname(os.path.abspath(__file__)), "modules")
sys.path.append(modules)


def extension_hooks():
    """Ours, whichever `agent` comes first on the path. Not imported: that would leave compiled code beside it."""
    path = os.path.join(modules, "agent", "extension_hooks.py")
    module = sys.modules["agent.extension_hooks"] = ModuleType("agent.extension_hooks")
    module.__file__ = path
    with open(path, "rb") as source:
        exec(compile(source.read(), path, "exec"), module.__dict__)
    return module


hooks = extension_hooks()


def load(unit, host):
    path = unit.settings["file"]
    extension = hooks._Extension(unit.settings["config"], unit.settings["gives"])
    outer = hooks._current.set(extension)
    try:
        unit.import_file(path, name="hermes_extension_" + "".join(letter if letter.isalnum() else "_" for letter in unit.name))
    finally:
        hooks._current.reset(outer)
    if extension.refused is not None:
        raise extension.refused
    registered, extension.hooks = extension.hooks, None
    if not registered:
        raise LoadError("it registers no hook. Put one into it:\n  from agent.extension_hooks import register_hook, HookResult\n  @register_hook(\"intercept_tool_call\")\n  def my_hook(tool_name, tool_args, **kwargs): ...", path)
    for hook in registered:
        unit.register(hooks._caller(extension, hook), {"hook": hook.hook, "name": hooks._name(hook.callback), "priority": hook.priority, "on_error": hook.on_error})
    unit.register(hooks._leave, {"hook": "turn_ended"})
