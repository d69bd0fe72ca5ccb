import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, facts, hook, observe, toolCalled } from "../../test/engine.ts";
import type { EventName } from "../events/payloads/all.ts";
import type { HookContext } from "../events/context.ts";

/** How many news an observer can leave unheard. */
const queueLength = 1024;
const numbered = (n: number) => toolCalled({ callId: `${n}` });

test("telling returns before any observer has run", async () => {
	const words: string[] = [];
	const engine = engineWith([observe("tool.called", () => void words.push("heard"))]);
	engine.tell("tool.called", toolCalled());
	words.push("told");
	await engine.idle();
	assert.deepEqual(words, ["told", "heard"]);
});

test("each observer hears one thing after the other, in order, also when it is asynchronous", async () => {
	const words: string[] = [];
	const slow = observe("tool.called", async ({ callId }) => {
		words.push(`${callId} begins`);
		await new Promise((resolve) => setImmediate(resolve));
		words.push(`${callId} ends`);
	});
	const engine = engineWith([slow]);
	for (const n of [1, 2, 3]) engine.tell("tool.called", numbered(n));
	await engine.idle();
	assert.deepEqual(words, ["1 begins", "1 ends", "2 begins", "2 ends", "3 begins", "3 ends"]);
});

test("observers that ask for it hear a session in the order in which things were told, and another session does not wait", async () => {
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	const { promise: heardOther, resolve: hearOther } = Promise.withResolvers<void>();
	const heard: string[] = [];
	const called = observe("tool.called", async ({ callId }) => {
		await released;
		heard.push(`called ${callId}`);
	});
	const ended = observe("step.ended", ({ sessionId }) => {
		heard.push(`ended ${sessionId}`);
		if (sessionId === "s2") hearOther();
	});
	const engine = engineWith([called, ended].map((definition) => ({ ...definition, inOrder: "one" })));
	for (const n of [1, 2]) engine.tell("tool.called", numbered(n));
	for (const sessionId of ["s1", "s2"]) engine.tell("step.ended", { ...facts({ sessionId }), toolNames: [], durationMs: 1 });
	await heardOther;
	assert.deepEqual(heard, ["ended s2"]);
	release();
	await engine.idle();
	assert.deepEqual(heard, ["ended s2", "called 1", "called 2", "ended s1"]);
});

test("a slow observer delays nobody else", async () => {
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	const { promise: heardAll, resolve: hearAll } = Promise.withResolvers<void>();
	const heard: string[] = [];
	const slow = observe("tool.called", ({ callId }) => (heard.push(`slow ${callId}`), released), { priority: 1 });
	const quick = observe("tool.called", ({ callId }) => {
		heard.push(`quick ${callId}`);
		if (callId === "3") hearAll();
	});
	const engine = engineWith([slow, quick]);
	for (const n of [1, 2, 3]) engine.tell("tool.called", numbered(n));
	await heardAll;
	assert.deepEqual(heard, ["slow 1", "quick 1", "quick 2", "quick 3"]);
	release();
	await engine.idle();
	assert.deepEqual(heard.slice(4), ["slow 2", "slow 3"]);
});

test("a queue that is full drops the oldest news, and says so in the trace and the log", async () => {
	const heard: string[] = [];
	const lines: string[] = [];
	const engine = engineWith([observe("tool.called", ({ callId }) => void heard.push(callId), { name: "slow" })], { trace: { capacity: 5000 }, log: (hook, message) => void lines.push(`${hook} ${message}`) });
	const total = queueLength + 7;
	for (let n = 0; n < total; n++) engine.tell("tool.called", numbered(n));
	await engine.idle();
	assert.equal(heard.length, queueLength);
	assert.equal(heard[0], "7");
	assert.equal(heard.at(-1), `${total - 1}`);
	assert.deepEqual(lines, ["test/slow was too slow: 7 events were dropped from its queue"]);
	const dropped = engine.recent().filter(({ hooks }) => hooks[0]!.decision === "dropped");
	assert.equal(dropped.length, 7);
	assert.deepEqual(dropped[0]!.hooks[0]!.notes, [`its queue of ${queueLength} was full`]);
});

