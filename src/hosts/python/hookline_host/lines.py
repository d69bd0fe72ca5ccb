"""Messages to and from Hookline: one JSON object a line."""

import os
from _collections import deque  # that of `collections`, which takes longer to import than all of ours
from _thread import allocate_lock

# The modules below `json`: it brings `re` along, which takes as long as half the start of Python. Both are the same code in the end.
try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner
except ImportError:
    make_scanner = None

# Characters of one line.
LIMIT = 16 * 1024 * 1024


def refuse(value):
    raise TypeError


if make_scanner is None:
    from json import JSONEncoder, loads as decode

    encode = JSONEncoder(default=refuse, allow_nan=False, separators=(",", ":")).encode
else:

    class Options:
        strict = True
        object_hook = object_pairs_hook = None
        parse_float, parse_int, parse_constant = float, int, float
        memo = {}

    scan = make_scanner(Options)

    def decode(text):
        return scan(text, 0)[0]

    def encode(value):
        """@raise TypeError, ValueError, RecursionError for what is no plain data."""
        return "".join(make_encoder({}, refuse, encode_basestring_ascii, None, ":", ",", False, False, False)(value, 0))


class Lines:
    """The pipe out. Lines are gathered and written together, as each write lets other threads in."""

    def __init__(self, fd):
        self.fd, self.waiting, self.lock = fd, deque(), allocate_lock()

    def send(self, message):
        self.add(encode(message))
        self.flush()

    def add(self, line):
        self.waiting.append(line)

    def flush(self):
        waiting = self.waiting
        # Whoever has the lock may have taken its pieces already, so that ours are left to us.
        while waiting:
            with self.lock:
                pieces = []
                try:
                    while True:
                        pieces.append(waiting.popleft())
                except IndexError:
                    pass
                if pieces:
                    pieces.append("")
                    self.write("\n".join(pieces).encode("ascii"))

    def write(self, data):
        while data and self.fd is not None:
            written = os.write(self.fd, data)
            if written == len(data):
                return
            data = memoryview(data)[written:]

    def leave(self):
        """In a process that was forked off: it has nothing to say."""
        self.fd, self.lock = None, allocate_lock()
        self.waiting.clear()


def read_lines(fd, wait):
    """Lists of lines, as many as come at once. `wait` returns when there is something to read."""
    pieces = []
    while True:
        wait()
        data = os.read(fd, 256 * 1024)
        if not data:
            return
        lines = data.split(b"\n")
        if len(lines) == 1:
            pieces.append(data)
            continue
        pieces.append(lines[0])
        lines[0] = b"".join(pieces)
        pieces = [lines.pop()]
        yield lines
