"""The user's config.yaml as plugins may see it: the settings of plugins, and `approvals.mode`."""
import copy

__all__ = ["cfg_get", "load_config", "load_config_readonly"]


def load_config() -> dict:
    from hookline_host import host

    unit = host.unit
    if unit is None or "userConfig" not in unit.settings:
        raise RuntimeError("load_config() tells plugins of their settings, and what called it is none")
    return copy.deepcopy(unit.settings["userConfig"])


load_config_readonly = load_config


def cfg_get(cfg, *keys, default=None):
    """What lies in there under these keys, one below the other."""
    for key in keys:
        if not isinstance(cfg, dict) or key not in cfg:
            return default
        cfg = cfg[key]
    return cfg
