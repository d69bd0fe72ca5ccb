import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, engineWith, guard, inWords, never, observe, toolCall, toolCalled, transform } from "../../test/engine.ts";
import { block, rewrite } from "../events/decision.ts";
import { Deadline, Deadlines } from "../system/deadlines.ts";

/** A clock that only moves when a handler says that it took some time. */
function clock() {
	const state = { now: 1000 };
	return {
		now: () => state.now,
		takes: (ms: number) => {
			state.now += ms;
		},
	};
}

test("a closed guard that hangs blocks at its time-out, and is named", async () => {
	const started = performance.now();
	const outcome = await engineWith([guard("tool.calling", never, { name: "hangs", timeoutMs: 40 })]).dispatch("tool.calling", toolCall());
	assert.equal(inWords(outcome), "blocked by test/hangs (failure): Hook test/hangs failed (timed-out): gave no answer within 40 ms. It is closed, so nothing goes on without its answer.");
	assert.ok(performance.now() - started >= 35);
});

test("an open guard that hangs lets it pass, and is named in the trace", async () => {
	const engine = engineWith([guard("tool.calling", never, { name: "hangs", timeoutMs: 20, onError: "open" })]);
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "go");
	const [record] = engine.recent(1)[0]!.hooks;
	assert.deepEqual([record!.hook, record!.decision, record!.failure, record!.reason], ["test/hangs", "failed", "timed-out", "gave no answer within 20 ms"]);
	assert.ok(record!.ms >= 15, String(record!.ms));
});

test("an open transform that hangs is skipped, and the next one runs", async () => {
	const engine = engineWith([transform("tool.calling", never, { timeoutMs: 20 }), transform("tool.calling", () => rewrite({ command: "pwd" }))]);
	assert.equal(commandOf(await engine.dispatch("tool.calling", toolCall())), "pwd");
});

test("a time-out aborts the signal the handler was given, with the reason", async () => {
	const { promise: aborted, resolve } = Promise.withResolvers<unknown>();
	const engine = engineWith([
		guard(
			"tool.calling",
			(_, { signal }) => {
				signal.addEventListener("abort", () => resolve(signal.reason));
				return never();
			},
			{ timeoutMs: 20 },
		),
	]);
	await engine.dispatch("tool.calling", toolCall());
	assert.equal(String(await aborted), "HookFailure: gave no answer within 20 ms");
});

test("a signal that is first looked at after the time-out is aborted already", async () => {
	const { promise: looked, resolve } = Promise.withResolvers<boolean>();
	const { promise: over, resolve: isOver } = Promise.withResolvers<void>();
	const late = guard("tool.calling", (_, context) => over.then(() => resolve(context.signal.aborted)), { timeoutMs: 10, onError: "open" });
	await engineWith([late]).dispatch("tool.calling", toolCall());
	isOver();
	assert.equal(await looked, true);
});

test("the signal of a handler that answered in time stays as it is", async () => {
	const signals: AbortSignal[] = [];
	await engineWith([guard("tool.calling", async (_, { signal }) => void signals.push(signal))]).dispatch("tool.calling", toolCall());
	assert.equal(signals[0]!.aborted, false);
});

test("a late answer is dropped and logged, never applied", async () => {
	const { promise: answer, resolve } = Promise.withResolvers<unknown>();
	const { promise: logged, resolve: log } = Promise.withResolvers<string>();
	const engine = engineWith([transform("tool.calling", () => answer, { name: "slow", timeoutMs: 10 })], { log: (hook, message) => void (message.startsWith("answered") && log(`${hook} ${message}`)) });
	const outcome = await engine.dispatch("tool.calling", toolCall());
	resolve(rewrite({ command: "rm -rf /" }));
	assert.equal(await logged, "test/slow answered tool.calling after its time was up; the answer was dropped");
	assert.equal(commandOf(outcome), "ls");
});

test("a handler that gives up when its time is up, or the turn is stopped, is not said to have answered late", async () => {
	const said: string[] = [];
	const givesUp = (_: unknown, { signal }: { readonly signal: AbortSignal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("given up"))));
	const silent = (_: unknown, { signal }: { readonly signal: AbortSignal }) => new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
	const hooks = [guard("tool.calling", givesUp, { timeoutMs: 10, onError: "open" }), guard("tool.calling", silent, { timeoutMs: 10, onError: "open" })];
	const engine = engineWith(hooks, { log: (_, message) => void said.push(message) });
	await engine.dispatch("tool.calling", toolCall());
	const stop = new AbortController();
	const dispatched = engine.dispatch("tool.calling", toolCall(), { signal: stop.signal });
	stop.abort();
	await dispatched;
	await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual(said.filter((message) => message.startsWith("answered")), []);
});

