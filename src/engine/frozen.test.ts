// Nothing is executed that a guard has not seen exactly as it will be executed: so nobody can change it after it was seen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, guard, modelCall, toolCall, transform } from "../../test/engine.ts";
import { rewrite } from "../events/decision.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { HookDefinition } from "../events/registration.ts";

/** What runs, and what each guard saw. */
async function run(hooks: readonly HookDefinition[], args: JsonObject = { command: "ls", env: { PATH: "/bin" }, list: [{ a: 1 }] }) {
	const outcome = await engineWith(hooks).dispatch("tool.calling", toolCall(args));
	assert.ok(outcome.kind === "go", JSON.stringify(outcome));
	return outcome.payload;
}

function assertFrozen(value: unknown): void {
	if (typeof value !== "object" || value === null) return;
	assert.ok(Object.isFrozen(value));
	for (const item of Object.values(value)) assertFrozen(item);
}

test("the payload is frozen to the bottom before the first hook sees it", async () => {
	const attempts: unknown[] = [];
	const tamper = (call: { args: JsonObject }) => {
		for (const change of [
			() => Object.assign(call, { toolName: "other" }),
			() => Object.assign(call.args, { command: "rm -rf /" }),
			() => Object.assign(call.args["env"] as object, { PATH: "/evil" }),
			() => (call.args["list"] as unknown[]).push(2),
			() => Object.assign((call.args["list"] as object[])[0]!, { a: 2 }),
			() => Reflect.setPrototypeOf(call.args, { inherited: true }) || assert.fail("refused"),
			() => Object.defineProperty(call.args, "command", { get: () => "rm" }),
		]) {
			assert.throws(change);
			attempts.push(change);
		}
	};
	const payload = await run([transform("tool.calling", tamper), guard("tool.calling", tamper)]);
	assert.equal(attempts.length, 14);
	assert.deepEqual(payload.args, { command: "ls", env: { PATH: "/bin" }, list: [{ a: 1 }] });
});

test("every guard sees the very object that runs, and it is frozen", async () => {
	const seen: unknown[] = [];
	const see = guard("tool.calling", async (call) => void seen.push(call));
	const payload = await run([see, transform("tool.calling", (call) => rewrite({ ...call.args, command: "pwd" })), see]);
	assert.equal(seen.length, 2);
	for (const one of seen) assert.equal(one, payload);
	assertFrozen(payload);
});

test("a rewrite whose value the hook kept a reference to cannot be changed afterwards", async () => {
	const kept = { command: "ls", deep: { list: ["a"] } };
	const payload = await run([
		transform("tool.calling", () => rewrite(kept)),
		guard("tool.calling", () => {
			kept.command = "rm -rf /";
			kept.deep.list.push("b");
		}),
	]);
	assert.deepEqual(payload.args, { command: "ls", deep: { list: ["a"] } });
	assertFrozen(payload);
	assert.ok(!Object.isFrozen(kept), "what the hook keeps is its own");
});

test("a decision that changes while it is read counts as it was read once", async () => {
	let reads = 0;
	const twoFaced = {
		kind: "rewrite",
		get value() {
			reads++;
			return { command: reads === 1 ? "ls" : "rm -rf /" };
		},
	};
	const payload = await run([transform("tool.calling", () => twoFaced)]);
	assert.deepEqual([payload.args, reads], [{ command: "ls" }, 1]);
});

test("accessors and proxies in a rewrite are flattened to what they gave when they were read", async () => {
	let reads = 0;
	const value = {
		get command() {
			reads++;
			return `echo ${reads}`;
		},
		nested: new Proxy({ safe: true }, {}),
	};
	const payload = await run([transform("tool.calling", () => rewrite(value)), guard("tool.calling", (call) => void call.args["command"])]);
	assert.deepEqual(payload.args, { command: "echo 1", nested: { safe: true } });
	assert.deepEqual(Object.getOwnPropertyDescriptor(payload.args, "command"), { value: "echo 1", writable: false, enumerable: true, configurable: false });
	assert.equal(reads, 1);
});

test("what is no plain data is refused, and named", async () => {
	class Command {
		text = "ls";
	}
	const cyclic: Record<string, unknown> = {};
	cyclic["self"] = cyclic;
	let deep: unknown = "bottom";
	for (let i = 0; i < 66; i++) deep = [deep];
	const cases: readonly [unknown, RegExp][] = [
		[{ at: new Date() }, /^its answer\.value\.at is an instance of Date, not plain data$/],
		[{ command: new Command() }, /^its answer\.value\.command is an instance of Command, not plain data$/],
		[{ map: new Map() }, /map is an instance of Map, not plain data$/],
		[{ run: () => {} }, /^its answer\.value\.run is a function, not plain data$/],
		[{ big: 5n }, /^its answer\.value\.big is a bigint, not plain data$/],
		[{ symbol: Symbol("s") }, /symbol is a symbol, not plain data$/],
		[{ n: NaN }, /^its answer\.value\.n is NaN, which JSON cannot hold$/],
		[{ n: [1, -Infinity] }, /^its answer\.value\.n\[1\] is -Infinity, which JSON cannot hold$/],
		[cyclic, /nested more than 64 levels deep, or contains itself$/],
		[{ deep }, /nested more than 64 levels deep, or contains itself$/],
		[JSON.parse('{"__proto__": {"admin": true}}'), /^its answer\.value has a key '__proto__'$/],
		[Object.create({ inherited: 1 }), /not plain data$/],
		[Object.create(Object.create(Object.create(null))), /^its answer\.value is an object with a prototype of its own, not plain data$/],
	];
	for (const [value, why] of cases) {
		const engine = engineWith([transform("tool.calling", () => rewrite(value))]);
		const outcome = await engine.dispatch("tool.calling", toolCall());
		assert.deepEqual(outcome.kind === "go" && outcome.payload.args, { command: "ls" });
		const [record] = engine.recent(1)[0]!.hooks;
		assert.match(record!.reason!, why);
		assert.equal(record!.failure, "bad-answer");
	}
});

test("rewritten messages and injected notes are frozen too", async () => {
	const messages = [{ role: "user", text: "hi", toolCalls: [{ id: "1" }] }];
	const outcome = await engineWith([transform("model.calling", () => rewrite(messages, { metadata: { deep: { list: [1] } } }))]).dispatch("model.calling", modelCall());
	assert.ok(outcome.kind === "go");
	assertFrozen(outcome.payload);
	assertFrozen(outcome.metadata);
});
