import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, engineWith, guard, hook, inWords, never, toolCall, transform } from "../../test/engine.ts";
import { ask, block, rewrite } from "../events/decision.ts";
import { digestOf } from "./digest.ts";
import type { ApprovalAnswer, ApprovalQuestion } from "./outcome.ts";

const asking = () => engineWith([guard("tool.calling", () => ask("sure?"))]);
const yes = async (): Promise<ApprovalAnswer> => ({ approved: true, by: "person" });

test("without anybody to ask, an ask is a no", async () => {
	assert.equal(inWords(await asking().dispatch("tool.calling", toolCall())), "blocked by nobody-there (denied): This needs a person's approval, and nobody is there to give it.");
});

test("an approver that throws, now or later, is a no", async () => {
	const approvers = [
		() => {
			throw new Error("no terminal");
		},
		() => Promise.reject(new Error("no terminal")),
	];
	for (const approver of approvers) {
		assert.equal(inWords(await asking().dispatch("tool.calling", toolCall(), { ask: approver })), "blocked by engine (denied): This needs a person's approval, and asking failed: no terminal");
	}
});

test("an answer that is neither yes nor no is a no", async () => {
	for (const answer of [undefined, null, {}, { approved: "yes" }, { approved: 1, by: "person" }, "yes"]) {
		const outcome = await asking().dispatch("tool.calling", toolCall(), { ask: async () => answer as unknown as ApprovalAnswer });
		assert.equal(outcome.kind, "blocked", JSON.stringify(answer));
		assert.equal(outcome.kind === "blocked" && outcome.cause, "denied");
	}
});

test("a person's no carries their reason", async () => {
	const outcome = await asking().dispatch("tool.calling", toolCall(), { ask: async () => ({ approved: false, by: "person", reason: "Use trash instead." }) });
	assert.equal(inWords(outcome), "blocked by person (denied): Use trash instead.");
});

test("the person is shown the final arguments and every reason, with the hook that gave it", async () => {
	const questions: ApprovalQuestion[] = [];
	const engine = engineWith([
		guard("tool.calling", () => ask("it deletes"), { name: "b", priority: 1 }),
		guard("tool.calling", () => ask("it is on a share"), { name: "a" }),
		transform("tool.calling", () => rewrite({ command: "rm -r cache" })),
	]);
	const outcome = await engine.dispatch("tool.calling", toolCall(), { ask: async (question) => (questions.push(question), yes()) });
	assert.equal(commandOf(outcome), "rm -r cache");
	const [question] = questions;
	assert.equal(questions.length, 1);
	assert.deepEqual(question!.value, { command: "rm -r cache" });
	assert.deepEqual(question!.reasons, [
		{ hook: "test/b", reason: "it deletes" },
		{ hook: "test/a", reason: "it is on a share" },
	]);
	assert.equal(question!.event, "tool.calling");
	assert.equal(outcome.kind === "go" && outcome.payload, question!.payload);
});

test("an approval is bound to the digest of exactly what runs", async () => {
	const shown: string[] = [];
	const outcome = await asking().dispatch("tool.calling", toolCall(), { ask: async ({ digest }) => (shown.push(digest), yes()) });
	assert.ok(outcome.kind === "go");
	assert.deepEqual(outcome.approval, { by: "person", digest: digestOf({ command: "ls" }) });
	assert.equal(outcome.approval!.digest, digestOf(outcome.payload.args));
	assert.deepEqual(shown, [outcome.approval!.digest]);
});

test("nobody is asked when a guard blocked, or when nobody wants to know", async () => {
	let asked = 0;
	const approver = async () => (asked++, yes());
	await engineWith([guard("tool.calling", () => ask("sure?")), guard("tool.calling", () => block("no"))]).dispatch("tool.calling", toolCall(), { ask: approver });
	await engineWith([guard("tool.calling", () => undefined)]).dispatch("tool.calling", toolCall(), { ask: approver });
	assert.equal(asked, 0);
});

test("the user's stop ends the question at once", async () => {
	const stop = new AbortController();
	const outcome = asking().dispatch("tool.calling", toolCall(), { signal: stop.signal, ask: never });
	stop.abort();
	assert.equal(inWords(await outcome), "blocked by person (interrupted): Stopped by the user.");
});

test("a yes that comes together with a stop is not taken", async () => {
	const stop = new AbortController();
	const outcome = await asking().dispatch("tool.calling", toolCall(), { signal: stop.signal, ask: async () => (stop.abort(), yes()) });
	assert.equal(outcome.kind === "blocked" && outcome.cause, "interrupted");
});

test("a question of a judging transform that is asked again stands once", async () => {
	const reasons: unknown[] = [];
	const engine = engineWith([hook("tool.calling", "transform", () => ask("sure?"), { judges: true }), transform("tool.calling", () => rewrite({ command: "pwd" }))]);
	await engine.dispatch("tool.calling", toolCall(), { ask: async (question) => (reasons.push(...question.reasons), yes()) });
	assert.deepEqual(reasons, [{ hook: "test#1", reason: "sure?" }]);
});
