async def handle(event_type, context):
    return context['nothing']
