import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, engineWith, guard, inWords, toolCall, transform } from "../../test/engine.ts";
import { allow, ask, block, rewrite } from "../events/decision.ts";
import type { HookDefinition } from "../events/registration.ts";

const yes = async () => ({ approved: true, by: "person" }) as const;
const decide = async (hooks: readonly HookDefinition[]) => inWords(await engineWith(hooks).dispatch("tool.calling", toolCall(), { ask: yes }));
const saying = (answer: unknown, name: string, priority = 100) => guard("tool.calling", () => answer, { name, priority });

test("a guard judges the rewritten command, also when the transform was registered after it", async () => {
	const seen: unknown[] = [];
	const engine = engineWith([
		guard("tool.calling", (call) => {
			seen.push(call.args["command"]);
			return call.args["command"] === "rm -rf /" ? block("not that") : undefined;
		}),
		transform("tool.calling", () => rewrite({ command: "rm -rf /" }), { priority: 9999 }),
	]);
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall({ command: "ls" }))), "blocked by test#1 (decision): not that");
	assert.deepEqual(seen, ["rm -rf /"]);
});

test("all guards are asked, also after one has blocked", async () => {
	const asked: string[] = [];
	const note = (name: string, answer: unknown) => guard("tool.calling", () => (asked.push(name), answer), { name });
	assert.match(await decide([note("a", block("no")), note("b", allow()), note("c", undefined)]), /blocked by test\/a/);
	assert.deepEqual(asked, ["a", "b", "c"]);
});

test("block is stronger than ask, ask than allow, allow than silence, in whatever order they come", async () => {
	const words = { block: saying(block("no"), "b"), ask: saying(ask("sure?"), "q"), allow: saying(allow(), "a"), silence: saying(undefined, "s") };
	const cases: readonly [readonly (keyof typeof words)[], string][] = [
		[["block", "ask", "allow", "silence"], "blocked by test/b (decision): no"],
		[["ask", "allow", "silence"], "go, approved by person"],
		[["allow", "silence"], "go, allowed by test/a"],
		[["silence"], "go"],
	];
	for (const [kinds, outcome] of cases) {
		assert.equal(await decide(kinds.map((kind) => words[kind])), outcome);
		assert.equal(await decide(kinds.map((kind) => words[kind]).reverse()), outcome);
	}
});

test("a later allow does not undo a block", async () => {
	assert.match(await decide([saying(block("no"), "b", 1), saying(allow(), "a", 2)]), /blocked by test\/b/);
});

test("of two blocks the one with the lower priority speaks, then the name; a reason of its own before a failure", async () => {
	const fails = guard("tool.calling", () => assert.fail("broken"), { name: "f", priority: 0 });
	assert.match(await decide([saying(block("two"), "b", 2), saying(block("one"), "c", 1)]), /test\/c \(decision\): one$/);
	assert.match(await decide([saying(block("two"), "b"), saying(block("one"), "a")]), /test\/a \(decision\): one$/);
	assert.match(await decide([fails, saying(block("meant"), "z")]), /test\/z \(decision\): meant$/);
});

test("a guard that gives several decisions is taken at its strongest", async () => {
	assert.match(await decide([saying([allow(), block("first"), block("second")], "g")]), /: first$/);
	assert.equal(await decide([saying([ask("?"), allow()], "g")]), "go, approved by person");
});

test("a rewrite clears an allow that was given before it", async () => {
	const judge = { ...transform("tool.calling", () => allow()), judges: true };
	assert.equal(inWords(await engineWith([judge]).dispatch("tool.calling", toolCall())), "go, allowed by test#1");
	assert.equal(inWords(await engineWith([judge, transform("tool.calling", () => rewrite({ command: "pwd" }))]).dispatch("tool.calling", toolCall())), "go");
});

test("the allow of a project's hook counts for nothing, and the trace says so", async () => {
	const engine = engineWith([guard("tool.calling", () => allow("trust me"), { trust: "project" })]);
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "go");
	assert.deepEqual(engine.recent(1)[0]!.hooks[0]!.notes, ["its allow does not count: hooks of a project folder can only tighten"]);
	for (const answer of [block("no"), ask("sure?")]) {
		const outcome = await engineWith([guard("tool.calling", () => answer, { trust: "project" })]).dispatch("tool.calling", toolCall());
		assert.equal(outcome.kind, "blocked");
	}
});

test("a guard cannot rewrite, inject or respond: such an answer is a failure", async () => {
	for (const [answer, kind] of [
		[rewrite({ command: "pwd" }), "rewrite"],
		[{ kind: "inject", text: "x" }, "inject"],
	] as const) {
		const engine = engineWith([guard("tool.calling", () => answer, { onError: "open" })]);
		assert.equal(commandOf(await engine.dispatch("tool.calling", toolCall())), "ls");
		const [record] = engine.recent(1)[0]!.hooks;
		assert.equal(record!.failure, "bad-answer");
		assert.equal(record!.reason, kind === "rewrite" ? "answered rewrite, but a guard can pass, allow, ask, block" : "answered inject, but tool.calling takes rewrite, ask, allow, block");
	}
});
