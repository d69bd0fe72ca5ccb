"""What Python code asks of the agent: questions over the pipe, answered while callbacks run."""

from _thread import allocate_lock, get_ident

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
        if host.asks.pop(number, None) is not None:
            host.lines.send({"t": "forget", "ask": number})
        if call is not None:
            call.asks.discard(number)

    message = {"t": "ask", "unit": unit.number, "ask": number, "name": name, "args": args}
    if call is not None:
        message["call"] = call.id
    try:
        host.lines.send(message)
        if host.closing:
            host.settle(number, None, "Hookline is closing")
    except (TypeError, ValueError, RecursionError):
        host.asks.pop(number, None)
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

    holds = get_ident() == host.loop.thread
    host.loop.held |= holds
    try:
        forget = send(host, unit, name, args, settle)
        try:
            answered.acquire()
        finally:
            forget()
    finally:
        if holds:
            host.loop.held = False
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
