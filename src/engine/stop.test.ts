// The user's stop ends whatever is pending, at once and in every stage.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, guard, hook, inWords, never, observe, toolCall, transform, wrap } from "../../test/engine.ts";
import type { HookFailed } from "../events/payloads/house.ts";
import type { HookDefinition } from "../events/registration.ts";
import { OperationBlocked } from "./perform.ts";

const interrupted = "blocked by person (interrupted): Stopped by the user.";

/** Dispatches, stops as soon as a handler is at work, and gives what came of it. */
async function stopWhile(make: (atWork: () => void) => readonly HookDefinition[]) {
	const stop = new AbortController();
	const { promise: atWork, resolve } = Promise.withResolvers<void>();
	const told: HookFailed[] = [];
	const engine = engineWith([...make(resolve), observe("hook.failed", (failure) => void told.push(failure))]);
	const outcome = engine.dispatch("tool.calling", toolCall(), { signal: stop.signal });
	await atWork;
	stop.abort();
	const became = await outcome;
	await engine.idle();
	return { became: inWords(became), engine, told };
}

test("a pending transform ends at once, and nobody after it is asked", async () => {
	let asked = 0;
	const { became, engine, told } = await stopWhile((atWork) => [transform("tool.calling", () => (atWork(), never())), transform("tool.calling", () => void asked++), guard("tool.calling", () => void asked++)]);
	assert.equal(became, interrupted);
	assert.equal(asked, 0);
	const [record] = engine.recent();
	assert.deepEqual([record!.outcome, record!.hooks[0]!.failure], ["interrupted", "interrupted"]);
	assert.deepEqual(told, [], "a stop is not the hook's fault");
});

test("pending guards end at once, open ones too", async () => {
	const { became, engine } = await stopWhile((atWork) => [guard("tool.calling", never), guard("tool.calling", () => (atWork(), never()), { onError: "open" })]);
	assert.equal(became, interrupted);
	assert.deepEqual(
		engine.recent()[0]!.hooks.map(({ failure }) => failure),
		["interrupted", "interrupted"],
	);
});

test("a guard that stops the turn itself ends the others, and all of them once", async () => {
	for (const before of [[], [transform("tool.calling", async () => {})]]) {
		const stop = new AbortController();
		let asked = 0;
		const engine = engineWith([...before, guard("tool.calling", never), guard("tool.calling", () => stop.abort()), guard("tool.calling", () => void asked++)]);
		assert.equal(inWords(await engine.dispatch("tool.calling", toolCall(), { signal: stop.signal })), interrupted);
		assert.equal(asked, 1);
		assert.equal(engine.recent().length, 1);
	}
});

test("the handler's signal is aborted with it", async () => {
	const signals: AbortSignal[] = [];
	await stopWhile((atWork) => [guard("tool.calling", (_, { signal }) => (signals.push(signal), atWork(), never()))]);
	assert.equal(signals[0]!.aborted, true);
});

test("a stop that came before is a stop", async () => {
	const engine = engineWith([guard("tool.calling", () => ({ kind: "allow" })), hook("tool.calling", "transform", never)]);
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall(), { signal: AbortSignal.abort() })), interrupted);
});

test("a stop does not count as a failure, however often", async () => {
	for (let i = 0; i < 4; i++) {
		const { engine } = await stopWhile((atWork) => [guard("tool.calling", () => (atWork(), never()), { name: "g" })]);
		assert.deepEqual(engine.healthOf("test/g"), { suspendedForMs: 0, failuresInARow: 0, lastFailure: "" });
	}
});

test("a wrapper that is stopped before next() keeps the operation from running", async () => {
	const stop = new AbortController();
	const { promise: atWork, resolve } = Promise.withResolvers<void>();
	const engine = engineWith([wrap("tool.calling", () => (resolve(), never()))]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	assert.ok(outcome.kind === "go");
	let ran = 0;
	const performed = engine.perform("tool.calling", outcome, async () => (ran++, { text: "", isError: false }), { signal: stop.signal });
	await atWork;
	stop.abort();
	await assert.rejects(performed, (error) => error instanceof OperationBlocked && inWords(error.outcome) === interrupted);
	assert.equal(ran, 0);
	assert.equal(engine.recent().at(-1)!.outcome, "interrupted");
});

test("a wrapper is not even begun after a stop", async () => {
	let begun = 0;
	const engine = engineWith([wrap("tool.calling", (_, next) => (begun++, next()))]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	assert.ok(outcome.kind === "go");
	await assert.rejects(
		engine.perform("tool.calling", outcome, async () => ({ text: "", isError: false }), { signal: AbortSignal.abort() }),
		OperationBlocked,
	);
	assert.equal(begun, 0);
});

test("a stop while the operation runs gives what the operation makes of it", async () => {
	const stop = new AbortController();
	const { promise: atWork, resolve } = Promise.withResolvers<void>();
	const engine = engineWith([wrap("tool.calling", async (_, next) => (await next(), never()))]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	assert.ok(outcome.kind === "go");
	const operation = () =>
		new Promise<never>((_, reject) => {
			stop.signal.addEventListener("abort", () => reject(new Error("the tool was ended")));
			resolve();
		});
	const performed = engine.perform("tool.calling", outcome, operation, { signal: stop.signal });
	await atWork;
	stop.abort();
	await assert.rejects(performed, { message: "the tool was ended" });
});
