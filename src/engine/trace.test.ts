import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, guard, input, observe, toolCall, toolCalled, transform } from "../../test/engine.ts";
import { allow, ask, block, inject, rewrite } from "../events/decision.ts";
import type { DispatchRecord, HookSet, TraceSink } from "../events/record.ts";
import { createEngine } from "./engine.ts";

/** Keeps everything in the order it came. */
function sink() {
	const kept: (DispatchRecord | HookSet)[] = [];
	const records: DispatchRecord[] = [];
	const sets: HookSet[] = [];
	const it: TraceSink = { record: (record) => (kept.push(record), void records.push(record)), hookSet: (set) => (kept.push(set), void sets.push(set)) };
	return { it, kept, records, sets };
}

test("a record says what every hook did, how long it took, and what came of it", async () => {
	let now = 1000;
	const engine = engineWith(
		[
			transform("tool.calling", () => ((now += 2), rewrite({ command: "ls -l" })), { name: "t" }),
			guard("tool.calling", () => ((now += 0.5), ask("sure?")), { name: "g" }),
			guard("tool.calling", () => ((now += 1), undefined), { name: "quiet" }),
		],
		{ now: () => now },
	);
	const call = toolCall({ command: "ls" }, { platform: "telegram" });
	await engine.dispatch("tool.calling", call, { ask: async () => ({ approved: true, by: "person" }) });
	const [record] = engine.recent();
	assert.deepEqual({ ...record, hookSet: "", facts: {}, payload: {} }, {
		id: call.eventId,
		event: "tool.calling",
		at: call.at,
		ms: 3.5,
		facts: {},
		payload: {},
		outcome: "go",
		by: "person",
		hookSet: "",
		hooks: [
			{ hook: "test/t", stage: "transform", startedAt: call.at, ms: 2, decision: "rewrite", diff: [{ path: "args.command", before: "ls", after: "ls -l" }] },
			{ hook: "test/g", stage: "guard", startedAt: call.at + 2, ms: 0.5, decision: "ask", reason: "sure?" },
			{ hook: "test/quiet", stage: "guard", startedAt: call.at + 2.5, ms: 1, decision: "pass" },
		],
	});
	assert.deepEqual(record!.facts, { surface: "test", platform: "telegram", cwd: "/", profile: "default", sessionId: "s1", turnId: "t1", step: 1, toolName: "terminal", callId: "c1" });
	assert.deepEqual(record!.payload!["args"], { command: "ls" });
});

test("every end of a dispatch has its word", async () => {
	const endOf = async (engine: ReturnType<typeof createEngine>) => {
		const { outcome, by, reason } = engine.recent(1)[0]!;
		return [outcome, by, reason];
	};
	const blocking = engineWith([guard("tool.calling", () => block("no"))]);
	await blocking.dispatch("tool.calling", toolCall());
	assert.deepEqual(await endOf(blocking), ["blocked", "test#1", "no"]);
	const allowing = engineWith([guard("tool.calling", () => allow())]);
	await allowing.dispatch("tool.calling", toolCall());
	assert.deepEqual(await endOf(allowing), ["go", "test#1", undefined]);
	const responding = engineWith([transform("input.receiving", () => ({ kind: "respond", text: "hi" }))]);
	await responding.dispatch("input.receiving", input());
	assert.deepEqual(await endOf(responding), ["responded", "test#1", undefined]);
	assert.equal(responding.recent(1)[0]!.hooks[0]!.reason, "hi");
	const telling = engineWith([observe("tool.called", () => {})]);
	telling.tell("tool.called", toolCalled());
	await telling.idle();
	assert.deepEqual(await endOf(telling), ["told", undefined, undefined]);
});

test("a dispatch that no hook's matcher took leaves a record: that is an answer to 'why did mine not fire'", async () => {
	const engine = engineWith([guard("tool.calling", () => block("no"), { tool: "patch" }), observe("tool.called", () => {}, { tool: "patch" })]);
	await engine.dispatch("tool.calling", toolCall());
	engine.tell("tool.called", toolCalled());
	assert.deepEqual(
		engine.recent().map(({ event, outcome, hooks }) => [event, outcome, hooks.length]),
		[
			["tool.calling", "go", 0],
			["tool.called", "told", 0],
		],
	);
});

test("two transforms that rewrite the same field are reported, with who won", async () => {
	const engine = engineWith([
		transform("tool.calling", (call) => rewrite({ ...call.args, command: "a" }), { name: "first" }),
		transform("tool.calling", (call) => rewrite({ ...call.args, cwd: "b" }), { name: "other" }),
		transform("tool.calling", (call) => rewrite({ ...call.args, command: "c" }), { name: "second" }),
	]);
	await engine.dispatch("tool.calling", toolCall());
	assert.deepEqual(
		engine.recent()[0]!.hooks.map(({ notes }) => notes),
		[undefined, undefined, ["conflict: test/first had rewritten args.command before; this rewrite won"]],
	);
});

test("secrets and endless texts do not get into the trace", async () => {
	const engine = engineWith([
		transform("tool.calling", (call) => rewrite({ ...call.args, headers: { authorization: "Bearer abcdefghijklmnop" }, accessToken: { value: "hunter2" } })),
		guard("tool.calling", () => block(`because of sk-abcdefghijklmnopqrstuvwx ${"x".repeat(500_000)}`)),
	]);
	await engine.dispatch("tool.calling", toolCall({ command: "curl -H 'Authorization: Bearer abcdefghijklmnop'", password: "hunter2" }));
	const text = JSON.stringify(engine.recent());
	for (const secret of ["hunter2", "abcdefghijklmnop", "sk-abc"]) assert.ok(!text.includes(secret), secret);
	assert.ok(text.length < 30_000, String(text.length));
});