test("an observer is told of what its matcher takes", async () => {
	const heard: string[] = [];
	const hear = (word: string, more: object) => observe("tool.called", () => void heard.push(word), more);
	const engine = engineWith([hear("tool", { tool: "term*" }), hear("other", { tool: "patch" }), hear("surface", { surface: ["test", "run"] }), hear("platform", { platform: /.*/ })]);
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.deepEqual(heard, ["tool", "surface"]);
});

test("a wildcard observer is told everything that has happened, and which event it was", async () => {
	const heard: EventName[] = [];
	const engine = engineWith([hook("*", "observe", (_: unknown, context: HookContext) => void heard.push(context.event))]);
	engine.tell("tool.called", toolCalled());
	engine.tell("gateway.stopped", { ...facts(), reason: "asked" });
	await engine.idle();
	assert.deepEqual(heard, ["tool.called", "gateway.stopped"]);
	assert.equal(engine.has("tool.calling"), false);
});

test("an observer's answer is ignored, with a note", async () => {
	const engine = engineWith([observe("tool.called", () => ({ kind: "block", reason: "too late" })), observe("tool.called", async () => {})]);
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	const [record] = engine.recent();
	assert.equal(record!.outcome, "told");
	assert.deepEqual(
		record!.hooks.map(({ notes }) => notes),
		[["its answer was ignored: observers decide nothing"], undefined],
	);
});

test("a failing observer goes on hearing, and so do the others", async () => {
	const heard: string[] = [];
	const engine = engineWith([observe("tool.called", ({ callId }) => (heard.push(`a${callId}`), assert.fail("broken"))), observe("tool.called", ({ callId }) => void heard.push(`b${callId}`))]);
	for (const n of [1, 2]) engine.tell("tool.called", numbered(n));
	await engine.idle();
	assert.deepEqual(heard.toSorted(), ["a1", "a2", "b1", "b2"]);
});

test("a thenable that throws does not silence its observer for good", async () => {
	let heard = 0;
	const engine = engineWith([observe("tool.called", () => (heard++, { then: () => assert.fail("trap") }))]);
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.equal(heard, 2);
});

test("the news are frozen: one observer cannot change what the next one hears", async () => {
	const heard: unknown[] = [];
	const engine = engineWith([observe("tool.called", (call) => Object.assign(call.result, { text: "forged" })), observe("tool.called", (call) => void heard.push(call.result.text))]);
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.deepEqual(heard, ["done"]);
});

test("what was told before an observer left is still delivered, and nothing after", async () => {
	const heard: string[] = [];
	const engine = engineWith([]);
	const registration = engine.register([observe("tool.called", ({ callId }) => void heard.push(callId))]);
	engine.tell("tool.called", numbered(1));
	registration.remove();
	engine.tell("tool.called", numbered(2));
	await engine.idle();
	assert.deepEqual(heard, ["1"]);
});

test("of an event that comes many times a second only failures are traced", async () => {
	const engine = engineWith([observe("model.streamed", ({ delta }) => (delta === "b" ? assert.fail("broken") : undefined))]);
	for (const delta of ["a", "b", "c"]) engine.tell("model.streamed", { ...facts(), model: "rehearsal", delta, channel: "text" });
	await engine.idle();
	assert.deepEqual(
		engine.recent().map(({ event, hooks }) => [event, hooks[0]!.failure]),
		[["model.streamed", "threw"]],
	);
});

test("idle waits for what observers tell in their turn", async () => {
	const heard: string[] = [];
	const engine = engineWith([
		observe("tool.called", async () => {
			await new Promise((resolve) => setImmediate(resolve));
			engine.tell("gateway.stopped", { ...facts(), reason: "asked" });
		}),
		observe("gateway.stopped", ({ reason }) => void heard.push(reason)),
	]);
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.deepEqual(heard, ["asked"]);
});

test("an observer of several events hears them in the order in which they were told", async () => {
	const heard: string[] = [];
	const engine = engineWith([hook("*", "observe", (_: object, { event }: HookContext) => void heard.push(event))]);
	engine.tell("tool.called", toolCalled());
	engine.tell("step.started", { ...facts(), messages: 1 });
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.deepEqual(heard, ["tool.called", "step.started", "tool.called"]);
});
