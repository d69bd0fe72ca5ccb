"""What loaders and the modules that user code imports may use: `host`, `LoadError`, `ServiceError`."""


def __getattr__(name):
    # Not imported at the top: the keeper forks before anything else is loaded.
    if name == "host":
        from .serving import host

        return host
    if name in ("LoadError", "ServiceError"):
        from . import unit

        return getattr(unit, name)
    raise AttributeError(f"module 'hookline_host' has no attribute '{name}'")
