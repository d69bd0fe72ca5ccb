def handle(event_type, context):
    print(event_type)
    return {'decision': 'rewrite', 'command_name': '/model', 'raw_args': 'fast'}
