import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, guard, hook, input, inWords, observe, toolCall, transform, wrap } from "../../test/engine.ts";
import { block } from "../events/decision.ts";
import { RegistrationError } from "../events/registration.ts";
import { createEngine } from "./engine.ts";

const silent = () => undefined;

test("hooks get the name their author gave, or the first free number of their extension", () => {
	const engine = createEngine();
	const { ids } = engine.register([guard("tool.calling", silent, { name: "no-rm" }), guard("tool.calling", silent), guard("tool.calling", silent), guard("tool.calling", silent, { extension: "other" })]);
	assert.deepEqual(ids, ["test/no-rm", "test#1", "test#2", "other#1"]);
});

test("a name that is taken is refused", () => {
	const engine = engineWith([guard("tool.calling", silent, { name: "twice" })]);
	assert.throws(() => engine.register([guard("input.receiving", silent, { name: "twice" })]), {
		name: "RegistrationError",
		message: "test: there is a hook 'test/twice' already. Give this one another name.",
	});
	engine.register([guard("tool.calling", silent, { name: "twice", extension: "other" })]);
});

test("one definition that is wrong registers none of the list", () => {
	const engine = createEngine();
	assert.throws(() => engine.register([guard("tool.calling", silent), hook("tool.cal", "guard", silent), guard("tool.calling", silent)]), RegistrationError);
	assert.deepEqual(engine.hooks(), []);
	assert.equal(engine.has("tool.calling"), false);
});

test("hooks that are removed are gone, and the others stay", async () => {
	const engine = createEngine();
	const first = engine.register([guard("tool.calling", () => block("first"), { name: "a" })]);
	engine.register([guard("tool.calling", () => block("second"), { name: "b" })]);
	first.remove();
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "blocked by test/b (decision): second");
	first.remove();
	assert.deepEqual(
		engine.hooks().map(({ id }) => id),
		["test/b"],
	);
});

test("a replacement takes the place and the names of what it replaces, in one instant", async () => {
	const said: string[] = [];
	const say = (word: string) => transform("tool.calling", () => void said.push(word), { name: word[0]! });
	const engine = createEngine();
	const old = engine.register([say("a1"), say("b1")]);
	engine.register([say("c1")]);
	const fresh = engine.register([say("a2"), say("b2")], old);
	await engine.dispatch("tool.calling", toolCall());
	assert.deepEqual(said, ["a2", "b2", "c1"]);
	assert.deepEqual(fresh.ids, ["test/a", "test/b"]);
});

test("a replacement that is refused leaves the old hooks as they were", async () => {
	const engine = createEngine();
	const old = engine.register([guard("tool.calling", () => block("the old one"))]);
	assert.throws(() => engine.register([guard("tool.calling", silent), hook("tool.cal", "guard", silent)], old), RegistrationError);
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "blocked by test#1 (decision): the old one");
});

test("replacing what was removed before takes nobody else's hooks along", () => {
	const engine = createEngine();
	const old = engine.register([guard("tool.calling", silent)]);
	old.remove();
	engine.register([guard("input.receiving", silent)]);
	engine.register([guard("shell.running", silent)], old);
	assert.deepEqual(
		engine.hooks().map(({ id, event }) => `${id} ${event}`),
		["test#1 input.receiving", "test#2 shell.running"],
	);
});

test("a dispatch under way keeps the hooks it began with", async () => {
	const engine = createEngine();
	const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	const waits = transform("tool.calling", async () => {
		begin();
		await released;
	});
	const registration = engine.register([waits, guard("tool.calling", () => block("as before"))]);
	const outcome = engine.dispatch("tool.calling", toolCall());
	await begun;
	registration.remove();
	release();
	assert.match(inWords(await outcome), /as before/);
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "go");
});

test("a wildcard is one hook with one id at several events", () => {
	const engine = engineWith([hook("tool.*", "transform", silent, { name: "all" })]);
	assert.deepEqual(
		engine.hooks().map(({ id, event }) => `${id} ${event}`),
		["test/all tool.calling", "test/all tool.returning", "test/all tool.persisting"],
	);
});

test("the list of hooks says in words what happens when each fails", () => {
	const engine = engineWith([
		guard("tool.calling", silent, { name: "g", tool: ["write_file", /^patch/i], priority: 5, timeoutMs: 200 }),
		transform("tool.calling", silent, { name: "t" }),
		transform("input.receiving", silent, { name: "c", onError: "closed" }),
		observe("tool.called", silent, { name: "o" }),
	]);
	const list = new Map(engine.hooks().map((summary) => [summary.id, summary]));
	assert.equal(list.get("test/g")!.ifItFails, "closed: the tool does not run and the model is told the reason");
	assert.equal(list.get("test/t")!.ifItFails, "open: things go on without it, with a warning");
	assert.equal(list.get("test/c")!.ifItFails, "closed: the text does not join the conversation");
	assert.equal(list.get("test/o")!.ifItFails, "nobody waits for it; its failure is in the trace");
	assert.deepEqual(list.get("test/g")!.matcher, { tool: ["write_file", "/^patch/i"] });
	assert.deepEqual([list.get("test/g")!.priority, list.get("test/g")!.timeoutMs, list.get("test/t")!.timeoutMs], [5, 200, 30_000]);
	assert.deepEqual(
		engine.hooks("tool.calling").map(({ id }) => id),
		["test/g", "test/t"],
	);
});

test("an event nobody hooks costs no promise and gives the payload back as it is", () => {
	const engine = engineWith([guard("tool.calling", silent)]);
	assert.equal(engine.has("tool.calling"), true);
	assert.equal(engine.has("input.receiving"), false);
	const payload = input();
	const outcome = engine.dispatch("input.receiving", payload);
	assert.ok(!(outcome instanceof Promise));
	assert.equal(outcome.kind === "go" && outcome.payload, payload);
});

test("handlers that return no promise cause none", () => {
	const engine = engineWith([
		transform("tool.calling", () => ({ kind: "rewrite", value: { command: "pwd" } })),
		guard("tool.calling", () => ({ kind: "allow" })),
		guard("tool.calling", silent),
	]);
	assert.ok(!(engine.dispatch("tool.calling", toolCall()) instanceof Promise));
	const failing = engineWith([guard("tool.calling", () => assert.fail("broken"))]);
	assert.ok(!(failing.dispatch("tool.calling", toolCall()) instanceof Promise));
});

test("an engine without a trace decides the same", async () => {
	const engine = engineWith([guard("tool.calling", async () => block("no")), wrap("tool.calling", silent), observe("tool.called", silent)], { trace: false });
	assert.match(inWords(await engine.dispatch("tool.calling", toolCall())), /: no$/);
	assert.deepEqual(engine.recent(), []);
	await engine.idle();
});

test("a trace that could hold nothing is refused", () => {
	for (const capacity of [0, -1, 1.5, NaN]) assert.throws(() => createEngine({ trace: { capacity } }), { name: "RangeError", message: `trace.capacity must be a whole number from 1, not ${capacity}` });
});
