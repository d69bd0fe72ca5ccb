def answered(session_id, user_message, assistant_response, conversation_history, model, platform, **kwargs):
    print("answered", user_message, "|", assistant_response, "|", len(conversation_history), model, platform)

def ended(session_id, completed, interrupted, failed, model, platform, turn_exit_reason, **kwargs):
    print("ended", completed, interrupted, failed, model, turn_exit_reason)


def register(ctx):
    ctx.register_hook("post_llm_call", answered)
    ctx.register_hook("on_session_end", ended)
