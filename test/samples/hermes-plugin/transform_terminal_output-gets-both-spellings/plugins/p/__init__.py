def see(command, output, returncode, exit_code, cwd, env_type, task_id, **kwargs):
    print(command, repr(output), returncode, exit_code, cwd, env_type, task_id)


def register(ctx):
    ctx.register_hook("transform_terminal_output", see)
