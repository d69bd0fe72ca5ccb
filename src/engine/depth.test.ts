// Hooks that call back into the engine, for ever if one lets them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, guard, inWords, observe, toolCall, toolCalled, transform, wrap } from "../../test/engine.ts";
import type { Cause } from "../events/payloads/facts.ts";
import type { HookFailed } from "../events/payloads/house.ts";
import type { Engine } from "./engine.ts";
import { createEngine } from "./engine.ts";
import type { Outcome } from "./outcome.ts";

const result = { text: "", isError: false };

test("an event fired from inside a handler carries its cause", async () => {
	const causes: unknown[] = [];
	const engine = engineWith([
		guard("tool.calling", (call) => void engine.dispatch("input.receiving", { ...call, eventId: "inner", text: "x", origin: "extension" }), { name: "outer" }),
		transform("input.receiving", (payload) => void causes.push(payload.cause)),
	]);
	await engine.dispatch("tool.calling", toolCall({}, { eventId: "e1" }));
	assert.deepEqual(causes, [{ eventId: "e1", event: "tool.calling", hook: "test/outer", depth: 1 }]);
});

test("after an await the cause is handed on by the handler's context", async () => {
	const causes: (Cause | undefined)[] = [];
	const engine = engineWith([
		guard(
			"tool.calling",
			async (call, context) => {
				await Promise.resolve();
				await engine.dispatch("input.receiving", { ...call, text: "x", origin: "extension" }, { cause: context.cause });
			},
			{ name: "outer" },
		),
		transform("input.receiving", (payload) => void causes.push(payload.cause)),
	]);
	await engine.dispatch("tool.calling", toolCall({}, { eventId: "e1" }));
	assert.deepEqual(causes, [{ eventId: "e1", event: "tool.calling", hook: "test/outer", depth: 1 }]);
});

test("a handler that answers carries no cause over to what comes after it", async () => {
	const causes: unknown[] = [];
	const engine = engineWith([guard("tool.calling", () => assert.fail("broken"), { onError: "open" }), transform("input.receiving", (payload) => void causes.push(payload.cause))]);
	await engine.dispatch("tool.calling", toolCall());
	await engine.dispatch("input.receiving", { ...toolCall(), text: "x", origin: "typed" });
	assert.deepEqual(causes, [undefined]);
});

for (const [how, again] of [
	["synchronously", (engine: Engine) => void engine.dispatch("tool.calling", toolCall())],
	["with its cause after an await", async (engine: Engine, cause: Cause) => (await Promise.resolve(), void (await engine.dispatch("tool.calling", toolCall(), { cause })))],
] as const) {
	test(`a guard that fires its own event ${how} gets eight levels deep and no further`, async () => {
		let calls = 0;
		let deepest = 0;
		const engine = createEngine();
		engine.register([
			guard("tool.calling", (_, context) => {
				calls++;
				deepest = Math.max(deepest, context.cause.depth - 1);
				return again(engine, context.cause);
			}),
		]);
		assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "go");
		assert.deepEqual([calls, deepest], [9, 8]);
	});
}

test("what is too deep is blocked, and the outcome names the hook that fired it", async () => {
	const outcomes: string[] = [];
	const engine = createEngine();
	engine.register([guard("tool.calling", () => void outcomes.push(inWords(engine.dispatch("tool.calling", toolCall()) as Outcome)), { name: "loops" })]);
	await engine.dispatch("tool.calling", toolCall());
	assert.equal(outcomes[0], "blocked by engine (too-deep): The engine stopped this: hooks fired events from inside each other 8 levels deep, the last from test/loops.");
	assert.deepEqual(outcomes.slice(1), Array(8).fill("go"));
});

test("a handler that calls back for ever and hides its cause ends at the number of waiting dispatches", async () => {
	let calls = 0;
	let refused = "";
	const engine = createEngine({ trace: false });
	const again = async () => {
		calls++;
		await Promise.resolve();
		const outcome = await engine.dispatch("tool.calling", toolCall());
		if (outcome.kind === "blocked") refused ||= inWords(outcome);
	};
	engine.register([guard("tool.calling", again)]);
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "go");
	assert.match(refused, /^blocked by engine \(too-deep\): The engine stopped this: 10000 dispatches wait for hooks at once/);
	assert.equal(calls, 10_000);
	assert.equal(inWords(await engine.dispatch("input.receiving", { ...toolCall(), text: "x", origin: "typed" })), "go", "and the engine is as good as new");
});

test("a wrapper that performs its own event for ever ends there too", async () => {
	const engine = createEngine({ trace: false });
	let deep = 0;
	const again = async (): Promise<unknown> => {
		deep++;
		await Promise.resolve();
		const outcome = await engine.dispatch("tool.calling", toolCall());
		return outcome.kind === "go" ? engine.perform("tool.calling", outcome, async () => result) : result;
	};
	engine.register([wrap("tool.calling", again)]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	assert.ok(outcome.kind === "go");
	assert.equal(await engine.perform("tool.calling", outcome, async () => result), result);
	assert.equal(deep, 10_000);
});

test("an observer that tells its own event from inside stops at the same depth, with a line in the log", async () => {
	let calls = 0;
	const lines: string[] = [];
	const engine = createEngine({ log: (hook, message) => void lines.push(`${hook} ${message}`) });
	engine.register([observe("tool.called", () => (calls++, engine.tell("tool.called", toolCalled())), { name: "echo" })]);
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.equal(calls, 9);
	assert.deepEqual(lines, ["test/echo fired tool.called from inside 8 levels of hooks; it was not told"]);
});

test("a broken observer of failures does not tell failures for ever", async () => {
	const heard: HookFailed[] = [];
	const engine = engineWith([observe("hook.failed", (failure) => (heard.push(failure), assert.fail("broken"))), guard("tool.calling", () => assert.fail("first"), { onError: "open" })]);
	await engine.dispatch("tool.calling", toolCall());
	await engine.idle();
	assert.deepEqual(
		heard.map(({ event, message }) => [event, message]),
		[["tool.calling", "AssertionError: first"]],
	);
	assert.equal(engine.recent().at(-1)!.hooks[0]!.failure, "threw");
});

test("what the operation fires inside a wrapper is not fired by the wrapper", async () => {
	const causes: unknown[] = [];
	const engine = engineWith([wrap("tool.calling", (_, next) => next()), transform("terminal.returning", (payload) => void causes.push(payload.cause))]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	assert.ok(outcome.kind === "go");
	const operation = async () => {
		void engine.dispatch("terminal.returning", { ...toolCall(), command: "ls", output: "a" });
		return result;
	};
	await engine.perform("tool.calling", outcome, operation);
	assert.deepEqual(causes, [undefined]);
});
