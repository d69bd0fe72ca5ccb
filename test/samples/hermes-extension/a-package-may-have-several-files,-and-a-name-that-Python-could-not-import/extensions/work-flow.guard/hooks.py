from agent import extension_hooks

from .rules.plan import why


@extension_hooks.register_hook('intercept_tool_call')
def guard(**kwargs):
    from agent.extension_hooks import HookResult

    return HookResult('block', why())
