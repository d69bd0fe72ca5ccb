"""Objects that are made once, whichever thread needs them first."""
import functools
import threading

__all__ = ["SingletonSlot", "lazy_singleton"]


class SingletonSlot:
    """Keeps what `make()` gave first. When it raises nothing is kept."""

    def __init__(self):
        self._lock, self._value, self._is_there = threading.RLock(), None, False

    def get(self, make):
        with self._lock:
            if not self._is_there:
                self._value, self._is_there = make(), True
            return self._value

    def reset(self):
        with self._lock:
            self._value, self._is_there = None, False


def lazy_singleton(make):
    slot = SingletonSlot()

    @functools.wraps(make)
    def get():
        return slot.get(make)

    get.reset = slot.reset
    return get
