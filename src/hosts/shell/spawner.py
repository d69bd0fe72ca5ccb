# Starts programs for spawner.ts, in a process of its own: starting one holds up whoever does it for as long as its memory is large, and Node's is.
#
# In:  lines of JSON {id, file, args, env, cwd, stdin}, each with as many bytes as `stdin` says; and by a pipe of their own, so that they need not wait
#      for those bytes, {id, signal} for the whole group of a run, which is not started any more when it has not come yet.
# Out: first {ready}; then for each run {id, pid, code, out, err, cut} and as many bytes of output and of errors as `out` and `err` say, `code` below
#      zero for a signal, or {id, error, at} when it could not be started; and {id, signalled} for each signal.
# When an input ends, so do all runs and it itself.
import sys

if sys.version_info < (3, 9):
    sys.exit("it needs Python 3.9 or newer, and this is " + sys.version.split()[0])

import collections
import errno
import json
import os
import select
import signal
import time

LIMIT = 1024 * 1024
PIECE = 64 * 1024
# Seconds. What ends before has its output read in one go, without anybody waking up for each piece.
LATE = 0.003
# Seconds after the exit for what others still write into its output.
DRAIN = 0.05
# Bytes that a survivor may write, to nobody, before its pipe is closed.
SPARE = 64 * LIMIT
SIGNALS = 3
IGNORED_BY_PYTHON = [signal.SIGPIPE, signal.SIGXFSZ]

poll = select.epoll()
actions = {}
runs = {}
late = collections.deque()
draining = []
# The number of the newest run, and those that were ended before they came.
last = 0
unwanted = set()


class Run:
    def __init__(self, number, pid, pidfd, feed, outputs):
        self.number, self.pid, self.pidfd, self.feed, self.outputs = number, pid, pidfd, feed, outputs
        self.code = None
        self.due = time.monotonic() + LATE
        actions[pidfd] = self.exited
        poll.register(pidfd, select.EPOLLIN)
        if feed.rest:
            actions[feed.fd] = feed.write
            poll.register(feed.fd, select.EPOLLOUT)

    def listen(self):
        for output in self.outputs:
            if output.fd is not None and output.fd not in actions:
                actions[output.fd] = output.read
                poll.register(output.fd, select.EPOLLIN)

    def exited(self):
        # Told in one go with others, it may be about another one that had this number a moment ago.
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            return
        forget(self.pidfd)
        self.code = os.waitstatus_to_exitcode(status)
        self.feed.close()
        # What it wrote itself is in the pipes; only what it left behind can still write.
        for output in self.outputs:
            output.read_all()
        self.listen()
        self.due = time.monotonic() + DRAIN
        draining.append(self)

    def drained(self, now):
        return self.due <= now or all([output.fd is None for output in self.outputs])

    def finish(self):
        del runs[self.number]
        out, err = [b"".join(output.pieces) for output in self.outputs]
        cut = any([output.size > LIMIT for output in self.outputs])
        send({"id": self.number, "pid": self.pid, "code": self.code, "out": len(out), "err": len(err), "cut": cut}, out + err)
        for output in self.outputs:
            output.pieces, output.spare = [], SPARE


class Feed:
    """Standard input of a run: what the pipe has not taken yet."""

    def __init__(self, fd, rest):
        self.fd, self.rest = fd, memoryview(rest)
        os.set_blocking(fd, False)
        self.write()

    def write(self):
        try:
            while self.rest:
                self.rest = self.rest[os.write(self.fd, self.rest) :]
        except BlockingIOError:
            return
        except OSError:
            # Nobody reads it, and nobody has to.
            pass
        self.close()

    def close(self):
        if self.fd is not None:
            forget(self.fd)
        self.fd, self.rest = None, b""


