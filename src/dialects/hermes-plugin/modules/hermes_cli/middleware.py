"""What plugins import of Hermes's middleware."""
from hookline_plugin.middleware import EXECUTION, REQUEST, LLMExecutionBlocked

__all__ = ["LLMExecutionBlocked", "VALID_MIDDLEWARE"]

VALID_MIDDLEWARE = {*REQUEST, *EXECUTION}
