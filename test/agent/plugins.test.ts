// Hermes plugins in a real turn: their callbacks hear it in the order in which Hermes calls them, with the conversation as the store has it.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { NextCalls } from "../../src/dialects/hermes-plugin/next-calls.ts";
import type { HookDefinition } from "../../src/events/registration.ts";
import { userPlugins } from "../../src/extensions/plugins.ts";
import { pythonHost } from "../../src/hosts/python/host.ts";
import type { PythonHost } from "../../src/hosts/python/unit.ts";
import type { Sessions } from "../../src/stores/sessions.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { open } from "./open.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-plugins-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Loaded extends AsyncDisposable {
	readonly hooks: readonly HookDefinition[];
	/** What the plugins printed. */
	readonly said: readonly string[];
	/** Where conversations are from now on. */
	sessions: Sessions | undefined;
}

/** Plugins by their names, loaded as the user's. */
async function plugins(code: Readonly<Record<string, string>>): Promise<Loaded> {
	const home = mkdtempSync(join(folder, "home-"));
	for (const [name, text] of Object.entries(code)) {
		mkdirSync(join(home, name));
		writeFileSync(join(home, name, "plugin.yaml"), `name: ${name}\n`);
		writeFileSync(join(home, name, "__init__.py"), text);
	}
	const said: string[] = [];
	const nextCalls = new NextCalls();
	const python: PythonHost = pythonHost({ name: "user", services: nextCalls.services, log: (_, line) => said.push(line), onStray: ({ message }) => void said.push(message) });
	const loaded: Loaded = { hooks: [], said, sessions: undefined, [Symbol.asyncDispose]: () => python[Symbol.asyncDispose]() };
	const sessions = { messages: (id: string) => loaded.sessions!.messages(id), get: (id: string) => loaded.sessions!.get(id) };
	const set = await userPlugins(home, "config.yaml", { settings: { enabled: Object.keys(code) }, environment: {}, sessions, python: async () => python, nextCalls, warn: (message) => void said.push(message) });
	const host = typeof set.host === "object" ? await set.host.open() : undefined;
	const definitions: HookDefinition[] = [];
	for (const { name, file } of set.found) definitions.push(...(await host!.load({ name, file, trust: "user" })).definitions);
	return Object.assign(loaded, { hooks: definitions });
}

test("a turn is heard from its beginning to its end", { timeout: 60_000 }, async () => {
	await using loaded = await plugins({
		all: `
def tells(hook, *names):
    def tell(**given):
        print(hook, *(given[name] for name in names))
    tell.__name__ = "tell"
    return tell

def texts(messages):
    return [message["role"] for message in messages]

def before(conversation_history, is_first_turn, model, **given):
    print("pre_llm_call", texts(conversation_history), is_first_turn, model)
    return {"context": "It is Friday."}

def after(conversation_history, model, **given):
    print("post_llm_call", texts(conversation_history), model)

def verify(attempt, changed_paths, model, **given):
    print("pre_verify", attempt, changed_paths, model)
    if attempt == 0:
        return {"action": "continue", "message": "Look at it again."}

def answer(response_text, model, **given):
    return "It is done."

def register(ctx):
    ctx.register_hook("on_session_start", tells("on_session_start", "model", "platform"))
    ctx.register_hook("pre_llm_call", before)
    ctx.register_hook("pre_tool_call", tells("pre_tool_call", "tool_name", "args"))
    ctx.register_hook("post_tool_call", tells("post_tool_call", "tool_name", "status"))
    ctx.register_hook("transform_tool_result", lambda result, **given: result + " Twice checked.")
    ctx.register_hook("pre_verify", verify)
    ctx.register_hook("transform_llm_output", answer)
    ctx.register_hook("post_llm_call", after)
    ctx.register_hook("on_session_end", tells("on_session_end", "completed", "interrupted", "model"))
`,
	});
	await using opened = await open({ hooks: loaded.hooks });
	loaded.sessions = opened.runtime.store.sessions;
	const { text, completed } = await opened.submit(`CALL write_file ${JSON.stringify({ path: "made.txt", content: "x" })}`);
	assert.deepEqual([text, completed], ["It is done.", true]);
	await opened.runtime.engine.idle();
	const last = "on_session_end True False rehearsal";
	await eventually(() => loaded.said.includes(last), "the plugin hears the end of the turn");
	assert.match(opened.results[0]!, / Twice checked\.$/);
	assert.match(opened.messages.find(({ role }) => role === "user")!.text, /<context source="plugins\/all\/pre_llm_call.before">\nIt is Friday\.\n<\/context>/);
	// What is told is heard beside what is asked.
	const asked = ["pre_llm_call", "pre_tool_call", "pre_verify"];
	const isAsked = (line: string) => asked.some((hook) => line.startsWith(hook));
	assert.deepEqual(loaded.said.filter(isAsked), ["pre_llm_call ['user'] True rehearsal", "pre_tool_call write_file {'path': 'made.txt', 'content': 'x'}", "pre_verify 0 ['made.txt'] rehearsal", "pre_verify 1 [] rehearsal"]);
	assert.deepEqual(loaded.said.filter((line) => !isAsked(line)), ["on_session_start rehearsal cli", "post_tool_call write_file ok", "post_llm_call ['user', 'assistant', 'tool', 'assistant', 'user', 'assistant'] rehearsal", last]);
	assert.ok(loaded.said.indexOf("on_session_start rehearsal cli") < loaded.said.indexOf("pre_llm_call ['user'] True rehearsal"));
});

