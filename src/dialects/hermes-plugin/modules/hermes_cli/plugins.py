"""What plugins import to annotate `register(ctx: PluginContext)`, and to see which hooks there are."""
from hookline_plugin.context import PluginContext, hook_names

__all__ = ["PluginContext", "VALID_HOOKS"]

VALID_HOOKS = hook_names
