"""What user code prints, for the log of the unit whose code runs. Output that does not go through `sys.stdout` (os.write, programs it starts) comes as it
is; Hookline guesses whose it is."""

import io
import os
import sys
from _thread import allocate_lock

# Bytes of a line without an end.
LONGEST = 8 * 1024


class Marked(io.RawIOBase):
    """A file that writes whole lines with the number of their unit before them."""

    def __init__(self, fd, unit_now):
        # A copy: user code closes the other.
        self.fd, self.unit_now, self.parts, self.lock = os.dup(fd), unit_now, {}, allocate_lock()
        self.shown = fd

    def write(self, data):
        data = bytes(data)
        number = self.unit_now()
        part = self.parts.pop(number, b"") + data
        end = part.rfind(b"\n") + 1
        if len(part) - end > LONGEST:
            end = len(part)
        if end < len(part):
            self.parts[number] = part[end:]
        if end > 0:
            self.emit(number, part[:end])
        return len(data)

    def emit(self, number, data):
        with self.lock:
            data = b"\x1e%d\x1f" % number + data
            try:
                while data:
                    data = data[os.write(self.fd, data) :]
            except OSError:
                # Nobody reads it any more.
                pass

    def end_line(self, number):
        part = self.parts.pop(number, None)
        if part:
            self.emit(number, part + b"\n")

    def end_lines(self):
        for number in list(self.parts):
            self.end_line(number)

    def leave(self):
        self.lock = allocate_lock()

    def writable(self):
        return True

    def fileno(self):
        return self.shown


def take_over(fd, unit_now):
    """Stands in for standard output and standard error."""
    marked = Marked(fd, unit_now)
    for name in ("stdout", "stderr"):
        text = io.TextIOWrapper(marked, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)
        setattr(sys, name, text)
        setattr(sys, "__" + name + "__", text)
    return marked
