"""What Python code asks of the agent: questions over the pipe, answered while callbacks run."""

from _thread import allocate_lock

from .unit import ServiceError, current


class Ask:
    """A question that is not answered yet. `settle(value, error)` is called once, on the thread that reads."""

    def __init__(self, settle):
        self.settle = settle


def send(host, unit, name, args, settle):
    """Gives a function that forgets the question."""
    number = host.next_ask()
    host.asks[number] = Ask(settle)
    call = current.get(None)
    if call is not None:
        if call.asks is None:
            call.asks = set()
        call.asks.add(number)

    def forget():
        host.asks.pop(number, None)
        if call is not None:
            call.asks.discard(number)

    try:
        host.lines.send({"t": "ask", "unit": unit.number, "ask": number, "name": name, "args": args})
        if host.closing:
            host.settle(number, None, "Hookline is closing")
    except (TypeError, ValueError, RecursionError):
        forget()
        from .plain import problem

        raise ServiceError(f"{name}: its arguments cannot be sent: {problem(args, 'args')}") from None
    return forget


def ask_and_wait(host, unit, name, args):
    answers = []
    answered = allocate_lock()
    answered.acquire()

    def settle(value, error):
        answers.append((value, error))
        answered.release()

    forget = send(host, unit, name, args, settle)
    try:
        answered.acquire()
    finally:
        forget()
    value, error = answers[0]
    if error is not None:
        raise ServiceError(error)
    return value


async def ask(host, unit, name, args):
    import asyncio

    loop = asyncio.get_running_loop()
    future = loop.create_future()

    def finish(value, error):
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(ServiceError(error))

    forget = send(host, unit, name, args, lambda value, error: loop.call_soon_threadsafe(finish, value, error))
    try:
        return await future
    finally:
        forget()
