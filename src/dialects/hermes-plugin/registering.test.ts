// What a plugin registers, in a real Python: how its callbacks are called and what they answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Plugins } from "../../../test/contracts/hermes-plugins.ts";
import { callOf } from "../../../test/contracts/python-host.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import { eventually } from "../../system/test-waiting.ts";

test("hooks are called by keyword with what they declare, whatever kind of function they are", async () => {
	await using plugins = new Plugins();
	const plugin = await plugins.load(
		"a",
		`
import functools

def narrow(tool_name, args=None): return {"got": sorted(locals())}
def everything(**kwargs): return {"got": sorted(kwargs)}
def mixed(tool_name, *, session_id, missing=1): return {"got": [tool_name, session_id, missing]}
async def later(tool_name, **kwargs): return {"got": [tool_name, *sorted(kwargs)]}
def wrapped(function):
    @functools.wraps(function)
    def call(*args, **kwargs): return function(*args, **kwargs)
    return call
@wrapped
def inner(tool_name): return {"got": [tool_name]}
class Guard:
    def method(self, tool_name, task_id): return {"got": [tool_name, task_id]}
    def __call__(self, args): return {"got": [args]}

def register(ctx):
    for callback in (narrow, everything, mixed, later, inner, Guard().method, Guard(), functools.partial(mixed, missing=2), lambda **_: object()):
        ctx.register_hook("pre_tool_call", callback)
`,
	);
	assert.deepEqual(plugin.warnings, []);
	assert.deepEqual(plugin.what.map(({ name, takes }) => [name, takes]), [
		["narrow", ["tool_name", "args"]],
		["everything", null],
		["mixed", ["tool_name", "session_id", "missing"]],
		["later", null],
		["inner", ["tool_name"]],
		["method", ["tool_name", "task_id"]],
		["Guard", ["args"]],
		["mixed", ["tool_name", "session_id", "missing"]],
		["<lambda>", null],
	]);
	const payload = { arguments: { tool_name: "terminal", args: { command: "ls" }, task_id: "s1", session_id: "s1" } };
	const got = await Promise.all(plugin.unit.callbacks.map(({ id }) => callOf(plugin.unit, payload, { id })));
	assert.deepEqual(got, [
		{ got: ["args", "tool_name"] },
		{ got: ["args", "session_id", "task_id", "tool_name"] },
		{ got: ["terminal", "s1", 1] },
		{ got: ["terminal", "args", "session_id", "task_id"] },
		{ got: ["terminal"] },
		{ got: ["terminal", "s1"] },
		{ got: [{ command: "ls" }] },
		{ got: ["terminal", "s1", 2] },
		null,
	]);
});

test("a wrong name is told with the nearest, and a callback that can never be called with what it wants", async () => {
	await using plugins = new Plugins();
	const plugin = await plugins.load(
		"a",
		`
def guard(tool_data): pass
def by_position(tool_name, /): pass
def fine(tool_name, more=1): pass
def register(ctx):
    ctx.register_hook("pre_tool_cal", guard)
    ctx.register_hook("pre_tool_call", guard)
    ctx.register_hook("pre_tool_call", by_position)
    ctx.register_hook("pre_tool_call", fine)
    ctx.register_hook("on_stream_start", fine)
    ctx.register_middleware("tool_requests", fine)
    ctx.register_tool("t", schema={}, handler=fine, max_result_size_chars=5)
`,
		{ dependencies: ["no-such-package-anywhere>=2"] },
	);
	assert.deepEqual(plugin.warnings, [
		"register_hook('pre_tool_cal'): there is no such hook, so guard is never called. Did you mean 'pre_tool_call'?",
		"register_hook('pre_tool_call'): guard wants 'tool_data', which pre_tool_call is not given (tool_name, args, task_id, session_id). Each of its calls will fail. Write it as def guard(…, **kwargs).",
		"register_hook('pre_tool_call'): by_position takes 'tool_name' by position only, and hooks are called by keyword. Each of its calls will fail. Write it as def by_position(…, **kwargs).",
		"register_middleware('tool_requests'): there is no such kind, so fine is never called. Did you mean 'tool_request'?",
		"register_tool('t'): 'max_result_size_chars' changes nothing in Hookline",
		"plugin.yaml names the Python package 'no-such-package-anywhere>=2', which this Python does not have. What needs it will fail. Install it for the Python that runs plugins.",
	]);
	assert.deepEqual(plugin.what.flatMap(({ kind, hook, name }) => (kind === "hook" ? [`${hook} ${name}`] : [])), ["pre_tool_call guard", "pre_tool_call by_position", "pre_tool_call fine", "on_stream_start fine"]);
	assert.match(await plugin.failure(plugin.hook("guard", { tool_name: "terminal" })), /^threw: TypeError: guard\(\) missing 1 required positional argument: 'tool_data'/);
});

