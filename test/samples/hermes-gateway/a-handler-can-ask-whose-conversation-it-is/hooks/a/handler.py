from gateway.session_context import get_session_env


async def handle(event_type, context):
    print(*(get_session_env("HERMES_SESSION_" + name, "-") for name in ("PLATFORM", "USER_ID", "CHAT_ID", "THREAD_ID")))
