# Runs a program on a pseudo-terminal: our input is what a person types, our output what they see. Ends with the program's exit code.
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])


def resize(rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


# Wide unless the test says otherwise, so that no line is broken in the middle of what it looks for.
resize(int(os.environ.get("LINES", "50")), int(os.environ.get("COLUMNS", "500")))
typed = 0
sources = [terminal, typed]
# Keys that the program has not taken yet. Never written in a way that waits: the program may be waiting for us to read.
keys = b""
while True:
    ready, free, _ = select.select(sources, [terminal] if keys else [], [])
    if terminal in ready:
        try:
            seen = os.read(terminal, 65536)
        except OSError:
            seen = b""
        if not seen:
            break
        os.write(1, seen)
    if terminal in free:
        try:
            keys = keys[os.write(terminal, keys[:1024]) :]
        except OSError:
            keys = b""
    if typed in ready:
        more = os.read(typed, 65536)
        if not more:
            sources.remove(typed)
        # What makes a real terminal resize its window does so here, and is no key.
        size = re.search(rb"\x1b\[8;(\d+);(\d+)t", more)
        if size:
            resize(int(size[1]), int(size[2]))
            more = more.replace(size[0], b"")
        keys += more

status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(status if status >= 0 else 128 - status)
