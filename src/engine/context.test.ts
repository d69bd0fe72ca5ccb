import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, facts, guard, hook, observe, toolCall, toolCalled, transform } from "../../test/engine.ts";
import type { DurableState, HookContext } from "../events/context.ts";
import { createEngine } from "./engine.ts";

test("the state of a turn is shared by all its hooks, from one event to the next", async () => {
	const read: unknown[] = [];
	const engine = engineWith([
		transform("input.receiving", (_, { turn }) => void turn.state.set("plan", "first look, then act")),
		guard("tool.calling", (_, { turn }) => void read.push(turn.id, turn.state.get("plan")), { extension: "other" }),
	]);
	await engine.dispatch("input.receiving", { ...facts(), text: "x", origin: "typed" });
	await engine.dispatch("tool.calling", toolCall());
	assert.deepEqual(read, ["t1", "first look, then act"]);
});

test("turns do not see each other's state, and it is gone when the turn has ended", async () => {
	const read: unknown[] = [];
	const engine = engineWith([
		guard("tool.calling", (_, { turn }) => {
			read.push(turn.state.get("count"));
			turn.state.set("count", ((turn.state.get("count") as number | undefined) ?? 0) + 1);
		}),
	]);
	for (const turnId of ["t1", "t1", "t2"]) await engine.dispatch("tool.calling", toolCall({}, { turnId }));
	engine.endTurn("t1");
	await engine.dispatch("tool.calling", toolCall({}, { turnId: "t1" }));
	assert.deepEqual(read, [undefined, 1, undefined, undefined]);
});

test("outside of any turn nothing is shared", async () => {
	const read: unknown[] = [];
	const { turnId: _, ...nowhere } = toolCall();
	const engine = engineWith([
		guard("tool.calling", (_, { turn }) => {
			read.push(turn.id, turn.state.get("x"));
			turn.state.set("x", 1);
		}),
	]);
	await engine.dispatch("tool.calling", nowhere);
	await engine.dispatch("tool.calling", nowhere);
	assert.deepEqual(read, [undefined, undefined, undefined, undefined]);
});

test("durable state belongs to one extension and outlives the turn", async () => {
	const read: unknown[] = [];
	const count = (_: unknown, { state }: HookContext) => {
		state.set("calls", ((state.get("calls") as number | undefined) ?? 0) + 1);
		read.push(state.get("calls"));
	};
	const engine = engineWith([guard("tool.calling", count, { extension: "a" }), guard("input.receiving", count, { extension: "a" }), guard("tool.calling", count, { extension: "b" })]);
	await engine.dispatch("tool.calling", toolCall());
	engine.endTurn("t1");
	await engine.dispatch("input.receiving", { ...facts(), text: "x", origin: "typed" });
	assert.deepEqual(read, [1, 1, 2]);
});

test("durable state without a store holds plain data, by copy", async () => {
	const kept = { list: [1] };
	const engine = engineWith([
		guard("tool.calling", (_, { state }) => {
			state.set("kept", kept);
			kept.list.push(2);
			assert.deepEqual(state.get("kept"), { list: [1] });
			assert.throws(() => state.set("fn", () => {}), { message: "fn is a function, not plain data" });
			assert.deepEqual(state.keys(), ["kept"]);
			state.delete("kept");
			assert.equal(state.get("kept"), undefined);
		}),
	]);
	assert.equal((await engine.dispatch("tool.calling", toolCall())).kind, "go");
});

test("a store is asked once for the state of each extension", async () => {
	const asked: string[] = [];
	const store: DurableState = { get: () => 5, set: () => {}, delete: () => {}, keys: () => [] };
	const engine = createEngine({ stateOf: (extension) => (asked.push(extension), store) });
	const read: unknown[] = [];
	engine.register(["a", "a", "b"].map((extension) => guard("tool.calling", (_, { state }) => void read.push(state.get("x")), { extension })));
	await engine.dispatch("tool.calling", toolCall());
	await engine.dispatch("tool.calling", toolCall());
	assert.deepEqual([asked, read.length], [["a", "b"], 6]);
});

test("a handler knows its own name and the event it was called for", async () => {
	const known: string[] = [];
	const engine = engineWith([hook("tool.*", "transform", (_: unknown, { hook, event }: HookContext) => void known.push(`${hook} ${event}`), { name: "all" })]);
	await engine.dispatch("tool.calling", toolCall());
	await engine.dispatch("tool.persisting", { ...toolCall(), result: { text: "", isError: false } });
	assert.deepEqual(known, ["test/all tool.calling", "test/all tool.persisting"]);
});

test("what a handler logs goes out under its name", async () => {
	const lines: string[] = [];
	const engine = engineWith([observe("tool.called", (_, context) => context.log("seen"), { name: "o" })], { log: (hook, message) => void lines.push(`${hook}: ${message}`) });
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.deepEqual(lines, ["test/o: seen"]);
});

test("a handler may take its context apart and use it later", async () => {
	const { promise, resolve } = Promise.withResolvers<unknown>();
	const engine = engineWith([
		guard("tool.calling", async (_, { signal, turn, state, cause }) => {
			await Promise.resolve();
			resolve([signal.aborted, turn.id, state.keys(), cause.event]);
		}),
	]);
	await engine.dispatch("tool.calling", toolCall());
	assert.deepEqual(await promise, [false, "t1", [], "tool.calling"]);
});
