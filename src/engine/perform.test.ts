import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, never, toolCall, wrap } from "../../test/engine.ts";
import type { ToolResult } from "../events/payloads/tool.ts";
import type { HookDefinition } from "../events/registration.ts";
import type { PerformOptions } from "./perform.ts";

const result: ToolResult = { text: "done", isError: false };
const own: ToolResult = { text: "from the cache", isError: false };
const answers = (given: unknown) => ((given as Partial<ToolResult> | null)?.text === undefined ? "something that is no result" : undefined);

interface Run {
	readonly operation?: () => Promise<ToolResult>;
	readonly options?: PerformOptions;
}

/** Dispatches and performs once: the text that came out, how often the operation ran, and what the trace says of the wrappers. */
async function run(hooks: readonly HookDefinition[], { operation = async () => result, options = { check: answers } }: Run = {}) {
	const engine = engineWith(hooks);
	const go = await engine.dispatch("tool.calling", toolCall());
	assert.ok(go.kind === "go");
	let ran = 0;
	let said: string;
	try {
		said = (await engine.perform("tool.calling", go, () => (ran++, operation()), options)).text;
	} catch (error) {
		assert.ok(error instanceof Error);
		said = error.message;
	}
	const record = engine.recent().find(({ hooks }) => hooks.some(({ stage }) => stage === "wrap"));
	return { said, ran, record, engine, go, hooks: record?.hooks.map(({ hook, decision }) => `${hook} ${decision}`) ?? [] };
}

test("a wrapper runs around the operation and passes its result on, or another", async () => {
	const shouting = wrap("tool.calling", async (_, next) => ({ ...((await next()) as ToolResult), text: "DONE" }));
	assert.deepEqual(await run([shouting]).then(({ said, ran, hooks }) => [said, ran, hooks]), ["DONE", 1, ["test#1 wrapped"]]);
});

test("a wrapper that returns nothing leaves the result as it is, also when it forgot to wait", async () => {
	for (const handler of [async (_: unknown, next: () => Promise<unknown>) => void (await next()), (_: unknown, next: () => Promise<unknown>) => void next()]) {
		assert.deepEqual(await run([wrap("tool.calling", handler)]).then(({ said, ran }) => [said, ran]), ["done", 1]);
	}
});

test("a wrapper may answer without running the operation", async () => {
	const { said, ran, hooks } = await run([wrap("tool.calling", () => own, { name: "cache" }), wrap("tool.calling", (_, next) => next(), { priority: 200 })]);
	assert.deepEqual([said, ran, hooks], ["from the cache", 0, ["test/cache answered"]]);
});

test("an answer that is no result is a failure, and the operation's own stands or still runs", async () => {
	assert.deepEqual(await run([wrap("tool.calling", () => 5)]).then(({ said, ran, record }) => [said, ran, record!.hooks[0]!.reason]), ["done", 1, "gave something that is no result"]);
	assert.deepEqual(await run([wrap("tool.calling", async (_, next) => (await next(), 5))]).then(({ said, ran }) => [said, ran]), ["done", 1]);
	assert.deepEqual(await run([wrap("tool.calling", () => undefined)]).then(({ said, record }) => [said, record!.hooks[0]!.reason]), ["done", "gave nothing, and it did not call next() either"]);
});

test("a wrapper that fails before next() is skipped", async () => {
	const { said, ran, hooks, record } = await run([wrap("tool.calling", () => assert.fail("broken"), { name: "w" })]);
	assert.deepEqual([said, ran, hooks], ["done", 1, ["test/w failed"]]);
	assert.deepEqual(record!.hooks[0]!.notes, ["ran the operation 0 times"]);
});

test("a closed one that fails before next() keeps the operation from running", async () => {
	const { said, ran, record } = await run([wrap("tool.calling", () => assert.fail("no sandbox"), { name: "w", onError: "closed" })]);
	assert.equal(ran, 0);
	assert.equal(said, "Hook test/w failed (threw): AssertionError: no sandbox. It is closed, so nothing goes on without its answer.");
	assert.deepEqual([record!.outcome, record!.by], ["blocked", "test/w"]);
});

test("after next() the result stands, whether the wrapper that fails is open or closed", async () => {
	for (const onError of ["open", "closed"] as const) {
		const { said, ran, hooks } = await run([wrap("tool.calling", async (_, next) => (await next(), assert.fail("broken")), { name: "w", onError })]);
		assert.deepEqual([said, ran, hooks], ["done", 1, ["test/w failed"]]);
	}
});

test("next() a second time is refused, and the result of the first stands", async () => {
	const { said, ran, record } = await run([wrap("tool.calling", async (_, next) => (await next(), next()))]);
	assert.deepEqual([said, ran], ["done", 1]);
	assert.equal(record!.hooks[0]!.reason, "called next() twice; a wrap that repeats the operation must say repeatable: true");
});

test("a repeatable wrapper may run the operation again", async () => {
	let tries = 0;
	const flaky = async () => (++tries < 3 ? assert.fail("no network") : result);
	const retry = wrap(
		"tool.calling",
		async (_, next) => {
			for (;;) {
				try {
					return await next();
				} catch (error) {
					if (tries >= 5) throw error;
				}
			}
		},
		{ repeatable: true },
	);
	const { said, ran, record } = await run([retry], { operation: flaky });
	assert.deepEqual([said, ran], ["done", 3]);
	assert.deepEqual(record!.hooks[0]!.notes, ["ran the operation 3 times"]);
});

