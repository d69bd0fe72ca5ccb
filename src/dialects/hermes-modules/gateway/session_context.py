"""Whose conversation the call under way belongs to."""
import os

from hookline_host.unit import current

__all__ = ["get_session_env"]

# What a call says of it, by the names that Hermes has for it.
KNOWN = {"PLATFORM": "platform", "USER_ID": "user_id", "CHAT_ID": "chat_id", "CHAT_TYPE": "chat_type", "THREAD_ID": "thread_id", "KEY": "session_id", "ID": "session_id"}


def get_session_env(name: str, default: str = "") -> str:
    """`HERMES_SESSION_PLATFORM`, `_USER_ID`, `_CHAT_ID`, `_CHAT_TYPE`, `_THREAD_ID`, `_KEY` or `_ID` of the call under way; `default` where there is none, as for the platform in a terminal."""
    call = current.get(None)
    payload = call.payload if call is not None and isinstance(call.payload, dict) else {}
    said = {**payload, **(payload.get("arguments") or {}), **(payload.get("context") or {})}
    value = said.get(KNOWN.get(name.removeprefix("HERMES_SESSION_")) if name.startswith("HERMES_SESSION_") else None)
    if value and value != "cli":
        return str(value)
    return os.environ.get(name, default)