test("several decisions of one hook stand in one record", async () => {
	const engine = engineWith([transform("turn.starting", () => [rewrite("b"), inject("x".repeat(300))])]);
	await engine.dispatch("turn.starting", { ...toolCall(), text: "", systemPrompt: "a", model: "m", first: true });
	const [record] = engine.recent()[0]!.hooks;
	assert.equal(record!.decision, "rewrite+inject");
	assert.equal(record!.reason, `${"x".repeat(200)}…`);
});

test("memory keeps the newest records and no more", async () => {
	const engine = engineWith([guard("tool.calling", () => undefined)], { trace: { capacity: 3 } });
	for (const callId of ["1", "2", "3", "4", "5"]) await engine.dispatch("tool.calling", toolCall({}, { callId }));
	const ids = (limit?: number) => engine.recent(limit).map(({ facts }) => facts["callId"]);
	assert.deepEqual([ids(), ids(2), ids(10), ids(0)], [["3", "4", "5"], ["4", "5"], ["3", "4", "5"], []]);
	await engine.dispatch("tool.calling", toolCall({}, { callId: "6" }));
	assert.deepEqual(ids(), ["4", "5", "6"]);
});

test("a sink is handed every record, also those the memory is too small for, and the hooks that were live before them", async () => {
	const { it, records, sets, kept } = sink();
	const engine = createEngine({ trace: { capacity: 2, sink: it } });
	const first = engine.register([guard("tool.calling", () => undefined, { name: "g" })]);
	for (const callId of ["1", "2", "3", "4", "5"]) await engine.dispatch("tool.calling", toolCall({}, { callId }));
	first.remove();
	engine.register([guard("tool.calling", () => undefined, { name: "h" })]);
	await engine.dispatch("tool.calling", toolCall({}, { callId: "6" }));
	await engine.idle();
	assert.deepEqual(
		records.map(({ facts, hooks }) => `${String(facts["callId"])} ${hooks[0]!.hook}`),
		["1 test/g", "2 test/g", "3 test/g", "4 test/g", "5 test/g", "6 test/h"],
	);
	assert.deepEqual(
		sets.map(({ hooks }) => hooks.map(({ id }) => id)),
		[["test/g"], ["test/h"]],
	);
	assert.equal(kept[0], sets[0]);
	for (const { hookSet, hooks } of records) assert.ok(sets.find(({ id }) => id === hookSet)!.hooks.some(({ id }) => id === hooks[0]!.hook));
	assert.notEqual(records[0]!.hookSet, records[5]!.hookSet);
});

test("a sink gets its records without being asked for them", async () => {
	const { promise: came, resolve } = Promise.withResolvers<DispatchRecord>();
	const engine = engineWith([guard("tool.calling", () => undefined)], { trace: { sink: { record: resolve, hookSet: () => {} } } });
	await engine.dispatch("tool.calling", toolCall({}, { callId: "kept" }));
	// The timer behind it does not keep a process alive, so something else has to.
	const alive = setInterval(() => {}, 1000);
	assert.equal((await came).facts["callId"], "kept");
	clearInterval(alive);
});

test("the same hooks have the same set in every process", async () => {
	const ids = await Promise.all(
		[1, 2].map(async () => {
			const { it, sets } = sink();
			const engine = engineWith([guard("tool.calling", () => undefined, { name: "g", tool: /a/ })], { trace: { sink: it } });
			await engine.dispatch("tool.calling", toolCall());
			await engine.idle();
			return sets[0]!.id;
		}),
	);
	assert.equal(ids[0], ids[1]);
});

test("records can be kept as JSON and read back", async () => {
	const engine = engineWith([transform("tool.calling", () => rewrite({ list: [1, { a: null }] }))]);
	await engine.dispatch("tool.calling", toolCall(JSON.parse('{"__proto__": {"a": 1}, "b": [1]}')));
	const [record] = engine.recent();
	const read = JSON.parse(JSON.stringify(record)) as DispatchRecord;
	assert.deepEqual(read.payload, record!.payload);
	assert.deepEqual(
		read.hooks[0]!.diff!.map(({ path }) => path),
		["args.__proto__.a", "args.b", "args.list"],
	);
});

test("what a redacting hook took out is not kept anywhere in the record", async () => {
	const engine = engineWith([
		transform("tool.calling", (call) => rewrite({ ...call.args, note: `ssn ${String(call.args["ssn"])}` }), { name: "copies" }),
		transform("tool.calling", (call) => rewrite({ ...call.args, ssn: "***", note: "***" }), { name: "redacts", redacts: true }),
		transform("tool.calling", (call) => rewrite({ ...call.args, note: "clean" }), { name: "later" }),
	]);
	await engine.dispatch("tool.calling", toolCall({ ssn: "078-05-1120" }));
	const [record] = engine.recent();
	assert.ok(!JSON.stringify(record).includes("078-05-1120"), JSON.stringify(record));
	assert.deepEqual(record!.payload!["args"], { ssn: "***", note: "***" });
	assert.deepEqual(record!.hooks[2]!.diff, [{ path: "args.note", before: "***", after: "clean" }]);
});
