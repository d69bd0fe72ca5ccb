def handler(event_type, context):
    pass
