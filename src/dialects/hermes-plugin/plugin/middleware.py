"""Middleware: callbacks that rewrite a request, or wrap what is done."""

from hookline_host.errors import raised
from hookline_host.loop import run_alone

from .calling import caller, name_of, place, takes

REQUEST = ("tool_request", "llm_request")
EXECUTION = ("tool_execution", "llm_execution")


class LLMExecutionBlocked(Exception):
    """Raised by llm_execution middleware: the model is not called."""

    def __init__(self, reason, *, metadata=None):
        super().__init__(reason)
        self.reason, self.metadata = reason, metadata or {}


def request_caller(handle, callback):
    known = takes(callback)
    return caller(handle, callback, lambda payload: ((), known.of(payload["arguments"])), lambda returned: returned)


def execution_caller(handle, callback, unit, host):
    """Answers `{"result", "called", "raised"?}`, or `{"blocked", "called"}`."""
    known = takes(callback)

    def call(payload):
        next_call = Next(callback, unit, payload)
        if handle.disposed:
            return {"result": next_call(), "called": True}
        place.set(payload)
        try:
            returned = callback(**known.of({**payload["arguments"], "next_call": next_call}))
            if hasattr(type(returned), "__await__"):
                # Its next_call waits like any other, so it cannot run where all coroutines do.
                returned = run_alone(returned)
        except Exception as error:
            # By name: where Hermes is installed, the class may be the one it has itself.
            if any(kind.__name__ == "LLMExecutionBlocked" for kind in type(error).__mro__):
                metadata = {"checked_by": name_of(callback), **(getattr(error, "metadata", None) or {})}
                return {"blocked": {"reason": str(getattr(error, "reason", error)), "metadata": metadata}, "called": next_call.called}
            if not next_call.succeeded:
                raise
            return {"result": next_call.result, "called": True, "raised": raised(host, error)}
        return {"result": returned, "called": next_call.called}

    return call


class Next:
    """`next_call` of one call: what is wrapped, once."""

    def __init__(self, callback, unit, payload):
        arguments = payload["arguments"]
        self.key = "request" if "request" in arguments else "args"
        # What the callback has in its hands, and may change in place, and what it was.
        self.held, self.given = arguments.get(self.key), copied(arguments.get(self.key))
        self.name, self.unit, self.payload = name_of(callback), unit, payload
        self.called = self.succeeded = False
        self.result = None

    def __call__(self, changed=None):
        if self.called:
            raise RuntimeError(f"{self.name} called next_call() more than once; what it wraps is done once")
        if (self.held if changed is None else changed) != self.given:
            kind = self.payload["middleware"].replace("execution", "request")
            raise ValueError(f"{self.name} called next_call() with other {self.key} than it was given, and what was approved is what is done. Change it in middleware of the kind '{kind}', which runs before")
        self.called = True
        self.result = self.unit.service("next", {"call": self.payload["call"]})
        self.succeeded = True
        return self.result


def copied(value):
    """Of plain data."""
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    return [copied(part) for part in value] if isinstance(value, list) else value
