def handle(event_type, context):
    print(event_type)
    return {1, 2}