test("pre_gateway_dispatch gets its event as an object, and nothing of a gateway that is not there", async () => {
	await using plugins = new Plugins();
	const plugin = await plugins.load(
		"a",
		`
def deny(event, gateway, **kwargs):
    if event.text == "send": gateway.adapters["x"].send("no")
    return {"action": "skip", "reason": event.source.chat_type}
def register(ctx): ctx.register_hook("pre_gateway_dispatch", deny)
`,
	);
	const source = { chat_type: "dm", user_id: "u" };
	assert.deepEqual(await plugin.hook("deny", { event: { text: "hello", source }, gateway: null }), { action: "skip", reason: "dm" });
	assert.match(await plugin.failure(plugin.hook("deny", { event: { text: "send", source }, gateway: null })), /^threw: AttributeError: gateway\.adapters is not carried by Hookline: this hook has the message in 'event'/);
});

const execution = `
from hermes_cli.middleware import LLMExecutionBlocked
def wrap(args=None, request=None, next_call=None, do="", **kwargs):
    if do == "fail first": raise ValueError("no")
    if do == "block": raise LLMExecutionBlocked("too dear", metadata={"budget": 5})
    if do == "short": return "mine"
    if do == "other": return next_call({"command": "rm -rf /"})
    if do == "mutate":
        args["command"] = "rm -rf /"
        return next_call()
    result = next_call(args)
    if do == "twice": next_call(args)
    if do == "fail later": raise ValueError("too late")
    return result + "!"
async def wrap_async(next_call, **kwargs): return next_call() + "?"
def register(ctx):
    ctx.register_middleware("tool_execution", wrap)
    ctx.register_middleware("tool_execution", wrap_async)
    ctx.register_middleware("tool_request", lambda args, **_: {"args": {**args, "more": 1}, "reason": "because"})
`;

test("middleware wraps what is done: once, and as it was approved", async () => {
	const done: unknown[] = [];
	const next = async (_: string, args: JsonObject) => {
		done.push(args);
		if (args["call"] === "c-fails") throw new Error("the tool failed");
		return "ls gave a.txt";
	};
	await using plugins = new Plugins({ next });
	const plugin = await plugins.load("a", execution);
	assert.deepEqual(plugin.what.map(({ middleware, name }) => `${middleware} ${name}`), ["tool_execution wrap", "tool_execution wrap_async", "tool_request <lambda>"]);
	const wrap = (way: string, call = "c1", name = "wrap") => plugin.call(name, { middleware: "tool_execution", call, arguments: { tool_name: "terminal", args: { command: "ls" }, do: way } });
	assert.deepEqual(await wrap(""), { result: "ls gave a.txt!", called: true });
	assert.deepEqual(await wrap("", "c1", "wrap_async"), { result: "ls gave a.txt?", called: true });
	assert.deepEqual(done.splice(0), [{ call: "c1" }, { call: "c1" }]);
	assert.deepEqual(await wrap("short"), { result: "mine", called: false });
	assert.deepEqual(await wrap("block"), { blocked: { reason: "too dear", metadata: { checked_by: "wrap", budget: 5 } }, called: false });
	assert.equal(await plugin.failure(wrap("fail first")), "threw: ValueError: no (__init__.py:4)");
	for (const way of ["other", "mutate"]) assert.match(await plugin.failure(wrap(way)), /^threw: ValueError: wrap called next_call\(\) with other args than it was given, and what was approved is what is done\. Change it in middleware of the kind 'tool_request', which runs before/);
	assert.deepEqual(done.splice(0), []);
	for (const [way, why] of [["fail later", /^ValueError: too late/], ["twice", /^RuntimeError: wrap called next_call\(\) more than once; what it wraps is done once/]] as const) {
		const { result, raised, called } = (await wrap(way)) as JsonObject;
		assert.deepEqual([result, called], ["ls gave a.txt", true]);
		assert.match(String(raised), why);
	}
	assert.equal(done.splice(0).length, 2);
	assert.match(await plugin.failure(wrap("", "c-fails")), /^threw: ServiceError: the tool failed/);
	assert.deepEqual(await plugin.call("<lambda>", { middleware: "tool_request", arguments: { args: { a: 1 } } }), { args: { a: 1, more: 1 }, reason: "because" });
});

