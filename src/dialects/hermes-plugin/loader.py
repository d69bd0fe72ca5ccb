"""Loads a Hermes plugin: a package whose `register(ctx)` says what it has."""
import os
import sys
from types import ModuleType

from hookline_host.errors import place_of
from hookline_host.importing import know, offer
from hookline_host.unit import LoadError

here = os.path.dirname(os.path.abspath(__file__))
offer(os.path.join(os.path.dirname(here), "hermes-modules"))
# Imported from their source, which leaves no compiled code beside it.
know(here)
# Namespaces without an __init__.py, at the end of the path: where Hermes itself is installed its own modules stay what they are.
sys.path.append(os.path.join(here, "modules"))

package = sys.modules["hookline_plugin"] = ModuleType("hookline_plugin")
package.__path__ = [os.path.join(here, "plugin")]
# As in Hermes, so that a plugin's `__name__` is what it is there.
plugins = sys.modules.setdefault("hermes_plugins", ModuleType("hermes_plugins"))
plugins.__path__ = []

from hookline_plugin.context import PluginContext, PluginError

# What Hermes has at the top of its own source.
THEIRS = frozenset("acp_adapter agent cli cron gateway hermes_agent hermes_cli hermes_constants hermes_logging hermes_state hermes_time model_tools plugins providers run_agent tools toolsets tui_gateway utils".split())
# Module names that are taken, with their units.
names = {}


def load(unit, host):
    os.environ.update(unit.settings.get("env") or {})
    context = PluginContext(unit, host)
    try:
        module = unit.import_file(unit.settings["file"], name=module_name(unit, host))
        register = getattr(module, "register", None)
        if not callable(register):
            what = "it has no 'register'" if register is None else f"its 'register' is a {type(register).__name__}"
            raise LoadError(f"{what}. A plugin needs a function: def register(ctx): ctx.register_hook(\"pre_tool_call\", my_hook)", unit.settings["file"])
        returned = register(context)
        if hasattr(type(returned), "__await__"):
            host.loop.complete(finished(returned))
        context._hand_over()
    except BaseException as error:
        host.unload(unit)
        why = reason(error)
        if why is None:
            raise
        file, line, _ = place_of(host, error)
        raise LoadError(why, file, line) from error


def module_name(unit, host):
    name = "hermes_plugins." + "".join(letter if letter.isalnum() else "_" for letter in unit.settings["id"])
    if host.units.get(names.get(name, unit).number, unit) is not unit:
        name += f"_{unit.number}"
    names[name] = unit
    return name


async def finished(awaitable):
    await awaitable


def reason(error):
    """Why it cannot be loaded, where we know better than Python does; None where not."""
    if isinstance(error, PluginError):
        return str(error)
    if not isinstance(error, ImportError) or not error.name or error.name.partition(".")[0] not in THEIRS:
        return None
    module = sys.modules.get(error.name)
    if module is not None:
        has = getattr(module, "__all__", None)
        return f"{str(error).partition(' (')[0]}. That module is a part of Hermes itself, and Hookline carries of it only {', '.join(has) if has else 'what plugins often need'}."
    return f"it imports '{error.name}', which is a part of Hermes itself and not carried by Hookline. What a plugin needs it finds in the ctx of register(ctx); where it can do without, it can catch the ImportError."
