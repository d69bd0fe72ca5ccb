import os


def register(ctx):
    print(os.environ.get("SAMPLE_KEY"), os.environ.get("SAMPLE_REGION"), os.environ.get("SAMPLE_OTHER"))
