def see(session_id, user_message, conversation_history, is_first_turn, model, platform, sender_id=0, parent_session_id=0, **kwargs):
    print(session_id, "|", user_message, "|", is_first_turn, model, platform, sender_id, parent_session_id)
    for message in conversation_history:
        print(message["role"], message.get("content"), message.get("tool_calls"))


def register(ctx):
    ctx.register_hook("pre_llm_call", see)
