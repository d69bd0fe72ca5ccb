// Whatever a handler hands back, the engine gives an outcome: it never throws, and it never takes nonsense for a yes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, guard, input, inWords, toolCall, transform, turnStart } from "../../test/engine.ts";
import type { HookDefinition } from "../events/registration.ts";

const cyclic: Record<string, unknown> = { kind: "block", reason: "round" };
cyclic["self"] = cyclic;
let deep: unknown = 1;
for (let i = 0; i < 65; i++) deep = { deep };
const unreadable = {
	get kind(): never {
		throw new Error("trap");
	},
};
const revoked = Proxy.revocable({}, {});
revoked.revoke();

const kinds = "The kinds are pass, rewrite, inject, respond, ask, allow, block.";
const nonsense: readonly (readonly [name: string, answer: () => unknown, why: string | RegExp])[] = [
	["a number", () => 5, 'answered with 5; a guard answers with nothing or a decision such as block("…")'],
	["a text", () => "block", 'answered with a string; a guard answers with nothing or a decision such as block("…")'],
	["an empty text", () => "", /^answered with a string;/],
	["true", () => true, /^answered with true;/],
	["false", () => false, /^answered with false;/],
	["zero", () => 0, /^answered with 0;/],
	["a BigInt", () => 5n, /^answered with a bigint;/],
	["a symbol", () => Symbol("block"), /^answered with a symbol;/],
	["a function", () => () => "block", /^answered with a function;/],
	["an empty object", () => ({}), `answered with an object of kind undefined, which is no decision. ${kinds}`],
	["a kind that is no text", () => ({ kind: ["block"] }), `answered with an object of kind ["block"], which is no decision. ${kinds}`],
	["a kind misspelt", () => ({ kind: "blok", reason: "no" }), 'answered with an object of kind "blok", which is no decision. Did you mean \'block\'?'],
	["a kind every object has", () => ({ kind: "constructor" }), /^answered with an object of kind "constructor", which is no decision\./],
	["a kind of 2 MB", () => ({ kind: "x".repeat(2_000_000) }), /… \[\d+ characters\]$/],
	["another agent's decision", () => ({ decision: "block", reason: "no" }), `answered with an object of kind undefined, which is no decision. ${kinds}`],
	["a list of junk", () => [1, "two"], /^answered with 1;/],
	["a list in a list", () => [[{ kind: "allow" }]], /^answered with a list;/],
	["a list with a hole", () => Array(1), /^answered with undefined;/],
	["a list with its own map()", () => Object.assign([5], { map: () => [{ kind: "allow" }] }), /^answered with 5;/],
	["a cycle", () => cyclic, /nested more than 64 levels deep, or contains itself$/],
	["65 levels", () => ({ kind: "pass", metadata: deep }), /nested more than 64 levels deep/],
	["a key __proto__", () => JSON.parse('{"kind": "allow", "__proto__": {"kind": "block"}}'), "its answer has a key '__proto__'"],
	["a getter that throws", () => unreadable, "trap"],
	["a class instance", () => new Error("block"), "its answer is an instance of Error, not plain data"],
	["a reason that is no text", () => ({ kind: "allow", reason: 5 }), "answered allow, but its 'reason' must be a text that is not empty"],
	["a pass with a reason that is no text", () => ({ kind: "pass", reason: {} }), "answered pass, but its 'reason' must be a text that is not empty"],
	["metadata that is no object", () => ({ kind: "pass", metadata: "x" }), "answered pass, but its 'metadata' is no object"],
	["a decision the event does not take", () => ({ kind: "respond", text: "x" }), "answered respond, but tool.calling takes rewrite, ask, allow, block"],
	["a decision the stage does not take", () => ({ kind: "rewrite", value: {} }), "answered rewrite, but a guard can pass, allow, ask, block"],
];

