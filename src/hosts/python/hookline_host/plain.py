"""Says what is wrong with data that cannot cross."""


def problem(value, path):
    """In words, with the place: `result['when'] is a datetime, which JSON cannot hold`."""
    try:
        return find(value, path, set()) or f"{path} cannot be written as JSON"
    except RecursionError:
        return f"{path} is nested too deep"


def find(value, path, above):
    if value is None or isinstance(value, (bool, int, str)):
        return None
    if isinstance(value, float):
        return None if value - value == 0 else f"{path} is {value}, which JSON cannot hold"
    if not isinstance(value, (dict, list, tuple)):
        return f"{path} is a {type(value).__name__}, which JSON cannot hold"
    if id(value) in above:
        return f"{path} contains itself"
    above.add(id(value))
    if isinstance(value, dict):
        for key in value:
            if not (key is None or isinstance(key, (bool, int, float, str))):
                return f"{path} has a key that is a {type(key).__name__}, which JSON cannot hold"
        parts = ((f"[{key!r}]", part) for key, part in value.items())
    else:
        parts = ((f"[{index}]", part) for index, part in enumerate(value))
    for place, part in parts:
        found = find(part, path + place, above)
        if found is not None:
            return found
    above.discard(id(value))
    return None
