def handle(event_type, context):
    if context['command'] == 'help':
        return {'decision': 'rewrite', 'command_name': 'model', 'raw_args': context['raw_args']}
