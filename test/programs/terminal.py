# Runs a program on a pseudo-terminal: our input is what a person types, our output what they see. Ends with the program's exit code.
import fcntl
import os
import pty
import select
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])

# Wide, so that no line is broken in the middle of what a test looks for.
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 500, 0, 0))
typed = 0
sources = [terminal, typed]
while True:
    ready, _, _ = select.select(sources, [], [])
    if terminal in ready:
        try:
            seen = os.read(terminal, 65536)
        except OSError:
            seen = b""
        if not seen:
            break
        os.write(1, seen)
    if typed in ready:
        keys = os.read(typed, 65536)
        if keys:
            os.write(terminal, keys)
        else:
            sources.remove(typed)

status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(status if status >= 0 else 128 - status)
