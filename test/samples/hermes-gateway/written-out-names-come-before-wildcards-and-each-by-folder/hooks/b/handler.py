def handle(event_type, context):
    print(event_type)
