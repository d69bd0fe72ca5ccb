// What a plugin's `ctx` knows and asks, and why a plugin is refused, in a real Python.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { folderWith } from "../../../test/contracts/host.ts";
import { type Plugin, Plugins } from "../../../test/contracts/hermes-plugins.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import { eventually } from "../../system/test-waiting.ts";

test("what a plugin asks of the agent belongs to the session of the call that asks", async () => {
	const asked: unknown[] = [];
	const kept = new Map<unknown, unknown>([["there", [1]]]);
	const heard = (name: string, answer: (args: JsonObject) => unknown) => async (unit: string, args: JsonObject) => {
		asked.push({ [name]: args });
		assert.equal(unit, "plugins/a");
		return answer(args);
	};
	await using plugins = new Plugins({
		callTool: heard("callTool", ({ tool }) => {
			if (tool === "no_tool") throw new Error("Unknown tool: no_tool");
			return tool === "blocked" ? { text: "blocked by a hook", isError: true } : { text: "a.txt", isError: false };
		}),
		say: heard("say", ({ text }) => {
			if (text === "too late") throw new Error("Hookline is closing");
			return text !== "[system] nobody" && "queued";
		}),
		complete: heard("complete", () => ({ text: '```json\n{"mood": "good"}\n```', model: "rehearsal:small", usage: { inputTokens: 3, outputTokens: 4 } })),
		"state.get": async (_, { key }) => kept.get(key),
		"state.set": async (_, { key, value }) => void kept.set(key, value),
		"state.delete": async (_, { key }) => void kept.delete(key),
		"state.keys": async () => [...kept.keys()],
	});
	const plugin = await plugins.load(
		"a",
		`
import asyncio
def run(args, **kwargs):
    llm = ctx.llm.complete([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}], max_tokens=9, temperature=0.5)
    structured = ctx.llm.complete_structured(instructions="Rate it.", input=[{"type": "text", "text": "fine"}], json_schema={"type": "object"})
    ctx.state.set("new", {"a": ctx.state.get("missing", 7)})
    ctx.state.delete("there")
    return {
        "tools": [ctx.dispatch_tool("terminal", {"command": "ls"}), ctx.dispatch_tool("no_tool", {}), ctx.dispatch_tool("blocked", {})],
        "said": [ctx.inject_message("hello"), ctx.inject_message("nobody", role="system"), ctx.inject_message("too late", session_key="s2")],
        "llm": [llm.text, llm.provider, llm.model, llm.usage.total_tokens],
        "structured": [structured.parsed, structured.content_type],
        "state": [ctx.state.get("new"), ctx.state.keys()],
    }
async def run_async(args):
    result = await ctx.llm.acomplete([{"role": "user", "content": "Hi"}])
    return [result.usage.input_tokens, await asyncio.to_thread(ctx.dispatch_tool, "terminal", {})] if hasattr(asyncio, "to_thread") else None
def choose(args): ctx.llm.complete([], model="large")
def register(given):
    global ctx
    ctx = given
    for handler in (run, run_async, choose): ctx.register_tool(handler.__name__, "", {}, handler)
`,
	);
	assert.deepEqual(JSON.parse(String(await plugin.tool("run"))), {
		tools: ["a.txt", '{"error": "Unknown tool: no_tool"}', '{"error": "blocked by a hook"}'],
		said: [true, false, false],
		llm: ['```json\n{"mood": "good"}\n```', "rehearsal", "small", 7],
		structured: [{ mood: "good" }, "json"],
		state: [{ a: 7 }, ["new"]],
	});
	const messages = [{ role: "user", content: "Hi" }];
	const [plain, structured, ...others] = asked as JsonObject[];
	assert.deepEqual(plain, { complete: { messages, max_tokens: 9, session_id: "s1" } });
	assert.match(JSON.stringify(structured), /one JSON object and nothing else.+Rate it\..+JSON Schema of the answer.+fine/);
	assert.deepEqual(others, [
		{ callTool: { tool: "terminal", args: { command: "ls" }, session_id: "s1" } },
		{ callTool: { tool: "no_tool", args: {}, session_id: "s1" } },
		{ callTool: { tool: "blocked", args: {}, session_id: "s1" } },
		{ say: { text: "hello", session_id: "s1" } },
		{ say: { text: "[system] nobody", session_id: "s1" } },
		{ say: { text: "too late", session_id: "s2" } },
	]);
	assert.equal(await plugin.tool("run_async"), '[3, "a.txt"]');
	assert.match(await plugin.failure(plugin.tool("choose")), /^threw: PermissionError: ctx\.llm\.complete\(model='large'\): this plugin was not granted 'llm\.model_override', so it may use only the user's own model\. Leave 'model' out\./);
	for (const line of ["ctx.llm.complete: 'temperature' changes nothing in Hookline", "ctx.inject_message: Hookline is closing"]) await eventually(() => plugins.opened.logged.includes(`plugins/a: ${line}`), line);
});

test("a plugin knows its settings and who it is", async () => {
	await using plugins = new Plugins();
	const settings = { name: "Mine", version: "1.2", config: { retry: { attempts: 3 }, url: "u" }, plugins: ["a", "b"], capabilities: ["tools.override"], profile: "work" };
	const plugin = await plugins.load(
		"tools/a",
		{
			"__init__.py": `
from hermes_cli.plugins import PluginContext
from hermes_cli.profiles import get_active_profile_name
from . import schemas
from .deep.inside import word
def register(ctx: PluginContext) -> None:
    ctx.logger.info("up")
    ctx.register_tool("who", "", schemas.WHO, lambda args: [ctx.plugin_id, ctx.profile_name, ctx.manifest.name, ctx.manifest.version, ctx.get_config("retry.attempts"), ctx.get_config("url.x", "none"), ctx.has_plugin("b"), ctx.has_plugin("c"), ctx.has_capability("tools.override"), ctx.has_capability("x"), get_active_profile_name(), word, __name__])
`,
			"schemas.py": "WHO = {}",
			"deep/__init__.py": "",
			"deep/inside.py": "from ..schemas import WHO\nword = 'in'",
		},
		settings,
	);
	assert.equal(await plugin.tool("who"), '["tools/a", "work", "Mine", "1.2", 3, "none", true, false, true, false, "work", "in", "hermes_plugins.tools_a"]');
});

test("plugins with nearly the same id keep their modules apart", async () => {
	await using plugins = new Plugins();
	const load = (id: string, word: string) => plugins.load(id, { "__init__.py": "def say(args):\n    from .inner import word\n    return word\ndef register(ctx): ctx.register_tool('say', '', {}, say)", "inner.py": `word = '${word}'` });
	const both = [await load("a-b", "one"), await load("a_b", "two")] as const;
	assert.deepEqual([await both[0].tool("say"), await both[1].tool("say")], ["one", "two"]);
});

const refusals: readonly (readonly [sentence: string, python: string | Readonly<Record<string, string>>, expected: RegExp | string])[] = [
	["no register", "def setup(ctx): pass", "/__init__.py: it has no 'register'. A plugin needs a function: def register(ctx): ctx.register_hook(\"pre_tool_call\", my_hook)"],
	["a register that is no function", "register = 3", /^\/__init__\.py: its 'register' is a int\. A plugin needs a function/],
	["a register that raises", { "__init__.py": "from .inner import work\ndef register(ctx):\n    work()", "inner.py": "def work():\n    raise KeyError('k')" }, "/inner.py:2: it raised KeyError: 'k' while it was loaded."],
	["a member that is not carried and has to answer", "def register(ctx):\n    ctx.call_mcp('x')", "/__init__.py:2: ctx.call_mcp is not carried by Hookline: the tools of MCP servers are tools like any other: ctx.dispatch_tool(name, args)."],
	["a setting it would write", "def register(ctx):\n    ctx.set_config('a', 1)", /^\/__init__\.py:2: ctx\.set_config is not carried by Hookline: config\.yaml is the user's.+ctx\.state\.set/],
	["a member that nobody has", "def register(ctx):\n    ctx.register_hooks('a')", "/__init__.py:2: ctx has no 'register_hooks'. Did you mean 'register_hook'?"],
	["a hook that is no function", "def register(ctx):\n    ctx.register_hook('pre_tool_call', 3)", "/__init__.py:2: it raised TypeError: ctx.register_hook('pre_tool_call'): it must be a function, not a int while it was loaded."],
	["a schema that is no data", "def register(ctx):\n    ctx.register_tool('t', 's', {'parameters': {1, 2}}, print)", /^\/__init__\.py:2: it raised ValueError: the schema of the tool 't' cannot be given to a model: schema\['parameters'\] is a set, which JSON cannot hold/],
	["a tool without the function that does the work", "def register(ctx):\n    ctx.register_tool('t', parameters={}, execute_fn=print)", /^\/__init__\.py:2: it raised TypeError: ctx\.register_tool\('t'\) needs the function that does the work: handler=my_function, beside toolset and schema; it has no argument 'parameters' and no 'execute_fn'/],
	["a module of Hermes itself", "import json\nfrom hermes_cli.gateway import restart", /^\/__init__\.py:2: it imports 'hermes_cli\.gateway', which is a part of Hermes itself and not carried by Hookline\./],
	["a part of one that is carried in part", "from tools.registry import registry", "/__init__.py:1: cannot import name 'registry' from 'tools.registry'. That module is a part of Hermes itself, and Hookline carries of it only tool_error, tool_result."],
	["a package that is not installed", "import no_such_package_anywhere", /^\/__init__\.py:1: it imports 'no_such_package_anywhere', and there is no such module for /],
];

test("why a plugin cannot be loaded is said with the place", async (t) => {
	await using plugins = new Plugins();
	for (const [sentence, python, expected] of refusals) {
		await t.test(sentence, async () => {
			const message = await plugins.refusal(python);
			if (typeof expected === "string") assert.equal(message, expected);
			else assert.match(message, expected);
		});
	}
	assert.deepEqual(plugins.opened.logged.filter((line) => line.includes("hookline_host")), [], "tracebacks begin where the plugin's own code does");
});

test("what a plugin offers and Hookline does not take is left out and told of once, and its guards are there", async () => {
	await using plugins = new Plugins();
	const plugin = await plugins.load(
		"a",
		`
from pathlib import Path
def guard(tool_name, **_): return {"action": "block", "message": "no"}
def register(ctx):
    for name in ("one", "two"):
        ctx.register_skill(name, Path(name)).dispose()
    try: ctx.register_cli_command(name="x", help="", setup_fn=None, handler_fn=guard)
    except Exception: pass
    ctx.register_hook("pre_tool_call", guard)
`,
	);
	assert.deepEqual(plugin.warnings, [
		"ctx.register_skill is not carried by Hookline, so what the plugin registers with it is not there: put the skill's text where it is needed with ctx.register_system_prompt_section(id, text), or give it to the model by a tool: ctx.register_tool(…). All else of the plugin runs.",
		"ctx.register_cli_command is not carried by Hookline, so what the plugin registers with it is not there: there is no `hermes NAME` here. A command in the conversation, /NAME, is ctx.register_command(name, handler). All else of the plugin runs.",
	]);
	assert.deepEqual(await plugin.hook("guard", { tool_name: "terminal" }), { action: "block", message: "no" });
});

test("a coroutine may wait for a tool whose hooks are coroutines", async () => {
	await using plugins = new Plugins({ callTool: async (_, { tool }) => ({ text: `${String(tool)}: ${String(await plugin.hook("watch", { tool_name: tool }))}`, isError: false }) });
	const plugin: Plugin = await plugins.load(
		"a",
		`
import asyncio
async def watch(tool_name, **_):
    await asyncio.sleep(0)
    return "watched"
def plain(tool_name, **_): return watch(tool_name)
async def work(args, **_): return [ctx.dispatch_tool("terminal", {}), await asyncio.sleep(0, "after")]
def register(given):
    global ctx
    ctx = given
    ctx.register_hook("pre_tool_call", watch)
    ctx.register_hook("pre_tool_call", plain)
    ctx.register_tool("work", "", {}, work)
`,
	);
	const all = await Promise.all([plugin.tool("work"), plugin.tool("work"), plugin.hook("watch", {}, { arguments: { tool_name: "x" } })]);
	assert.deepEqual(all, ['["terminal: watched", "after"]', '["terminal: watched", "after"]', "watched"]);
	assert.equal(await plugin.hook("plain", { tool_name: "x" }), "watched");
});

test("a plugin can ask whose conversation it is in, and what the user set", async () => {
	await using plugins = new Plugins();
	const userConfig = { approvals: { mode: "off" }, plugins: { enabled: ["a"], entries: { a: { settings: { level: 2 } } } } };
	const plugin = await plugins.load(
		"a",
		`
from gateway.session_context import get_session_env
from hermes_cli.config import cfg_get, load_config, load_config_readonly
from hermes_cli.plugins import VALID_HOOKS
from tools.approval import is_approval_bypass_active
def who(**_): return [get_session_env("HERMES_SESSION_" + name, "-") for name in ("PLATFORM", "USER_ID", "CHAT_TYPE", "KEY", "UNKNOWN")]
def config(**_):
    load_config()["plugins"]["entries"].clear()
    entries = cfg_get(load_config_readonly(), "plugins", "entries", default={})
    return [entries, cfg_get(load_config(), "plugins", "x", "y", default="none"), is_approval_bypass_active(), "pre_tool_call" in VALID_HOOKS, "kanban" in VALID_HOOKS]
def register(ctx):
    for callback in (who, config): ctx.register_hook("pre_tool_call", callback)
`,
		{ userConfig },
	);
	const from = { platform: "slack", user_id: "U1", chat_type: "dm" };
	assert.deepEqual(await plugin.hook("who", from), ["slack", "U1", "dm", "s1", "-"]);
	assert.deepEqual(await plugin.hook("who", { platform: "cli", user_id: null }), ["-", "-", "-", "s1", "-"]);
	assert.deepEqual(await plugin.hook("config", {}), [{ a: { settings: { level: 2 } } }, "none", true, true, false]);
});

test("a plugin that looks before it calls is told what is not there", async () => {
	await using plugins = new Plugins();
	const plugin = await plugins.load("a", "def register(ctx):\n    if not hasattr(ctx, 'call_mcp') and getattr(ctx, '_cli_ref', None) is None: ctx.register_command('here', lambda raw: None)");
	assert.deepEqual(plugin.what.map(({ name }) => name), ["here"]);
});

test("a plugin that fails to register leaves nothing behind", async () => {
	await using plugins = new Plugins();
	const other = await plugins.load("other", "def register(ctx):\n    ctx.register_tool('emit', '', {}, lambda args: ctx.emit('news', {}))");
	const message = await plugins.refusal(`
def register(ctx):
    ctx.on_unload(lambda: print("released"))
    ctx.subscribe("other:news", lambda: print("heard"))
    ctx.register_hook("pre_tool_call", lambda **_: None)
    raise RuntimeError("no")
`);
	assert.match(message, /__init__\.py:6: it raised RuntimeError: no while it was loaded\.$/);
	assert.equal(await other.tool("emit"), "0");
	await eventually(() => plugins.opened.logged.includes("plugins/a: released"), "what it had is released");
});

test("plugins keep files in a folder of their own", async () => {
	await using home = await folderWith({});
	await using plugins = new Plugins();
	const plugin = await plugins.load(
		"a",
		`
from plugins.plugin_storage import plugin_data_dir, plugin_db
from plugins.plugin_utils import lazy_singleton
@lazy_singleton
def connection():
    made = plugin_db("a")
    made.execute("CREATE TABLE t (n)")
    return made
def use(args):
    connection().execute("INSERT INTO t VALUES (1)")
    return [str(plugin_data_dir("a")), connection().execute("SELECT count(*) FROM t").fetchone()[0]]
def outside(args): plugin_data_dir("../b")
def register(ctx):
    assert ctx.state.data_dir == plugin_data_dir("a")
    ctx.register_tool("use", "", {}, use)
    ctx.register_tool("outside", "", {}, outside)
`,
		{ env: { HERMES_HOME: home.path } },
	);
	assert.deepEqual(JSON.parse(String(await plugin.tool("use"))), [join(home.path, "plugin-data/a"), 1]);
	assert.match(await plugin.failure(plugin.tool("outside")), /^threw: ValueError: plugin_data_dir\('\.\.\/b'\): give a plugin's name/);
});
