def handle(event_type, context):
    print(event_type)
    return {'decision': 'handled', 'message': 'Help yourself.'}
