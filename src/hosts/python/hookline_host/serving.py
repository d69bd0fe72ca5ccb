"""The process that runs hooks: hears calls, has them run, and answers."""

import os
import sys
from _collections import deque
from _thread import allocate_lock, start_new_thread
from struct import pack

from .errors import place_of, raised
from .lines import LIMIT, Lines, decode, encode, read_lines
from .loop import Loop, run_alone
from .printed import take_over
from .threads import Threads
from .unit import Call, LoadError, Unit, current

# A file that Hookline reads when this process has ended: whose callback ran, and the last words.
NOTES = 4
# Milliseconds between looks at whether anything hangs, while something is at work.
LOOK = 1
# Seconds without anything to load until there is time for what can wait.
IDLE = 0.05


class Host:
    def __init__(self):
        self.units, self.loaders, self.calls, self.asks, self.roots = {}, {}, {}, {}, []
        self.told, self.asked, self.closing, self.logs = set(), 0, False, False
        # For the main thread, where signal handlers run and may be set. The lock is free while there is something.
        self.to_do, self.bell = deque(), allocate_lock()
        self.loop = Loop(self)
        self.pid = os.getpid()

    @property
    def unit(self):
        """The unit whose code is running right now; None when there is none. In a thread that it started itself, its file says whose it is."""
        call = current.get(None)
        if call is not None:
            return call.unit
        frame, unit = sys._getframe(1), None
        while frame is not None and unit is None:
            frame, unit = frame.f_back, self.unit_of(frame.f_code.co_filename)
        return unit

    def serve(self):
        # User code gets others in their place: nothing to read, and output for the log.
        fd_in, fd_out = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self.lines = Lines(fd_out)
        self.threads = Threads(self.run, self.lines.flush)
        self.printed = take_over(2, self.number_now)
        self.note = Notes()
        os.register_at_fork(after_in_child=self.forked)
        os._exit, self.exit = self.last_words, os._exit
        self.lines.send({"t": "ready"})
        start_new_thread(self.hear, (fd_in,))
        self.work_on_main_thread()

    def number_now(self):
        unit = self.unit
        return 0 if unit is None else unit.number

    # What Hookline says.

    def hear(self, fd):
        import select

        poll = select.poll()
        poll.register(fd, select.POLLIN)

        def wait():
            while not poll.poll(LOOK if self.threads.runner is not None or self.lines.waiting else None):
                self.threads.look()
                self.lines.flush()

        hearing = {"call": self.hear_call, "cancel": self.hear_cancel, "blame": self.hear_blame, "told": self.hear_told}
        try:
            for lines in read_lines(fd, wait):
                for line in lines:
                    message = decode(line.decode())
                    hear = hearing.get(message["t"])
                    if hear is None:
                        self.leave_to_main(message)
                    else:
                        hear(message)
                self.threads.start()
                self.loop.start()
        except BaseException as error:
            # User code closed the pipe, or it is a mistake of ours. Without this thread nothing can go on.
            self.print_traceback(None, error)
            self.exit(1)
        # Nobody answers any more.
        self.closing = True
        for number in list(self.asks):
            self.settle(number, None, "Hookline is closing")
        self.leave_to_main({"t": "close"})

    def leave_to_main(self, message):
        self.to_do.append(message)
        if self.bell.locked():
            self.bell.release()

    def hear_call(self, message):
        unit = self.units[message["unit"]]
        callback, is_async, _ = unit._callbacks[message["callback"]]
        call = Call(message["id"], unit, callback, message["payload"])
        self.calls[call.id] = call
        (self.loop if is_async and not self.loop.held else self.threads).put(call)

    def hear_cancel(self, message):
        call = self.calls.get(message["id"])
        if call is None:
            return
        call.off = True
        if self.loop.loop is not None:
            self.loop.cancel(call.id)
        for number in list(call.asks or ()):
            self.settle(number, None, "the call that asked is over")
            self.lines.add(encode({"t": "forget", "ask": number}))

    def hear_blame(self, message):
        """Who keeps a cancelled call from ending."""
        call = self.calls.get(message["id"])
        unit = None if call is None else call.unit
        if call is not None and call.id in self.loop.tasks:
            unit = next(filter(None, map(self.unit_of, self.loop.files_at_work())), unit)
        self.lines.send({"t": "blame", "id": message["id"], "unit": None if unit is None else unit.number})

    def hear_told(self, message):
        self.settle(message["ask"], message.get("value"), message.get("error"))

    def settle(self, number, value, error):
        ask = self.asks.pop(number, None)
        if ask is not None:
            ask.settle(value, error)

    def next_ask(self):
        self.asked += 1
        return self.asked

    # Calls.

    def run(self, call):
        """In a thread. Raises nothing."""
        if call.off:
            return self.fail(call, "threw", "was called off before it began")
        self.note(call.id)
        try:
            result = call.run()
            if self.loop.held and hasattr(type(result), "__await__"):
                result = call.context.run(run_alone, result)
        except BaseException as error:
            if os.getpid() != self.pid:
                self.exit(1)
            self.failed(call, error)
            return
        if os.getpid() != self.pid:
            # A fork that came back from the callback: there is only one answer, and it is not this one's to give.
            self.exit(0)
        if result is not None and hasattr(type(result), "__await__"):
            self.loop.open()
            call.awaited = result
            self.loop.put(call)
            self.loop.start()
        else:
            self.answered(call, result)

    def answered(self, call, result):
        try:
            answer = encode(result)
        except BaseException:
            from .plain import problem

            return self.fail(call, "bad-answer", f"returned what is no plain data: {problem(result, 'result')}")
        if len(answer) > LIMIT:
            return self.fail(call, "bad-answer", f"returned {len(answer) // 1024 // 1024} MiB, and an answer may have {LIMIT // 1024 // 1024}")
        self.finish(call, f'{{"t":"answer","id":{call.id},"answer":{answer}}}')

    def failed(self, call, error):
        message = raised(self, error)
        if message not in self.told and len(self.told) < 1000:
            self.told.add(message)
            self.print_traceback(call.unit, error)
        self.fail(call, "threw", message)

    def fail(self, call, kind, message):
        self.finish(call, encode({"t": "answer", "id": call.id, "failure": {"kind": kind, "message": message[:8192]}}))

    def finish(self, call, line):
        self.printed.end_line(call.unit.number)
        self.calls.pop(call.id, None)
        self.lines.add(line)

    # Units, on the main thread.

    def work_on_main_thread(self):
        idle = IDLE
        while True:
            try:
                if not self.bell.acquire(timeout=idle):
                    idle = -1
                    self.settle_down()
                while self.to_do:
                    message = self.to_do.popleft()
                    getattr(self, "do_" + message["t"])(message)
            except BaseException as error:
                # A signal handler of user code.
                self.stray(error)

    def do_load(self, message):
        unit = Unit(message["unit"], message["name"], message["settings"], self)
        self.units[unit.number] = unit
        load = Call(0, unit, lambda _: self.load(unit, message["loader"]), None)
        self.note(-unit.number)
        try:
            load.run()
            unit._is_loading = False
            answer = encode({"t": "loaded", "unit": unit.number, "callbacks": [what for _, _, what in unit._callbacks]})
        except BaseException as error:
            from .errors import why_not_loaded

            # A module that is not there is told in a sentence, with the line.
            if not isinstance(error, (LoadError, ModuleNotFoundError)):
                self.print_traceback(unit, error)
            answer = encode({"t": "load-failed", "unit": unit.number, **why_not_loaded(self, unit, error)})
            del self.units[unit.number]
        self.printed.end_line(unit.number)
        self.lines.add(answer)
        self.lines.flush()

    def load(self, unit, file):
        load = self.loaders.get(file)
        if load is None:
            code = {"__name__": f"hookline_loader_{len(self.loaders)}", "__file__": file}
            with open(file, "rb") as source:
                exec(compile(source.read(), file, "exec"), code)
            load = self.loaders[file] = code["load"]
        load(unit, self)
        self.take_logging()
        if any(is_async for _, is_async, _ in unit._callbacks):
            self.loop.open()

    def do_unload(self, message):
        unit = self.units.pop(message["unit"], None)
        if unit is not None:
            self.unload(unit)
            self.roots = [(root, owner) for root, owner in self.roots if owner is not unit]
        self.lines.send({"t": "unloaded", "unit": message["unit"]})

    def unload(self, unit):
        while unit._unloads:
            callback = unit._unloads.pop()
            try:
                call = Call(0, unit, lambda _: callback(), None)
                result = call.run()
                if hasattr(type(result), "__await__"):
                    call.context.run(self.loop.complete, await_it(result))
            except BaseException as error:
                self.stray(error, unit)
        self.printed.end_line(unit.number)

    def do_close(self, _):
        import atexit

        for unit in reversed(list(self.units.values())):
            self.unload(unit)
        # Not the interpreter's own end: it waits for threads that nobody ends.
        atexit._run_exitfuncs()
        self.printed.end_lines()
        self.exit(0)

    def settle_down(self):
        """What takes time, and is better done here than in the middle of a call: whoever imports threading first has it take that thread for the main one."""
        import faulthandler
        import threading

        self.take_logging()

        threading.excepthook = lambda args: None if args.exc_type is SystemExit else self.stray(args.exc_value)
        faulthandler.enable(self.printed.fd)

    def take_logging(self):
        """What user code logs is for Hookline's log, where it says nothing else. Not imported for that: it takes longer than Python to start."""
        logging = sys.modules.get("logging")
        if logging is None or self.logs:
            return
        self.logs = True
        if logging.root.handlers or logging.root.level != logging.WARNING:
            return
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        logging.root.addHandler(handler)
        logging.root.setLevel(logging.INFO)

    # What goes wrong outside of calls.

    def stray(self, error, unit=None):
        unit = unit or self.unit or place_of(self, error)[2]
        self.print_traceback(unit, error)
        message = {"t": "stray", "message": raised(self, error)[:8192]}
        if unit is not None:
            message["unit"] = unit.number
        self.lines.send(message)

    def print_traceback(self, unit, error):
        import traceback

        # From where it is the user's: how it came to be called is ours.
        trace = error.__traceback__
        while trace is not None and self.unit_of(trace.tb_frame.f_code.co_filename) is None:
            trace = trace.tb_next
        if trace is None and unit is not None:
            # It was never reached: the failure's own message says all there is.
            return
        text = "".join(traceback.format_exception(type(error), error, trace or error.__traceback__)[-40:])
        self.printed.emit(0 if unit is None else unit.number, text.encode("utf-8", "backslashreplace"))

    def unit_of(self, file):
        for root, unit in self.roots:
            if file == root or (root.endswith(os.sep) and file.startswith(root)):
                return unit
        return None

    def last_words(self, code):
        """In place of os._exit."""
        call = current.get(None)
        if os.getpid() == self.pid:
            self.lines.flush()
            self.printed.end_lines()
            self.note.last_words({"extension": None if call is None else call.unit.number, "did": f"called os._exit({code})"})
        self.exit(code)

    def forked(self):
        """In a child that user code forked: it may print, and nothing else."""
        self.lines.leave()
        self.printed.leave()


class Notes:
    def __init__(self):
        try:
            import mmap

            self.map = mmap.mmap(NOTES, 1024)
        except (OSError, ValueError):
            # It hurts only the blame.
            self.map = None

    def __call__(self, number):
        """This callback begins now, or, below zero, the loading of this unit."""
        if self.map is not None:
            self.map[:8] = pack("<d", number)

    def last_words(self, words):
        if self.map is not None:
            text = encode(words).encode()[:1000]
            self.map[8 : 8 + len(text)] = text


async def await_it(awaitable):
    return await awaitable


host = Host()
