"""Hermes's AIAgent for code that makes one: a conversation with it is a turn of Hookline in a session of its own, through all hooks and guards."""

from hookline_host.serving import host
from hookline_host.unit import current

__all__ = ["AIAgent"]

# Their sets of tools, as far as the tools are there.
TOOLSETS = {
    "terminal": ["terminal"],
    "file": ["read_file", "write_file", "patch", "search_files"],
    "web": ["web_search", "web_extract"],
    "search": ["web_search"],
    "memory": ["memory"],
    "todo": ["todo"],
    "delegation": ["delegate_task"],
    "messaging": ["send_message"],
}
PROVIDERS = ("anthropic", "openai", "google", "openai-compatible")
SURFACES = {"cli": "run", "cron": "cron"}
# Nothing is printed here anyway, and each conversation is kept in Hookline's own store.
QUIETLY = {"quiet_mode", "verbose_logging", "session_db"}


class AIAgent:
    def __init__(
        self,
        *,
        model="",
        provider=None,
        max_iterations=None,
        enabled_toolsets=None,
        disabled_toolsets=None,
        ephemeral_system_prompt=None,
        platform=None,
        skip_context_files=False,
        skip_memory=False,
        **more,
    ):
        self._unit = unit_now()
        self.model, self.provider, self.platform, self.max_iterations = model or "", provider, platform, max_iterations
        # Of the last conversation.
        self.session_id = None
        self._system = ephemeral_system_prompt
        self._context_files = not skip_context_files
        self._tools = self._tools_of(enabled_toolsets)
        self._without = self._tools_of(disabled_toolsets) or []
        if skip_memory:
            self._without.append("memory")
        self._warn_of("AIAgent", more)

    def run_conversation(self, user_message, system_message=None, conversation_history=None, task_id=None, **more):
        """A turn. Gives a dict as Hermes does. @raise RuntimeError when it could not begin."""
        self._warn_of("run_conversation", more)
        asked = {
            "text": user_message,
            "system": system_message or self._system,
            "instructions": None if self._context_files else False,
            "history": conversation_history,
            "model": self._model_name(),
            "tools": self._tools,
            "without": self._without or None,
            "max_steps": self.max_iterations,
            "surface": None if self.platform is None else SURFACES.get(self.platform, "gateway"),
            "session_id": session_now(),
        }
        result = self._unit.service("converse", asked)
        self.session_id = result["session_id"]
        return {**result, "failed": not result["completed"] and not result["interrupted"], "partial": False, "model": self.model, "provider": self.provider}

    def chat(self, message, **more):
        return self.run_conversation(message, **more)["final_response"]

    def close(self):
        """There is nothing left to close: a session ends with its conversation."""

    def __getattr__(self, name):
        raise AttributeError(f"AIAgent has no '{name}' in Hookline. It has run_conversation, chat, close, model, provider, platform, max_iterations and session_id.")

    def _model_name(self):
        if self.model in ("", "rehearsal") or self.model.split(":")[0] in PROVIDERS or not self.provider:
            return self.model or None
        return f"{self.provider}:{self.model}"

    def _tools_of(self, toolsets):
        if toolsets is None:
            return None
        unknown = [name for name in toolsets if name not in TOOLSETS]
        if unknown:
            self._unit.log(f"AIAgent: there are no tools here for the toolset {', '.join(unknown)}.")
        return [tool for name in toolsets for tool in TOOLSETS.get(name, [])]

    def _warn_of(self, what, more):
        nothing = sorted(name for name, value in more.items() if name not in QUIETLY and value not in (None, False, "", [], {}))
        if nothing:
            self._unit.log(f"{what}: {', '.join(nothing)} {'changes' if len(nothing) == 1 else 'change'} nothing here. Models, their addresses and keys are in Hookline's config.yaml.")


def model_in_use():
    return unit_now().service("model", {"session_id": session_now()})


def unit_now():
    unit = host.unit
    if unit is None and len(host.units) == 1:
        (unit,) = host.units.values()
    if unit is None:
        raise RuntimeError("This was called from a thread in which no code of a plugin, hook or extension runs, so it is not known whose it is. Make the AIAgent in your own function.")
    return unit


def session_now():
    """That of the call under way, when its payload says one."""
    call = current.get(None)
    payload = None if call is None else call.payload
    if not isinstance(payload, dict):
        return None
    context = payload.get("context")
    return payload.get("session_id") or (context.get("session_id") if isinstance(context, dict) else None) or None
