class Handler:
    async def __call__(self, event_type, context):
        print(event_type, 'in a class')


handle = Handler()
