"""What hooks ask the gateway for before they make an AIAgent."""

import run_agent


def _resolve_gateway_model(config=None) -> str:
    """The model in use, as Hookline writes it: `PROVIDER:NAME`."""
    return run_agent.model_in_use()["name"]


def _resolve_runtime_agent_kwargs() -> dict:
    """What AIAgent takes beside the model. Keys and addresses stay with Hookline, which uses them for these agents as well."""
    return {"api_key": None, "base_url": None, "provider": run_agent.model_in_use()["provider"], "api_mode": None, "command": None, "args": [], "credential_pool": None}
