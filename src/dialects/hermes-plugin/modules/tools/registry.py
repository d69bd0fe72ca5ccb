"""How tools of plugins write their results."""
import json

__all__ = ["tool_error", "tool_result"]


def tool_error(message, **more):
    """`{"error": message}` as JSON."""
    return json.dumps({"error": str(message), **more}, ensure_ascii=False)


def tool_result(data=None, **fields):
    return json.dumps(fields if data is None else data, ensure_ascii=False)