test("a repeatable wrapper may run the operation side by side, and its time-out still works", async () => {
	const twice = wrap(
		"tool.calling",
		async (_, next) => {
			await Promise.all([next(), next(), next()]);
			return never();
		},
		{ repeatable: true, timeoutMs: 30 },
	);
	const operation = () => new Promise<ToolResult>((resolve) => setImmediate(resolve, result));
	const { said, ran, record } = await run([twice], { operation });
	assert.deepEqual([said, ran, record!.hooks[0]!.failure], ["done", 3, "timed-out"]);
});

test("the time-out counts a wrapper's own time, not the operation's", async () => {
	const slow = () => new Promise<ToolResult>((resolve) => setTimeout(resolve, 120, result));
	const { said, record } = await run([wrap("tool.calling", async (_, next) => next(), { timeoutMs: 60 })], { operation: slow });
	assert.equal(said, "done");
	assert.equal(record!.hooks[0]!.failure, undefined);
	assert.ok(record!.hooks[0]!.ms < record!.ms / 2, `${record!.hooks[0]!.ms} of ${record!.ms}`);
});

test("a wrapper that hangs before next() is skipped at its time-out, and can never run the operation again", async () => {
	const { promise: late, resolve: wake } = Promise.withResolvers<void>();
	const { promise: refused, resolve: tell } = Promise.withResolvers<unknown>();
	const hangs = wrap("tool.calling", async (_, next) => (await late, next().catch(tell)), { timeoutMs: 15 });
	const { said, ran, record } = await run([hangs]);
	assert.deepEqual([said, ran, record!.hooks[0]!.failure, record!.hooks[0]!.reason], ["done", 1, "timed-out", "took more than 15 ms of its own"]);
	wake();
	assert.match(String(await refused), /called next\(\) after its time was over/);
});

test("a wrapper that hangs after next() gives way to the operation's result", async () => {
	const { said, ran } = await run([wrap("tool.calling", async (_, next) => (await next(), never()), { timeoutMs: 15 })]);
	assert.deepEqual([said, ran], ["done", 1]);
});

test("what the operation throws is passed on, and is no failure of the wrapper", async () => {
	const broken = async () => assert.fail("no disk");
	const { said, record } = await run([wrap("tool.calling", (_, next) => next()), wrap("tool.calling", async (_, next) => await next())], { operation: broken });
	assert.equal(said, "no disk");
	assert.deepEqual(
		record!.hooks.map(({ failure, decision }) => [decision, failure]),
		[
			["wrapped", undefined],
			["wrapped", undefined],
		],
	);
});

test("a wrapper may turn what the operation throws into a result", async () => {
	const mend = wrap("tool.calling", async (_, next) => {
		try {
			return await next();
		} catch {
			return own;
		}
	});
	assert.equal((await run([mend], { operation: async () => assert.fail("no disk") })).said, "from the cache");
});

test("an operation whose failure the wrapper does not look at ends nothing else", async () => {
	const careless = wrap("tool.calling", (_, next) => (void next(), own));
	assert.equal((await run([careless], { operation: async () => assert.fail("no disk") })).said, "from the cache");
	const forgetful = wrap("tool.calling", (_, next) => void next());
	assert.equal((await run([forgetful], { operation: async () => assert.fail("no disk") })).said, "no disk");
	// An unhandled rejection would end this process, and the test with it.
	await new Promise((resolve) => setImmediate(resolve));
});

test("an operation that throws at once has run all the same: it is not tried a second time", async () => {
	let ran = 0;
	const throws = (): never => {
		ran++;
		throw new Error("at once");
	};
	assert.equal((await run([wrap("tool.calling", (_, next) => next())], { operation: throws })).said, "at once");
	assert.equal(ran, 1);
});

test("next() takes nothing: the operation gets exactly what was approved", async () => {
	const engine = engineWith([wrap("tool.calling", (_, next) => (next as (args: unknown) => Promise<unknown>)({ command: "rm -rf /" }))]);
	const go = await engine.dispatch("tool.calling", toolCall());
	assert.ok(go.kind === "go");
	const given: unknown[] = [];
	await engine.perform("tool.calling", go, async (...all) => (given.push(...all), result));
	assert.deepEqual(given, [go.payload]);
	assert.equal(given[0], go.payload);
});

test("an outcome is good for one run, with wrappers and without", async () => {
	for (const hooks of [[], [wrap("tool.calling", (_, next) => next())]]) {
		const { engine, go } = await run(hooks);
		let again = 0;
		await assert.rejects(
			engine.perform("tool.calling", go, async () => (again++, result)),
			{ message: "This outcome was performed before; an approval is good for one run. Dispatch the event again." },
		);
		assert.equal(again, 0);
	}
});

test("a wrapper that passed after failures starts its count anew, whatever it returned", async () => {
	let calls = 0;
	const engine = engineWith([wrap("tool.calling", async (_, next) => void (calls++ % 3 === 2 ? await next() : assert.fail("broken")))]);
	for (let i = 0; i < 9; i++) {
		const go = await engine.dispatch("tool.calling", toolCall());
		assert.ok(go.kind === "go");
		await engine.perform("tool.calling", go, async () => result);
	}
	assert.equal(calls, 9);
});

test("a wrapper only wraps what its matcher takes, and what nobody wraps leaves no record", async () => {
	const { said, record, engine } = await run([wrap("tool.calling", () => own, { tool: "write_file" }), wrap("tool.calling", () => own, { surface: "cron" })]);
	assert.equal(said, "done");
	assert.equal(record, undefined);
	assert.equal(engine.recent().length, 1, "that of the dispatch");
});
