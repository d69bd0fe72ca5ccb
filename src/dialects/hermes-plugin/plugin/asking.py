"""What a plugin asks of the agent."""

from types import SimpleNamespace

from hookline_host.unit import ServiceError

from .calling import place


def asked(args, session=None):
    """With the session that the call under way belongs to."""
    session = session or place.get().get("session_id")
    return {**args, "session_id": session} if session else args


def dispatch_tool(unit, name, args):
    """The tool's result as a text; what went wrong as JSON with an `error`, as Hermes has it."""
    import json

    try:
        result = unit.service("callTool", asked({"tool": name, "args": args}))
    except ServiceError as error:
        return json.dumps({"error": str(error)}, ensure_ascii=False)
    if not isinstance(result, dict):
        return str(result)
    text = str(result.get("text", ""))
    return text if not result.get("isError") or text.startswith("{") else json.dumps({"error": text}, ensure_ascii=False)


def inject_message(unit, content, role, session_key):
    """Whether somebody has the conversation open."""
    text = content if role == "user" else f"[{role}] {content}"
    try:
        return bool(unit.service("say", asked({"text": text}, session_key)))
    except ServiceError as error:
        unit.log(f"ctx.inject_message: {error}")
        return False


class State:
    """`ctx.state`: what is kept between runs. Plain data, and a folder for more."""

    def __init__(self, unit):
        self._unit = unit

    def get(self, key, default=None):
        value = self._unit.service("state.get", {"key": key})
        return default if value is None else value

    def set(self, key, value):
        self._unit.service("state.set", {"key": key, "value": value})

    def delete(self, key):
        self._unit.service("state.delete", {"key": key})

    def keys(self):
        return list(self._unit.service("state.keys"))

    @property
    def data_dir(self):
        from plugins.plugin_storage import plugin_data_dir

        return plugin_data_dir(self._unit.settings["id"].replace("/", "."))


class Llm:
    """`ctx.llm`: calls of the user's model, without tools."""

    def __init__(self, unit, has_capability):
        self._unit, self._has_capability, self._told = unit, has_capability, set()

    def complete(self, messages, *, model=None, provider=None, max_tokens=None, purpose=None, **others):
        return self._completed(self._unit.service("complete", self._request("complete", messages, model, provider, max_tokens, others)), purpose)

    async def acomplete(self, messages, *, model=None, provider=None, max_tokens=None, purpose=None, **others):
        return self._completed(await self._unit.service_async("complete", self._request("acomplete", messages, model, provider, max_tokens, others)), purpose)

    def complete_structured(self, *, instructions, input, json_schema=None, json_mode=False, schema_name=None, system_prompt=None, **others):
        messages = structured(instructions, input, json_schema, json_mode, schema_name, system_prompt)
        return parsed(self.complete(messages, **others), json_schema, json_mode)

    async def acomplete_structured(self, *, instructions, input, json_schema=None, json_mode=False, schema_name=None, system_prompt=None, **others):
        messages = structured(instructions, input, json_schema, json_mode, schema_name, system_prompt)
        return parsed(await self.acomplete(messages, **others), json_schema, json_mode)

    def _request(self, method, messages, model, provider, max_tokens, others):
        for what, value in (("provider", provider), ("model", model)):
            if value and not self._has_capability(f"llm.{what}_override"):
                raise PermissionError(f"ctx.llm.{method}({what}={value!r}): this plugin was not granted 'llm.{what}_override', so it may use only the user's own model. Leave '{what}' out.")
        for name, value in others.items():
            if value is not None and name not in self._told:
                self._told.add(name)
                self._unit.log(f"ctx.llm.{method}: '{name}' changes nothing in Hookline")
        args = {"messages": [{"role": message["role"], "content": text_of(message.get("content"))} for message in messages]}
        if model:
            args["model"] = f"{provider}:{model}" if provider else model
        if max_tokens is not None:
            args["max_tokens"] = max_tokens
        return asked(args)

    def _completed(self, answer, purpose):
        provider, _, model = answer["model"].partition(":")
        given = answer.get("usage") or {}
        read, written = given.get("inputTokens") or 0, given.get("outputTokens") or 0
        usage = SimpleNamespace(input_tokens=read, output_tokens=written, total_tokens=read + written, cache_read_tokens=given.get("cachedTokens") or 0, cache_write_tokens=given.get("cacheWriteTokens") or 0, cost_usd=None)
        return SimpleNamespace(text=answer["text"], provider=provider, model=model or provider, agent_id="default", usage=usage, audit={"purpose": purpose or ""})


def text_of(content):
    """Of a message: a text, or a list of its parts."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = [getattr(part, "__dict__", part) for part in content]
    if any(part.get("type", "text") != "text" for part in parts):
        raise ValueError("ctx.llm: Hookline carries texts only, and this message has a part of another kind")
    return "\n".join(part["text"] for part in parts)


def structured(instructions, input, json_schema, json_mode, schema_name, system_prompt):
    import json

    if not instructions or not instructions.strip() or not input:
        raise ValueError("ctx.llm.complete_structured needs instructions and at least one input")
    system = [system_prompt.strip()] if system_prompt else []
    task = [instructions.strip()]
    if json_mode or json_schema is not None:
        system.append("Answer with one JSON object and nothing else: no words around it, no code fence.")
    if json_schema is not None:
        task.append(f"The JSON Schema of the answer{f', {schema_name}' if schema_name else ''}:\n{json.dumps(json_schema, ensure_ascii=False)}")
    messages = [{"role": "system", "content": "\n\n".join(system)}] if system else []
    return [*messages, {"role": "user", "content": "\n\n".join([*task, text_of(input)])}]


def parsed(result, json_schema, json_mode):
    """The same with `parsed` and `content_type`. @raise ValueError when the answer does not fit the schema, where the package jsonschema is installed"""
    import json

    result.parsed, result.content_type = None, "text"
    if not json_mode and json_schema is None:
        return result
    text = result.text.strip()
    if text.startswith("```"):
        text = text.partition("\n")[2].rpartition("```")[0]
    try:
        result.parsed, result.content_type = json.loads(text), "json"
    except ValueError:
        return result
    if json_schema is not None:
        try:
            import jsonschema
        except ImportError:
            return result
        try:
            jsonschema.validate(result.parsed, json_schema)
        except jsonschema.ValidationError as error:
            raise ValueError(f"ctx.llm.complete_structured: the model's answer does not fit the schema: {error.message}") from None
    return result
