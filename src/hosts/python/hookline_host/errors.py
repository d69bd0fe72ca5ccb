"""What user code raised, in words, with its place."""

from .unit import LoadError


def describe(error):
    """`ValueError: no key`"""
    try:
        text = str(error)
    except BaseException:
        text = "a text that cannot be made"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place_of(host, error):
    """The innermost file and line that lie in a unit's code, and the unit; Nones when none does."""
    found = (None, None, None)
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        unit = host.unit_of(file)
        if unit is not None:
            found = (file, trace.tb_lineno, unit)
        trace = trace.tb_next
    return found


def raised(host, error):
    file, line, _ = place_of(host, error)
    return describe(error) if file is None else f"{describe(error)} ({file}:{line})"


def why_not_loaded(host, unit, error):
    """The message about a unit whose loader raised."""
    file, line, _ = place_of(host, error)
    if isinstance(error, LoadError):
        return {"file": error.file or file, "line": error.line if error.file else line, "why": error.why}
    if isinstance(error, SyntaxError):
        return {"file": error.filename, "line": error.lineno, "why": f"it cannot be read: {error.msg}."}
    if isinstance(error, ModuleNotFoundError) and error.name:
        import sys

        why = f"it imports '{error.name}', and there is no such module for {sys.executable}. Install its package for that Python, or name another one in config.yaml (python)."
        return {"file": file, "line": line, "why": why}
    return {"file": file, "line": line, "why": f"it raised {describe(error)} while it was loaded."}
