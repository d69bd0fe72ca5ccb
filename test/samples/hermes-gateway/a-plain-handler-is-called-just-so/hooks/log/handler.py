def handle(event_type, context):
    print(event_type, *(f"{key}={value}" for key, value in sorted(context.items())))
