"""Tools and commands, as a plugin registers them."""

import os

from hookline_host.lines import encode
from hookline_host.plain import problem

from .calling import caller, takes


def tool(name, toolset, schema, check_fn, requires_env, description, emoji, override):
    """What is said of a tool. @raise ValueError in words"""
    if not isinstance(name, str) or not name:
        raise ValueError(f"a tool's name must be a text, not {name!r}")
    if not isinstance(schema, dict):
        raise ValueError(f"the schema of the tool '{name}' must be a dict, not {schema!r:.200}")
    try:
        encode(schema)
    except (TypeError, ValueError, RecursionError):
        raise ValueError(f"the schema of the tool '{name}' cannot be given to a model: {problem(schema, 'schema')}") from None
    about = schema.get("function") if isinstance(schema.get("function"), dict) else schema
    # {"name", "description", "parameters"}, or the JSON Schema of the arguments itself.
    is_function = isinstance(about.get("parameters"), dict) or not ("properties" in about or "type" in about)
    parameters = about.get("parameters") or {"type": "object", "properties": {}} if is_function else about
    return {
        "kind": "tool",
        "name": name,
        "toolset": str(toolset or ""),
        "description": str(description or about.get("description") or ""),
        "parameters": parameters,
        "emoji": str(emoji or ""),
        "override": bool(override),
        "available": available(check_fn, [requires_env] if isinstance(requires_env, str) else requires_env or ()),
    }


def available(check_fn, requires_env):
    names = [one.get("name") if isinstance(one, dict) else one for one in requires_env]
    missing = [str(name) for name in names if not os.environ.get(str(name))]
    if missing:
        return f"missing env {', '.join(missing)} (only variables that its plugin.yaml names in requires_env or optional_env are handed to it)"
    if check_fn is None:
        return True
    try:
        return True if check_fn() else "check_fn said no"
    except Exception as error:
        return f"check_fn raised {type(error).__name__}: {error}"


def tool_caller(handle, handler):
    known = takes(handler, after=1)

    def arguments(payload):
        named = {"task_id": payload.get("session_id") or "", "session_id": payload.get("session_id") or "", "turn_id": payload.get("turn_id"), "tool_call_id": payload.get("call_id")}
        return (payload["args"],), known.of(named)

    return caller(handle, handler, arguments, as_text)


def as_text(returned):
    if isinstance(returned, str):
        return returned
    import json

    return json.dumps(returned, ensure_ascii=False)


def command(name, description, args_hint, argument_mode):
    """What is said of a command. @raise ValueError in words"""
    clean = name.lower().strip().lstrip("/").replace(" ", "-") if isinstance(name, str) else ""
    if not clean:
        raise ValueError(f"a command's name must be a text, not {name!r}")
    hint = str(args_hint or "").strip()
    mode = argument_mode if argument_mode in ("options", "text", "mixed") else "text" if hint else None
    return {"kind": "command", "name": clean, "description": str(description or ""), "args_hint": hint, "argument_mode": mode}


def command_caller(handle, handler):
    return caller(handle, handler, lambda payload: ((payload["args"],), {}), lambda returned: None if returned is None else str(returned))
