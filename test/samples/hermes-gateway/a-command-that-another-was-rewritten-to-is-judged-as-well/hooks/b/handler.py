def handle(event_type, context):
    print(event_type)
    return {'decision': 'deny', 'message': 'No models.'}
