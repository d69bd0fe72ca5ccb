"""Whether a person is asked about dangerous commands."""
from hermes_cli.config import load_config

__all__ = ["is_approval_bypass_active", "is_approval_bypass_active_for_session"]


def is_approval_bypass_active() -> bool:
    """Whether config.yaml says `approvals: {mode: off}`. What a hook itself wants a person to approve is asked all the same."""
    return load_config()["approvals"]["mode"] == "off"


def is_approval_bypass_active_for_session(session_key) -> bool:
    return is_approval_bypass_active()
