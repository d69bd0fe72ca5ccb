"""Where things lie: the home is Hookline's own, which may be Hermes's folder."""

import os
from pathlib import Path


def get_hermes_home() -> Path:
    return Path(os.environ["HERMES_HOME"]) if os.environ.get("HERMES_HOME") else Path.home() / ".hookline"


def get_default_hermes_root() -> Path:
    return get_hermes_home()


def get_config_path() -> Path:
    return get_hermes_home() / "config.yaml"


def get_hermes_dir(new_subpath: str, old_name: str) -> Path:
    """The folder under its old name where there is one of that name already."""
    old = get_hermes_home() / old_name
    return old if old.exists() else get_hermes_home() / new_subpath


def display_hermes_home() -> str:
    home = get_hermes_home()
    try:
        return f"~/{home.relative_to(Path.home())}"
    except ValueError:
        return str(home)
