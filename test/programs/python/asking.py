# Asks the agent, in all ways, and says goodbye.
unit = None


def setup(given):
    global unit
    unit = given
    unit.log("greeting: " + str(unit.service("greet", {"name": "loading"})))
    unit.on_unload(lambda: unit.log("first registered"))

    async def second():
        unit.log("second registered: " + str(await unit.service_async("greet", {"name": "unloading"})))

    unit.on_unload(second)


def ask(payload):
    return unit.service(payload["service"], payload.get("args"))


async def ask_later(payload):
    return await unit.service_async(payload["service"], payload.get("args"))


def whose(_):
    from hookline_host import host

    return host.unit.name


def too_late(_):
    unit.register(whose, {})


hooks = [ask, ask_later, whose, too_late]