test("tools say what they take, in either way of writing it, and whether they can be had", async () => {
	await using plugins = new Plugins();
	const plugin = await plugins.load(
		"a",
		`
import json, os
from tools.registry import tool_error
parameters = {"type": "object", "properties": {"n": {"type": "number"}}}
def plain(args, **kwargs): return json.dumps({"n": args["n"], **kwargs})
async def later(args): return {"n": args["n"], "é": [1]}
def narrow(params, task_id): return tool_error(task_id)
def unset(): raise OSError("no such device")
def register(ctx):
    ctx.register_tool("plain", "set", {"name": "x", "description": "Doubles.", "parameters": parameters}, plain)
    ctx.register_tool(name="later", toolset="set", schema={"type": "function", "function": {"name": "x", "parameters": parameters}}, handler=later, is_async=True, description="Later.", emoji="*", override=True)
    ctx.register_tool("narrow", "set", parameters, narrow, check_fn=lambda: True, requires_env=["KEY_OF_MINE"])
    ctx.register_tool("no_env", "set", {"name": "no_env"}, plain, requires_env=["KEY_OF_MINE", "OTHER_KEY"])
    ctx.register_tool("said_no", "set", {}, plain, check_fn=lambda: 0)
    ctx.register_tool("raised", "set", {}, plain, check_fn=unset)
`,
		{ env: { KEY_OF_MINE: "secret" } },
	);
	const parameters = { type: "object", properties: { n: { type: "number" } } };
	const tool = { kind: "tool", toolset: "set", description: "", emoji: "", override: false, available: true };
	const none = { type: "object", properties: {} };
	assert.deepEqual(plugin.what, [
		{ ...tool, name: "plain", description: "Doubles.", parameters },
		{ ...tool, name: "later", description: "Later.", parameters, emoji: "*", override: true },
		{ ...tool, name: "narrow", parameters },
		{ ...tool, name: "no_env", parameters: none, available: "missing env OTHER_KEY (only variables that its plugin.yaml names in requires_env or optional_env are handed to it)" },
		{ ...tool, name: "said_no", parameters: none, available: "check_fn said no" },
		{ ...tool, name: "raised", parameters: none, available: "check_fn raised OSError: no such device" },
	]);
	assert.equal(await plugin.tool("plain", { n: 2 }), '{"n": 2, "task_id": "s1", "session_id": "s1", "turn_id": "t1", "tool_call_id": "c1"}');
	assert.equal(await plugin.tool("later", { n: 2 }), '{"n": 2, "é": [1]}');
	assert.equal(await plugin.tool("narrow"), '{"error": "s1"}');
	assert.match(await plugin.failure(plugin.tool("plain")), /^threw: KeyError: 'n'/);
});