class Output:
    def __init__(self, fd):
        self.fd, self.pieces, self.size, self.spare = fd, [], 0, None
        os.set_blocking(fd, False)

    def read(self):
        """Whether there was something."""
        try:
            piece = os.read(self.fd, PIECE)
        except BlockingIOError:
            return False
        if self.spare is not None:
            self.spare -= len(piece)
        elif self.size < LIMIT:
            self.pieces.append(piece[: LIMIT - self.size])
        self.size += len(piece)
        if not piece or (self.spare is not None and self.spare < 0):
            forget(self.fd)
            self.fd = None
        return bool(piece)

    def read_all(self):
        """Bounded, as a survivor may write for ever."""
        for _ in range(4 * LIMIT // PIECE):
            if self.fd is None or not self.read():
                return


def forget(fd):
    if actions.pop(fd, None) is not None:
        poll.unregister(fd)
    os.close(fd)


def send(message, rest=b""):
    data = memoryview(json.dumps(message).encode() + b"\n" + rest)
    while data:
        data = data[os.write(1, data) :]


def start(message, stdin):
    global last
    last = message["id"]
    if last in unwanted:
        unwanted.remove(last)
        return send({"id": last, "error": "ECANCELED", "at": "file"})
    fds = []
    try:
        at = "cwd"
        os.chdir(message["cwd"])
        at = "file"
        for _ in range(3):
            fds += os.pipe()
        ends = [(os.POSIX_SPAWN_DUP2, fds[0], 0), (os.POSIX_SPAWN_DUP2, fds[3], 1), (os.POSIX_SPAWN_DUP2, fds[5], 2)]
        pid = os.posix_spawn(message["file"], [message["file"], *message["args"]], message["env"], file_actions=ends, setsid=True, **attributes)
        fds.append(watch(pid))
    except OSError as error:
        close(fds)
        return send({"id": message["id"], "error": errno.errorcode.get(error.errno, str(error)), "at": at})
    except ValueError as error:
        # A zero byte, or half a character.
        close(fds)
        return send({"id": message["id"], "error": str(error), "at": at})
    finally:
        # A folder that somebody wants to remove or unmount is not ours to hold.
        os.chdir("/")
    close([fds[0], fds[3], fds[5]])
    run = Run(message["id"], pid, fds[6], Feed(fds[1], stdin), [Output(fds[2]), Output(fds[4])])
    runs[run.number] = run
    late.append(run)


def watch(pid):
    try:
        return os.pidfd_open(pid)
    except OSError:
        # No number is left for it, and what nobody watches must not run.
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise


def close(fds):
    for fd in fds:
        os.close(fd)


class Inbox:
    def __init__(self, fd, take):
        self.fd, self.take, self.bytes, self.message = fd, take, bytearray(), None
        os.set_inheritable(fd, False)
        actions[fd] = self.read
        poll.register(fd, select.EPOLLIN)

    def read(self):
        piece = os.read(self.fd, PIECE)
        if not piece:
            sys.exit()
        self.bytes += piece
        while self.next():
            pass

    def next(self):
        if self.message is None:
            end = self.bytes.find(b"\n")
            if end < 0:
                return False
            self.message = json.loads(self.bytes[:end])
            del self.bytes[: end + 1]
        message, size = self.message, self.message.get("stdin", 0)
        if len(self.bytes) < size:
            return False
        stdin = bytes(self.bytes[:size])
        del self.bytes[:size]
        self.message = None
        self.take(message, stdin)
        return True


def pass_on(message, _):
    number = message["id"]
    if number in runs and runs[number].code is None:
        end_group(runs[number], message["signal"])
    elif number > last:
        unwanted.add(number)
    send({"id": number, "signalled": message["signal"]})


def end_group(run, with_signal):
    try:
        os.killpg(run.pid, with_signal)
    except OSError:
        pass


def seconds_to_next():
    """Until something is to be done without anybody asking; None when nothing is."""
    while late and late[0].code is not None:
        late.popleft()
    dues = [queue[0].due for queue in (late, draining) if queue]  # both in the order of their times
    return max(0, min(dues) - time.monotonic()) if dues else None


def serve():
    Inbox(0, start)
    Inbox(SIGNALS, pass_on)
    send({"ready": True})
    while True:
        for fd, _ in poll.poll(seconds_to_next()):
            # Closed meanwhile by another one's action.
            if fd in actions:
                actions[fd]()
        now = time.monotonic()
        while late and late[0].due <= now:
            run = late.popleft()
            if run.code is None:
                run.listen()
        for run in [run for run in draining if run.drained(now)]:
            draining.remove(run)
            run.finish()


def prepare():
    """What each run is started with. @raise AttributeError, NotImplementedError, OSError where the system has no such thing."""
    os.close(os.pidfd_open(os.getpid()))
    attributes = {"setsigmask": [], "setsigdef": IGNORED_BY_PYTHON}
    try:
        # Else the system lets us run in Node's place the moment Node wakes us up, in the middle of its own work.
        if os.sched_getscheduler(0) == os.SCHED_OTHER:
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
            attributes["scheduler"] = (os.SCHED_OTHER, os.sched_param(0))
    except OSError:
        pass
    try:
        os.posix_spawn("/", ["/"], {}, setsid=True, **attributes)
    except PermissionError:
        # A folder is no program; it came as far as that, so the attributes can be had.
        return attributes


signal.signal(signal.SIGTERM, lambda *_: sys.exit())
try:
    attributes = prepare()
except (AttributeError, NotImplementedError, OSError) as error:
    sys.exit("this system does not have what it needs: " + repr(error))
try:
    serve()
except BrokenPipeError:
    pass
finally:
    for run in runs.values():
        if run.code is None:
            end_group(run, signal.SIGKILL)