async function failureOf(definition: HookDefinition) {
	const engine = engineWith([definition]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	const [record] = engine.recent(1)[0]!.hooks;
	return { outcome, record: record! };
}

for (const [name, answer, why] of nonsense) {
	test(`a guard that answers ${name} has failed, now or by promise: closed it blocks, open it passes`, async () => {
		for (const handler of [answer, async () => answer()]) {
			const closed = await failureOf(guard("tool.calling", handler));
			assert.equal(closed.record.failure, "bad-answer");
			if (typeof why === "string") assert.equal(closed.record.reason, why);
			else assert.match(closed.record.reason!, why);
			assert.ok(closed.outcome.kind === "blocked" && closed.outcome.cause === "failure" && closed.outcome.reason.startsWith("Hook test#1 failed (bad-answer): "), inWords(closed.outcome));
			assert.equal((await failureOf(guard("tool.calling", handler, { onError: "open" }))).outcome.kind, "go");
		}
	});
}

test("a no is a no, with a reason or without, also of an open hook", async () => {
	for (const [reason, told] of [[undefined, "test#1 gave no reason."], ["", "test#1 gave no reason."], [7, "test#1 gave no reason."], ["x".repeat(2_000_000), `${"x".repeat(1024 * 1024)}…`]] as const) {
		const { outcome } = await failureOf(transform("tool.calling", () => ({ kind: "block", reason })));
		assert.deepEqual(outcome, { kind: "blocked", reason: told, by: "test#1", cause: "decision" });
		const asked = await failureOf(guard("tool.calling", () => ({ kind: "ask", reason }), { onError: "open" }));
		assert.ok(asked.outcome.kind === "blocked" && asked.outcome.cause === "denied");
	}
});

test("nothing, in all its spellings, is silence and no failure", async () => {
	for (const answer of [() => undefined, () => null, async () => {}, async () => null, () => [], () => ({ kind: "pass" })]) {
		const { outcome, record } = await failureOf(guard("tool.calling", answer));
		assert.deepEqual([inWords(outcome), record.decision, record.failure], ["go", "pass", undefined]);
	}
});

test("whatever a handler throws, now or by promise, is a failure with its text", async () => {
	const throwing: readonly [unknown, string][] = [
		["plain words", 'threw "plain words"'],
		[null, "threw null"],
		[{ code: 5 }, "threw [object Object]"],
		[{ toString: () => assert.fail("no") }, "threw an object that cannot be printed"],
		[new RangeError("too far"), "RangeError: too far"],
	];
	for (const [thrown, why] of throwing) {
		const handlers = [
			() => {
				throw thrown;
			},
			async () => {
				throw thrown;
			},
		];
		for (const handler of handlers) {
			const { outcome, record } = await failureOf(guard("tool.calling", handler));
			assert.deepEqual([outcome.kind, record.failure, record.reason], ["blocked", "threw", why]);
		}
	}
});

test("a thenable that misbehaves is a failure and holds nobody up", async () => {
	const trap = () => {
		throw new Error("trap");
	};
	const hostile: readonly (() => unknown)[] = [
		() => Object.defineProperty({}, "then", { get: trap }),
		() => ({ then: trap }),
		() => ({ then: (_: unknown, reject: (why: unknown) => void) => reject(new Error("trap")) }),
		() => ({ then: (resolve: (value: unknown) => void) => resolve(Promise.reject(new Error("trap"))) }),
		() => Object.assign(Promise.resolve(), { then: trap }),
		async () => Object.defineProperty({}, "then", { get: trap }),
		() => revoked.proxy,
	];
	for (const handler of hostile) {
		const { outcome, record } = await failureOf(guard("tool.calling", handler));
		assert.deepEqual([outcome.kind, record.failure], ["blocked", "threw"]);
		assert.match(record.reason!, /^trap$|revoked/);
	}
});

test("a thenable that behaves is waited for like a promise", async () => {
	const answer = { kind: "block", reason: "later" };
	for (const handler of [() => ({ then: (resolve: (value: unknown) => void) => resolve(answer) }), () => ({ then: (resolve: (value: unknown) => void) => setImmediate(resolve, Promise.resolve(answer)) })]) {
		assert.equal((await failureOf(guard("tool.calling", handler))).record.reason, "later");
	}
});

test("an injection must be a text for one of the places the event has", async () => {
	const cases: readonly [unknown, string][] = [
		[{ kind: "inject", text: "" }, "answered inject, but its 'text' must be a text that is not empty"],
		[{ kind: "inject", text: 5 }, "answered inject, but its 'text' must be a text that is not empty"],
		[{ kind: "inject", text: "x", as: "assistant" }, "answered inject, but 'as' must be user or system here"],
		[{ kind: "rewrite" }, "answered rewrite, but without a 'value'"],
		[{ kind: "rewrite", value: "x", reason: 5 }, "answered rewrite, but its 'reason' must be a text that is not empty"],
	];
	for (const [answer, why] of cases) {
		const engine = engineWith([transform("turn.starting", () => answer)]);
		await engine.dispatch("turn.starting", turnStart());
		assert.equal(engine.recent(1)[0]!.hooks[0]!.reason, why);
	}
	const engine = engineWith([transform("input.receiving", () => ({ kind: "respond", text: " " }))]);
	await engine.dispatch("input.receiving", input());
	assert.equal(engine.recent(1)[0]!.hooks[0]!.reason, "answered respond, but its 'text' must be a text that is not empty");
});
