"""Where plugins keep files of their own."""
from pathlib import Path

from hermes_constants import get_hermes_home

__all__ = ["plugin_data_dir", "plugin_db"]


def plugin_data_dir(name):
    """The folder of that plugin below the home, made when it is not there."""
    if not name or name != Path(name).name or name.startswith("."):
        raise ValueError(f"plugin_data_dir({name!r}): give a plugin's name")
    folder = Path(get_hermes_home()) / "plugin-data" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def plugin_db(name):
    """A SQLite database in that folder, for any thread."""
    import sqlite3

    connection = sqlite3.connect(plugin_data_dir(name) / "data.db", check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    return connection
