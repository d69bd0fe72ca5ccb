import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, guard, inWords, observe, toolCall, toolCalled, transform } from "../../test/engine.ts";
import { block } from "../events/decision.ts";
import { HookFailure } from "../events/failure.ts";
import type { HookFailed } from "../events/payloads/house.ts";

/** A guard that fails as long as `broken`, under a clock that only moves when it is told to. */
function sick(onError: "open" | "closed") {
	const state = { now: 0, broken: true, calls: 0 };
	const told: HookFailed[] = [];
	const handler = () => {
		state.calls++;
		if (state.broken) throw new Error(`no disk ${state.calls}`);
		return block("it works again");
	};
	const engine = engineWith([guard("tool.calling", handler, { name: "sick", onError }), observe("hook.failed", (failure) => void told.push(failure))], { now: () => state.now });
	const call = async () => inWords(await engine.dispatch("tool.calling", toolCall()));
	return { state, told, engine, call };
}

test("three failures in a row put a hook on hold for a minute", async () => {
	const { state, engine, call, told } = sick("open");
	for (let i = 0; i < 3; i++) await call();
	assert.deepEqual(engine.healthOf("test/sick"), { suspendedForMs: 60_000, failuresInARow: 3, lastFailure: "no disk 3" });
	state.now = 59_999;
	await call();
	assert.equal(state.calls, 3);
	await engine.idle();
	assert.deepEqual(
		told.map(({ failure, suspended }) => [failure, suspended]),
		[
			["threw", false],
			["threw", false],
			["threw", true],
		],
		"that it is on hold was told once, and is not told again with every call",
	);
});

test("a closed guard on hold blocks, with a message that names it and says why", async () => {
	const { state, call, engine, told } = sick("closed");
	for (let i = 0; i < 3; i++) await call();
	state.now = 20_500;
	assert.equal(
		await call(),
		"blocked by test/sick (failure): Hook test/sick failed (suspended): is on hold for 40 s more after 3 failures in a row; the last: no disk 3. It is closed, so nothing goes on without its answer.",
	);
	await engine.idle();
	assert.deepEqual([told.length, told[3]!.failure, told[3]!.effect], [4, "suspended", "blocked"], "what it blocks is told each time");
});

test("an open guard on hold lets things pass", async () => {
	const { call, engine } = sick("open");
	for (let i = 0; i < 4; i++) assert.equal(await call(), "go");
	assert.equal(engine.recent(1)[0]!.hooks[0]!.failure, "suspended");
});

test("after its time it gets one try: a failure puts it on hold again", async () => {
	const { state, call, engine } = sick("open");
	for (let i = 0; i < 3; i++) await call();
	state.now = 30_000;
	await call();
	state.now = 60_000;
	await call();
	assert.deepEqual([state.calls, engine.healthOf("test/sick")!.suspendedForMs], [4, 60_000]);
	await call();
	assert.equal(state.calls, 4);
});

test("after its time it gets one try: a success and it is as good as new", async () => {
	const { state, call, engine } = sick("open");
	for (let i = 0; i < 3; i++) await call();
	state.now = 60_000;
	state.broken = false;
	assert.match(await call(), /it works again/);
	assert.deepEqual(engine.healthOf("test/sick"), { suspendedForMs: 0, failuresInARow: 0, lastFailure: "no disk 3" });
	state.broken = true;
	await call();
	await call();
	assert.equal(state.calls, 6);
});

test("a success between failures starts the count anew", async () => {
	const { state, call } = sick("open");
	for (const broken of [true, true, false, true, true, false, true, true]) {
		state.broken = broken;
		await call();
	}
	assert.equal(state.calls, 8);
});

test("silence is a success too", async () => {
	let calls = 0;
	const engine = engineWith([transform("tool.calling", () => (calls++ % 3 === 2 ? undefined : assert.fail("broken")))]);
	for (let i = 0; i < 9; i++) await engine.dispatch("tool.calling", toolCall());
	assert.equal(calls, 9);
});

test("a failure that is a bystander's does not count", async () => {
	const gone = () => Promise.reject(new HookFailure("host-ended", "another hook ended it", { counts: false }));
	const engine = engineWith([guard("tool.calling", gone, { name: "g", onError: "open" })]);
	for (let i = 0; i < 5; i++) await engine.dispatch("tool.calling", toolCall());
	assert.equal(engine.healthOf("test/g")!.failuresInARow, 0);
});

test("an observer is put on hold as well, and a hook nobody knows has no health", async () => {
	let calls = 0;
	const engine = engineWith([observe("tool.called", () => (calls++, assert.fail("broken")), { name: "o" })]);
	for (let i = 0; i < 5; i++) engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.equal(calls, 3);
	assert.equal(engine.healthOf("test/nobody"), undefined);
});

test("being replaced ends a suspension: the new code gets its chance", async () => {
	const engine = engineWith([]);
	let calls = 0;
	const broken = guard("tool.calling", () => (calls++, assert.fail("broken")), { onError: "open" });
	const old = engine.register([broken]);
	for (let i = 0; i < 4; i++) await engine.dispatch("tool.calling", toolCall());
	engine.register([broken], old);
	await engine.dispatch("tool.calling", toolCall());
	assert.equal(calls, 4);
});