test("commands give a text or nothing", async () => {
	await using plugins = new Plugins();
	const plugin = await plugins.load(
		"a",
		`
async def check(raw_args): return f"checked {raw_args}"
def register(ctx):
    ctx.register_command("/My Status", lambda raw_args="": 3 if raw_args else None, description="Shows it.", args_hint=" [all] ")
    ctx.register_command("check", handler=check, argument_mode="options")
`,
	);
	assert.deepEqual(plugin.what, [
		{ kind: "command", name: "my-status", description: "Shows it.", args_hint: "[all]", argument_mode: "text" },
		{ kind: "command", name: "check", description: "", args_hint: "", argument_mode: "options" },
	]);
	const run = (name: string, args: string) => plugin.call(name, { command: name, args, session_id: "s1" });
	assert.deepEqual([await run("my-status", "all"), await run("my-status", ""), await run("check", "it")], ["3", null, "checked it"]);
});

test("what was taken back does nothing any more, and nothing new can come after register()", async () => {
	const next = async () => "done";
	await using plugins = new Plugins({ next });
	const plugin = await plugins.load(
		"a",
		`
def hook(**_): return {"action": "block", "message": "no"}
def command(raw): return "here"
def wrap(next_call, **_): return "wrapped"
def register(ctx):
    ctx.register_hook("pre_tool_call", lambda **_: None).dispose()
    handles = [ctx.register_hook("pre_tool_call", hook), ctx.register_command("command", command), ctx.register_middleware("tool_execution", wrap)]
    def dispose(args):
        for handle in handles: handle.dispose()
    ctx.register_tool("dispose", "", {}, dispose)
    ctx.register_tool("late", "", {}, lambda args: ctx.register_hook("pre_tool_call", hook))
`,
	);
	assert.deepEqual(plugin.what.map(({ name }) => name), ["hook", "command", "wrap", "dispose", "late"]);
	const command = () => plugin.call("command", { command: "command", args: "", session_id: "s1" });
	const wrap = () => plugin.call("wrap", { middleware: "tool_execution", call: "c1", arguments: { args: {} } });
	assert.deepEqual([await plugin.hook("hook", {}), await command(), await wrap()], [{ action: "block", message: "no" }, "here", { result: "wrapped", called: false }]);
	await plugin.tool("dispose");
	assert.deepEqual([await plugin.hook("hook", {}), await wrap()], [null, { result: "done", called: true }]);
	assert.match(await plugin.failure(command()), /^threw: PluginError: the plugin took the command 'command' back/);
	assert.match(await plugin.failure(plugin.tool("late")), /^threw: PluginError: ctx\.register_hook can be called only while register\(ctx\) runs/);
});

test("a section of the system prompt stays the same for a session", async () => {
	await using plugins = new Plugins();
	// Else the process would end with the plugin.
	await plugins.load("other", "def register(ctx): pass");
	const plugin = await plugins.load(
		"a",
		`
count = 0
def render(info):
    global count
    count += 1
    return f" {info['session_id']} {info['model']} {count} "
def register(ctx):
    ctx.register_system_prompt_section("mine.rendered", render)
    ctx.register_system_prompt_section("mine.fixed", "Be kind.")
    ctx.register_system_prompt_section("mine.long", lambda info: "long " * 9, max_chars=20)
`,
	);
	assert.deepEqual(plugin.what[0], { kind: "hook", hook: "system_prompt_section", name: "mine.rendered", takes: null });
	const render = (name: string, session_id = "s1") => plugin.hook(name, { session_id, model: "m" });
	assert.deepEqual([await render("mine.rendered"), await render("mine.rendered"), await render("mine.rendered", "s2"), await render("mine.fixed"), await render("mine.long")], ["s1 m 1", "s1 m 1", "s2 m 2", "Be kind.", null]);
	await eventually(() => plugins.opened.logged.includes("plugins/a: system prompt section 'mine.long' is left out: it has 44 characters, and may have 20"), "it is said why");
	assert.equal(await plugins.refusal("def register(ctx): ctx.register_system_prompt_section('mine.fixed', 'x')"), "/__init__.py:1: it raised ValueError: system prompt section 'mine.fixed' is there already, of the plugin a while it was loaded.");
	await plugin.unit.unload();
	await plugins.load("b", "def register(ctx): ctx.register_system_prompt_section('mine.fixed', 'x')");
});