test("middleware runs around the tools and the model of a turn", { timeout: 60_000 }, async () => {
	await using loaded = await plugins({
		around: `
def tool(tool_name, next_call, **given):
    return next_call().upper()

def model(request, next_call, **given):
    answer = next_call()
    print(request["messages"][-1]["role"], len(answer["tool_calls"]))
    return answer

def register(ctx):
    ctx.register_middleware("tool_execution", tool)
    ctx.register_middleware("llm_execution", model)
`,
	});
	await using opened = await open({ hooks: loaded.hooks });
	loaded.sessions = opened.runtime.store.sessions;
	await opened.submit(`CALL terminal ${JSON.stringify({ command: "echo quiet" })}`);
	assert.match(opened.results[0]!, /QUIET/);
	await eventually(() => loaded.said.length === 2, "the middleware has seen both model calls");
	assert.deepEqual(loaded.said, ["user 1", "tool 0"]);
});

test("of fifty plugins one that hangs, one that throws and one that floods its output cost a turn no more than the time-out, and are named", { timeout: 120_000 }, async () => {
	const quiet = Object.fromEntries(Array.from({ length: 47 }, (_, i) => [`quiet${i}`, `def register(ctx):\n    ctx.register_hook("pre_llm_call", lambda **given: None)\n`]));
	await using loaded = await plugins({
		...quiet,
		floods: `def flood(**given):\n    line = "x" * 999\n    for _ in range(100_000):\n        print(line)\n\ndef register(ctx):\n    ctx.register_hook("pre_llm_call", flood)\n`,
		hangs: `import asyncio\n\nasync def hang(**given):\n    await asyncio.sleep(600)\n\ndef register(ctx):\n    ctx.register_hook("pre_llm_call", hang)\n`,
		throws: `def throw(**given):\n    raise ValueError("no")\n\ndef register(ctx):\n    ctx.register_hook("pre_llm_call", throw)\n`,
	});
	await using opened = await open({ hooks: loaded.hooks.map((hook) => ({ ...hook, options: { ...hook.options, timeoutMs: hook.source.extension === "plugins/hangs" ? 500 : 30_000 } })) });
	loaded.sessions = opened.runtime.store.sessions;
	const { completed } = await opened.submit("hello");
	assert.ok(completed);
	const failed = await opened.heard("hook.failed");
	assert.deepEqual(failed.map(({ hook, failure, effect }) => `${hook} ${failure} ${effect}`), ["plugins/hangs/pre_llm_call.hang timed-out passed", "plugins/throws/pre_llm_call.throw threw passed"]);
	const [turn] = opened.runtime.engine.recent().filter(({ event }) => event === "turn.starting");
	const hang = turn!.hooks.find(({ hook }) => hook === "plugins/hangs/pre_llm_call.hang")!;
	assert.ok(hang.ms >= 500 && hang.ms < 30_000, `it took ${hang.ms} ms`);
	assert.equal(turn!.hooks.length, 50);
});

test("a plugin whose tool can no longer be used when its process is started again keeps its guards", { timeout: 60_000 }, async () => {
	await using loaded = await plugins({
		tools: `
import os, pathlib
ready = pathlib.Path(__file__).parent / "ready"

def end(tool_name, args, **given):
    if "touch" in args["command"]:
        ready.touch()
        os._exit(3)
    return {"action": "block", "message": "still here"}

def register(ctx):
    ctx.register_tool("fetch", "", {"type": "object", "properties": {}}, print, check_fn=lambda: not ready.exists())
    ctx.register_hook("pre_tool_call", end)
`,
	});
	await using opened = await open({ hooks: loaded.hooks });
	loaded.sessions = opened.runtime.store.sessions;
	await opened.submit(`CALL terminal ${JSON.stringify({ command: "touch x" })}`);
	assert.match(opened.results[0]!, /host-ended/);
	await opened.submit(`CALL terminal ${JSON.stringify({ command: "ls" })}`);
	assert.match(opened.results[1]!, /still here/);
});
