"""Members of Hermes's ctx that are not carried, and what to do instead. Those that register something leave it out and say so, the others raise."""

_gateway = "platforms belong to the gateway. What comes in is seen by the hook pre_gateway_dispatch"
_provider = "which provider does such work is chosen in config.yaml. Give the model a tool of your own: ctx.register_tool(…)"

refused = {
    "set_config": "config.yaml is the user's, and plugins do not write it. What changes while it runs belongs in ctx.state.set(key, value)",
    "call_mcp": "the tools of MCP servers are tools like any other: ctx.dispatch_tool(name, args)",
    "platform_actions": _gateway,
    "subagent_lifecycle": "subagents are seen by the hooks subagent_start and subagent_stop, and started by ctx.dispatch_tool(\"delegate_task\", args)",
    "register_approval_transport": "approvals are asked where the turn came from. The hooks pre_approval_request and post_approval_response see them; pre_tool_call can block or ask",
    "register_auxiliary_task": "the model to use is an argument of ctx.llm.complete(…)",
    "register_browser_provider": _provider,
    "register_cli_command": "there is no `hermes NAME` here. A command in the conversation, /NAME, is ctx.register_command(name, handler)",
    "register_context_engine": "the conversation is compacted by Hookline itself",
    "register_context_reference": "the hook pre_llm_call can add what a message refers to",
    "register_dashboard_auth_provider": "there is no dashboard of Hermes here",
    "register_gateway_action_handler": _gateway,
    "register_image_gen_provider": _provider,
    "register_memory_provider": "add what is remembered in the hook pre_llm_call, and store it in post_llm_call",
    "register_platform": _gateway,
    "register_platform_handler": _gateway,
    "register_redaction_patterns": "its patterns redact nothing. The hooks transform_tool_result, transform_terminal_output and transform_llm_output can take out what must not be seen",
    "register_secret_source": "name the variables that it needs in requires_env of its plugin.yaml",
    "register_skill": "put the skill's text where it is needed with ctx.register_system_prompt_section(id, text), or give it to the model by a tool: ctx.register_tool(…)",
    "register_slack_action_handler": _gateway,
    "register_telegram_handler": _gateway,
    "register_terminal_environment_provider": _provider,
    "register_transcription_provider": _provider,
    "register_tts_provider": _provider,
    "register_video_gen_provider": _provider,
    "register_web_search_provider": _provider,
}
