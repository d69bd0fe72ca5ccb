def register(ctx):
    print("loaded")
