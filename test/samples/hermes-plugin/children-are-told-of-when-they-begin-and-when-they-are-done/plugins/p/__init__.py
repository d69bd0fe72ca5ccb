def start(parent_session_id, child_session_id, child_role, child_goal, **kwargs):
    print("start", parent_session_id, child_session_id, child_role, child_goal)

def stop(parent_session_id, child_role, child_summary, child_status, duration_ms, tool_call_history, **kwargs):
    print("stop", parent_session_id, child_role, child_summary, child_status, duration_ms, tool_call_history)


def register(ctx):
    ctx.register_hook("subagent_start", start)
    ctx.register_hook("subagent_stop", stop)
