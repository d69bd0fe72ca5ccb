def handle(event_type, context):
    raise ValueError('broken')
