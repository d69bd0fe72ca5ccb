from pathlib import Path


def register(ctx):
    ctx.register_skill("clean-code", Path("SKILL.md"))
    ctx.register_hook("pre_tool_call", lambda **given: {"action": "block", "message": "Not today."})
