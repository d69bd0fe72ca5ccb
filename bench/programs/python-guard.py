# A loader and its hooks in one: a guard that looks at its call, and one that is a coroutine.
def judge(payload):
    if payload["args"]["path"] == "/etc/passwd":
        return {"action": "block", "message": "no"}


async def judge_later(payload):
    return judge(payload)


def load(unit, host):
    for callback in (judge, judge_later) if unit.settings["async"] else (judge,):
        unit.register(callback, {})
