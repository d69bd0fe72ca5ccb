"""What counts as a plan, and what as a request to change something."""
import re
from pathlib import Path

STEP = re.compile(r"^\s*[-*] \[[ xX]\] \S", re.MULTILINE)
CHANGE = re.compile(r"\b(add|build|change|create|fix|implement|migrate|refactor|remove|rename|replace|write)\b", re.IGNORECASE)


def is_plan(path: Path) -> bool:
    """A file with at least one step in it."""
    try:
        return STEP.search(path.read_text(encoding="utf-8")) is not None
    except (OSError, UnicodeDecodeError):
        return False


def asks_for_changes(message: str) -> bool:
    # A slash command means what it says.
    return not message.startswith("/") and CHANGE.search(message) is not None
