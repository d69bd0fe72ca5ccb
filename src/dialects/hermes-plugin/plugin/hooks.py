"""Hooks: callbacks that are told of what happens, and may answer."""

from .calling import caller, takes


def hook_caller(handle, hook, known, callback):
    prepare = prepared.get(hook)
    if prepare is None:
        return caller(handle, callback, lambda payload: ((), known.of(payload["arguments"])), answer)
    return caller(handle, callback, lambda payload: ((), known.of(prepare(payload["arguments"]))), answer)


def answer(returned):
    """Hermes takes no notice of anything else. What is none of these could not be read, and an unreadable answer is a failure."""
    return returned if isinstance(returned, (str, dict, list, bool, int)) else None


def wants(hook, callback, known, given):
    """What a callback wants that this hook never gives it, in words; None when it can be called."""
    if known.unnamed:
        return f"takes '{known.unnamed[0]}' by position only, and hooks are called by keyword"
    missing = [name for name in known.required if name not in given]
    return f"wants '{missing[0]}', which {hook} is not given ({', '.join(given)})" if missing else None


class Fields(dict):
    """A dict whose fields can be read as attributes too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no '{name}' here. There is {', '.join(self)}") from None


def fields(value):
    return Fields((key, fields(part)) for key, part in value.items()) if isinstance(value, dict) else value


class NotHere:
    """Stands for a live object of Hermes's gateway."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        raise AttributeError(f"{self._name}.{name} is not carried by Hookline: this hook has the message in 'event', and can answer {{\"action\": \"skip\" | \"rewrite\" | \"allow\"}}")


def of_gateway(arguments):
    return {**arguments, "event": fields(arguments.get("event")), "gateway": NotHere("gateway"), "session_store": NotHere("session_store")}


prepared = {"pre_gateway_dispatch": of_gateway}

# Characters of one section, and sections of one process.
LONGEST_SECTION = 4000
MOST_SECTIONS = 32


def section_caller(handle, section, content, most, unit):
    """Gives a text for the system prompt, the same for all of a session."""
    frozen = {}

    def checked(value):
        text = value.strip() if isinstance(value, str) else None
        if text is None:
            unit.log(f"system prompt section '{section}' is left out: it gave a {type(value).__name__}, not a text")
        elif len(text) > most:
            unit.log(f"system prompt section '{section}' is left out: it has {len(text)} characters, and may have {most}")
            text = None
        return text or None

    if isinstance(content, str):
        text = checked(content)
        return lambda payload: None if handle.disposed else text
    render = caller(handle, content, lambda payload: ((fields(payload["arguments"]),), {}), checked)

    async def later(session, returned):
        frozen[session] = await returned
        return frozen[session]

    def call(payload):
        session = payload["arguments"].get("session_id")
        if session in frozen and not handle.disposed:
            return frozen[session]
        # The oldest sessions are over.
        while len(frozen) >= 1000:
            del frozen[next(iter(frozen))]
        returned = render(payload)
        if hasattr(type(returned), "__await__"):
            return later(session, returned)
        frozen[session] = returned
        return returned

    return call
