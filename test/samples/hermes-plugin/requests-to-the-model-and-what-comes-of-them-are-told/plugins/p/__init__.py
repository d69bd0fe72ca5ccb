def before(model, provider, request, request_messages, message_count, **kwargs):
    print("before", model, provider, sorted(request), request_messages, message_count)
    return {"request": {}}

def after(model, finish_reason, usage, assistant_message, response, api_duration, **kwargs):
    print("after", model, finish_reason, usage, assistant_message, response["choices"][0]["message"] == assistant_message, api_duration)

def error(status_code, retryable, reason, **kwargs):
    print("error", status_code, retryable, reason)


def register(ctx):
    ctx.register_hook("pre_api_request", before)
    ctx.register_hook("post_api_request", after)
    ctx.register_hook("api_request_error", error)