test("an answer after a stop is said to have come after that", async () => {
	const { promise: answer, resolve } = Promise.withResolvers<unknown>();
	const { promise: logged, resolve: log } = Promise.withResolvers<string>();
	const stop = new AbortController();
	const engine = engineWith([transform("tool.calling", () => answer)], { log: (_, message) => void (message.startsWith("answered") && log(message)) });
	const dispatched = engine.dispatch("tool.calling", toolCall(), { signal: stop.signal });
	stop.abort();
	await dispatched;
	resolve(rewrite({ command: "ls -l" }));
	assert.equal(await logged, "answered tool.calling after it was stopped; the answer was dropped");
});

test("an answer that ran past its time without a pause came too late", async () => {
	const { now, takes } = clock();
	for (const handler of [() => takes(21), async () => takes(21)]) {
		const outcome = await engineWith([guard("tool.calling", handler, { timeoutMs: 20 })], { now }).dispatch("tool.calling", toolCall());
		assert.match(inWords(outcome), /failed \(timed-out\): answered after 21 ms, but had 20 ms/);
	}
	// Nobody waits for this promise any more, and still its rejection must not end the process.
	const breaksLate = engineWith([guard("tool.calling", async () => (takes(21), assert.fail("broken")), { timeoutMs: 20 })], { now });
	assert.match(inWords(await breaksLate.dispatch("tool.calling", toolCall())), /answered after 21 ms, but had 20 ms/);
	await new Promise((resolve) => setImmediate(resolve));
	assert.equal(inWords(await engineWith([guard("tool.calling", () => takes(20), { timeoutMs: 20 })], { now }).dispatch("tool.calling", toolCall())), "go");
});

test("nobody is charged with the time of another", async () => {
	const { now, takes } = clock();
	const promising = (name: string) => guard("tool.calling", async () => takes(5), { name, timeoutMs: 40 });
	const quick = guard("tool.calling", () => takes(1), { name: "quick", timeoutMs: 40 });
	const busy = guard("tool.calling", async () => takes(80), { name: "busy" });
	const engine = engineWith([promising("before"), busy, quick, promising("last")], { now });
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "go");
	const times = new Map(engine.recent(1)[0]!.hooks.map(({ hook, ms }) => [hook, ms]));
	assert.equal(times.get("test/quick"), 1);
	assert.equal(times.get("test/last"), 5);
});

test("a slow guard does not lengthen the time of a hanging one", async () => {
	const engine = engineWith([
		guard("tool.calling", never, { name: "hangs", timeoutMs: 30, onError: "open" }),
		guard("tool.calling", () => new Promise((resolve) => setTimeout(resolve, 300)), { name: "slow" }),
	]);
	await engine.dispatch("tool.calling", toolCall());
	const times = new Map(engine.recent(1)[0]!.hooks.map(({ hook, ms }) => [hook, ms]));
	assert.ok(times.get("test/hangs")! < times.get("test/slow")!, JSON.stringify([...times]));
});

test("of many hanging handlers none ends before its own time", async () => {
	const times = [60, 20, 40, 20];
	const engine = engineWith(times.map((timeoutMs, i) => guard("tool.calling", never, { name: `${i}`, timeoutMs, onError: "open" })));
	await engine.dispatch("tool.calling", toolCall());
	const { hooks } = engine.recent(1)[0]!;
	assert.equal(hooks.length, times.length);
	for (const { hook, ms } of hooks) assert.ok(ms >= times[Number(hook.at(-1))]!, `${hook} ${ms}`);
});

test("an observer that hangs is ended at its time-out too, and hears the next news", async () => {
	let heard = 0;
	const engine = engineWith([observe("tool.called", () => (heard++ === 0 ? never() : undefined), { timeoutMs: 20 })]);
	engine.tell("tool.called", toolCalled());
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.equal(heard, 2);
	assert.deepEqual(
		engine.recent().map(({ hooks }) => hooks[0]!.decision),
		["failed", "told"],
	);
});

test("an answer in time counts however often others were late", async () => {
	const engine = engineWith([guard("tool.calling", never, { timeoutMs: 10, onError: "open" }), guard("tool.calling", async () => block("in time"))]);
	assert.match(inWords(await engine.dispatch("tool.calling", toolCall())), /in time$/);
});

test("a deadline that is removed does not expire, not even by the end of another that expires with it", async () => {
	const deadlines = new Deadlines(() => performance.now());
	const expired: string[] = [];
	const { promise: swept, resolve } = Promise.withResolvers<void>();
	// Whichever comes first ends the other.
	const first: Deadline = new Deadline(() => (expired.push("first"), deadlines.remove(second)));
	const second: Deadline = new Deadline(() => (expired.push("second"), deadlines.remove(first)));
	const due = performance.now() + 10;
	deadlines.add(first, due);
	deadlines.add(second, due);
	deadlines.add(new Deadline(resolve), due + 20);
	await swept;
	assert.equal(expired.length, 1);
});
