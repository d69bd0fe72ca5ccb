# Callbacks that do what one should not. Each is chosen by payload["do"].
import asyncio
import datetime
import os
import signal
import subprocess
import sys
import threading
import time


def recurse():
    return recurse()


def print_much(_):
    line = "x" * 99 + "\n"
    for _ in range(10_000):
        sys.stdout.write(line * 100)
    return "printed"


def hold_the_interpreter(_):
    import ctypes

    # PyDLL, other than CDLL, keeps every other Python thread from running.
    ctypes.PyDLL(None).sleep(60)


def crash(_):
    import ctypes

    ctypes.string_at(0)


def spin(_):
    while True:
        pass


def fork(_):
    if os.fork() == 0:
        return "from the child"
    os.wait()
    return "from the parent"


def interrupt(_):
    raise KeyboardInterrupt("by hand")


def close_output(_):
    for number in (1, 2):
        try:
            os.close(number)
        except OSError:
            pass
    print("into nothing")
    return "closed"


def handle_signals(_):
    os.kill(os.getpid(), signal.SIGUSR1)
    return "sent"


def leave_a_thread(_):
    threading.Thread(target=lambda: time.sleep(600)).start()
    return "left"


def leave_a_program(_):
    return subprocess.Popen(["sleep", "600"]).pid


def thread_that_raises(_):
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    return "joined"


def print_all_ways(_):
    print("by print")
    print("to stderr", file=sys.stderr)
    sys.stdout.buffer.write(b"not UTF-8: \xff\n")
    print("half \ud800 a character")
    os.write(1, b"by os.write\n")
    subprocess.run(["echo", "by a program"])
    print("no end", end="")


def itself(_):
    result = {}
    result["a"] = [result]
    return result


def deep(_):
    result = []
    for _ in range(100_000):
        result = [result]
    return result


def bad_text(_):
    class Bad(Exception):
        def __str__(self):
            raise RuntimeError

    raise Bad


def import_path(_):
    return [sys.path, sys.argv, sys.stdin.read(), sorted(os.environ)]


def exit_process(payload):
    sys.stdout.write("last line")
    os._exit(payload["code"])


def close_everything(_):
    os.closerange(3, 64)
    time.sleep(60)


ways = {
    "echo": lambda payload: payload,
    "pid": lambda _: os.getpid(),
    "wait": lambda payload: time.sleep(payload["s"]),
    "raise": lambda _: {}["no such key"],
    "exit": lambda _: sys.exit(3),
    "os._exit": exit_process,
    "abort": lambda _: os.abort(),
    "kill itself": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "kill its keeper": lambda _: (os.kill(os.getppid(), signal.SIGKILL), time.sleep(60)),
    "crash": crash,
    "spin": spin,
    "hold the interpreter": hold_the_interpreter,
    "recurse": lambda _: recurse(),
    "fork": fork,
    "interrupt": interrupt,
    "close output": close_output,
    "close everything": close_everything,
    "handle signals": handle_signals,
    "leave a thread": leave_a_thread,
    "leave a program": leave_a_program,
    "thread that raises": thread_that_raises,
    "print": print_all_ways,
    "print much": print_much,
    "import path": import_path,
    "bad text": bad_text,
    "nan": lambda _: {"a": [1.0, float("nan")]},
    "set": lambda _: {"a": [{1, 2}]},
    "bytes": lambda _: {"a": {"b": b"x"}},
    "datetime": lambda _: datetime.datetime(2020, 1, 1),
    "key": lambda _: {(1, 2): 3},
    "itself": itself,
    "deep": deep,
    "large": lambda _: "x" * 100_000_000,
    "awaitable": lambda payload: later(payload),
}


def now(payload):
    return ways[payload["do"]](payload)


async def later(payload):
    way = payload["do"]
    if way == "wait":
        await asyncio.sleep(payload["s"])
        return "waited"
    if way == "ignore the end":
        while True:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                pass
    if way == "task":
        asyncio.get_running_loop().create_task(fail())
        await asyncio.sleep(0.05)
        return "made"
    if way == "awaitable":
        await asyncio.sleep(0)
        return "awaited"
    return ways[way](payload)


async def fail():
    raise ValueError("nobody waits for me")


def on_signal(number, frame):
    raise ValueError("from a signal handler")


signal.signal(signal.SIGUSR1, on_signal)
hooks = [now, later]
