// Events between plugins, and what goes when a plugin goes, in a real Python.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Plugins } from "../../../test/contracts/hermes-plugins.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import { eventually } from "../../system/test-waiting.ts";

test("events reach the plugins that subscribed: copies, in order, each failure alone, until one goes", async () => {
	await using plugins = new Plugins();
	const one = await plugins.load(
		"one",
		`
def register(ctx):
    ctx.register_tool("emit", "", {}, lambda args: [ctx.emit(args["name"], args.get("payload")) for _ in range(args.get("times", 1))])
`,
	);
	const two = await plugins.load(
		"two",
		`
import threading
heard = []
gate = threading.Event()
gate.set()
def broken(**_): raise ValueError("not me")
def change(items, **_): items.append("changed")
async def later(items, more=None): heard.append(["later", items])
def take(**payload):
    heard.append(["take", payload])
    gate.wait(30)
def loop(n):
    heard.append(["loop", n])
    ctx.emit("loop", {"n": n + 1})
def register(given):
    global ctx
    ctx = given
    for callback in (broken, change, later, take): ctx.subscribe("one:news", callback)
    ctx.subscribe("one:start", loop)
    ctx.subscribe("two:loop", loop)
    ctx.register_tool("heard", "", {}, lambda args: heard)
    ctx.register_tool("gate", "", {}, lambda args: gate.set() if args["open"] else gate.clear())
`,
	);
	const emit = async (args: JsonObject) => JSON.parse(String(await one.tool("emit", args))) as number[];
	const heard = async () => JSON.parse(String(await two.tool("heard"))) as unknown[];
	assert.deepEqual(await emit({ name: "news", payload: { items: [1], more: 2 }, times: 2 }), [4, 4]);
	assert.deepEqual(await emit({ name: "nobody" }), [0]);
	const both = [["later", [1]], ["take", { items: [1], more: 2 }]];
	await eventually(async () => (await heard()).length === 4, "both events are heard");
	assert.deepEqual(await heard(), [...both, ...both]);
	assert.deepEqual(plugins.opened.strays.map((text) => text.replace(/\(\/.+?\)$/, "")), ["plugins/two (run): ValueError: not me "]);
	await emit({ name: "start", payload: { n: 1 } });
	const dropped = (line: string) => line.includes("'two:loop' was dropped: it was emitted because of 8 events");
	await eventually(() => plugins.opened.logged.some(dropped), "the loop is ended");
	assert.deepEqual((await heard()).slice(4), [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ["loop", n]));
	await two.tool("gate", { open: false });
	const sent = await emit({ name: "news", payload: { items: [] }, times: 70 });
	assert.equal(sent.filter((n) => n === 4).length, 64);
	await eventually(() => plugins.opened.logged.some((line) => line.includes("'one:news' was dropped: 64 events are waiting")), "it is said why the others are not");
	await two.tool("gate", { open: true });
	for (const name of ["", "hermes:x"]) assert.match(await one.failure(one.tool("emit", { name })), /^threw: ValueError: ctx\.emit\('.*'\): give the event's own name, without ':'\. It becomes 'one:NAME'/);
	await two.unit.unload();
	assert.deepEqual(await emit({ name: "news", payload: { items: [] } }), [0]);
});

test("when a plugin goes, what it has goes in reverse order, and its tasks are cancelled", async () => {
	await using plugins = new Plugins();
	const plugin = await plugins.load(
		"a",
		`
import asyncio, threading
async def work(name):
    print(name, "begins")
    try: await asyncio.sleep(600)
    finally: print(name, "ends")
async def fail(): raise ValueError("in a task")
async def close(): print("closed")
async def spawn(args): return ctx.spawn_task(work(args["name"]), name="mine").get_name()
def register(given):
    global ctx
    ctx = given
    ctx.on_unload(lambda: print("first"))
    ctx.spawn_task(work("one"))
    ctx.spawn_task(fail())
    ctx.on_unload(close)
    ctx.on_unload(lambda: print("taken back")).dispose()
    ctx.register_tool("spawn", "", {}, spawn)
`,
	);
	const { logged, strays } = plugins.opened;
	assert.equal(await plugin.tool("spawn", { name: "two" }), "mine");
	await eventually(() => strays.length > 0 && logged.includes("plugins/a: one begins") && logged.includes("plugins/a: two begins"), "its tasks run");
	assert.match(strays.join(), /^plugins\/a \(run\): ValueError: in a task/);
	logged.length = 0;
	await plugin.unit.unload();
	await eventually(() => logged.includes("plugins/a: first"), "the last of it is done");
	assert.deepEqual(logged.toSorted(), ["plugins/a: closed", "plugins/a: first", "plugins/a: one ends", "plugins/a: two ends"]);
	assert.ok(logged.indexOf("plugins/a: closed") === 0 && logged.indexOf("plugins/a: first") === 3, logged.join());
});
