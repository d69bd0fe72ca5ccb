"""The process that Hookline knows. It stays behind as the parent of the one that runs hooks, says how that one ended, and ends with it all that it
started. It ends everything as well when Hookline is gone, also by SIGKILL, and also when user code lets no other Python code run."""

import os

# A socket to Hookline, held open by it for as long as it lives. What is written there is how the host ended.
LIFE = 3


def stay_behind():
    """Returns in the child only."""
    if os.getpgrp() != os.getpid():
        # By hand in a shell: its other programs are none of ours.
        os.setpgid(0, 0)
    child = os.fork()
    if child == 0:
        os.close(LIFE)
        return
    try:
        watch(child)
    finally:
        os.killpg(0, 9)


def watch(child):
    import select
    import signal

    # Else they stay open for as long as we live, and Hookline waits for their end.
    for fd in (0, 1, 2):
        os.close(fd)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        ready, _, _ = select.select([LIFE, wake], [], [])
        if LIFE in ready:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return
        os.read(wake, 1024)
    try:
        os.write(LIFE, b"%d" % os.waitstatus_to_exitcode(status))
    except OSError:
        pass
