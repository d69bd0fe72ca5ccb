// Which hooks hold something up right now: what a person is told while they wait.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, guard, inWords, observe, toolCall, toolCalled, transform } from "../../test/engine.ts";

test("a hook whose answer is waited for is pending, with its event, stage and how long; one that has answered is not", async () => {
	let now = 0;
	const answers = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()] as const;
	const engine = engineWith([transform("tool.calling", () => answers[0].promise, { name: "first" }), guard("tool.calling", () => answers[1].promise, { name: "second" }), guard("tool.calling", () => undefined, { name: "quick" })], { now: () => now });
	assert.deepEqual(engine.pending(), []);
	const outcome = engine.dispatch("tool.calling", toolCall());
	now = 500;
	assert.deepEqual(engine.pending(), [{ hook: "test/first", event: "tool.calling", stage: "transform", forMs: 500 }]);
	answers[0].resolve(undefined);
	await new Promise((resolve) => setImmediate(resolve));
	now = 700;
	assert.deepEqual(engine.pending(), [{ hook: "test/second", event: "tool.calling", stage: "guard", forMs: 200 }]);
	answers[1].resolve(undefined);
	assert.equal(inWords(await outcome), "go");
	assert.deepEqual(engine.pending(), []);
});

test("observers hold up nothing, however long they take", async () => {
	const done = Promise.withResolvers<void>();
	const begun = Promise.withResolvers<void>();
	const engine = engineWith([observe("tool.called", () => (begun.resolve(), done.promise))]);
	engine.tell("tool.called", toolCalled());
	await begun.promise;
	assert.deepEqual(engine.pending(), []);
	done.resolve();
	await engine.idle();
});
