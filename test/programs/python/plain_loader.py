# The simplest dialect: the user's file has `hooks`, a list of functions that take the payload.
def load(unit, host):
    module = unit.import_file(unit.settings["file"])
    if hasattr(module, "setup"):
        module.setup(unit)
    for callback in module.hooks:
        unit.register(callback, {"name": callback.__name__})
