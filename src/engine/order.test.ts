// Order is proved by words: every hook appends its own, and the list says who ran when.
import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, engineWith, guard, type More, toolCall, toolCalled, transform, wrap, observe } from "../../test/engine.ts";
import { rewrite } from "../events/decision.ts";
import type { ToolCalling } from "../events/payloads/tool.ts";
import { createEngine } from "./engine.ts";

const appending = (word: string, more?: More) => transform("tool.calling", (call: ToolCalling) => rewrite({ command: `${String(call.args["command"])} ${word}` }), more);

async function sentence(hooks: readonly ReturnType<typeof appending>[]): Promise<unknown> {
	return commandOf(await engineWith(hooks).dispatch("tool.calling", toolCall({ command: "say" })));
}

test("a lower priority runs earlier, 100 is the default", async () => {
	const words = [appending("last", { priority: 200 }), appending("middle"), appending("first", { priority: -3.5 }), appending("second", { priority: 99 })];
	assert.equal(await sentence(words), "say first second middle last");
});

test("at equal priority native hooks come before Python, shell and webhooks, whoever registered first", async () => {
	assert.equal(await sentence([appending("webhook", { rank: 3 }), appending("shell", { rank: 2 }), appending("native", { rank: 0 }), appending("python", { rank: 1 })]), "say native python shell webhook");
});

test("what is equal in all of that runs in the order of registration", async () => {
	assert.equal(await sentence(["a", "b", "c", "d", "e"].map((word) => appending(word))), "say a b c d e");
});

test("priority is stronger than where a hook comes from", async () => {
	assert.equal(await sentence([appending("native"), appending("webhook", { rank: 3, priority: 10 })]), "say webhook native");
});

test("what a project brings rewrites before everybody else and wraps inside of everybody else, whatever its priority", async () => {
	assert.equal(await sentence([appending("mine", { priority: -1000 }), appending("project", { trust: "project", priority: 1000 })]), "say project mine");
	const order: string[] = [];
	const around = (name: string, more: More) => wrap("tool.calling", (_, next) => (order.push(name), next()), more);
	const engine = engineWith([around("project", { trust: "project", priority: -1000 }), around("mine", { priority: 1000 })]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	assert.ok(outcome.kind === "go");
	await engine.perform("tool.calling", outcome, async () => ({ text: "", isError: false }));
	assert.deepEqual(order, ["mine", "project"]);
});

test("asynchronous transforms wait for each other and keep the order", async () => {
	const slow = transform("tool.calling", async (call) => {
		await new Promise((resolve) => setImmediate(resolve));
		return rewrite({ command: `${String(call.args["command"])} slow` });
	});
	assert.equal(await sentence([slow, appending("quick"), slow, appending("quick")]), "say slow quick slow quick");
});

test("guards are called after every transform, however late its priority", async () => {
	const words: string[] = [];
	const say = (word: string) => () => void words.push(word);
	const engine = engineWith([guard("tool.calling", say("guard"), { priority: 1 }), transform("tool.calling", say("transform"), { priority: 999 })]);
	await engine.dispatch("tool.calling", toolCall());
	assert.deepEqual(words, ["transform", "guard"]);
});

test("guards run all at once: none waits for another", async () => {
	const words: string[] = [];
	const slow = (word: string) =>
		guard("tool.calling", async () => {
			words.push(`${word} begins`);
			await new Promise((resolve) => setImmediate(resolve));
			words.push(`${word} ends`);
		});
	await engineWith([slow("a"), slow("b")]).dispatch("tool.calling", toolCall());
	assert.deepEqual(words, ["a begins", "b begins", "a ends", "b ends"]);
});

test("wrappers nest by priority, the lowest number outermost", async () => {
	const words: string[] = [];
	const around = (word: string, priority: number) =>
		wrap(
			"tool.calling",
			async (_, next) => {
				words.push(`${word} before`);
				const result = await next();
				words.push(`${word} after`);
				return result;
			},
			{ priority },
		);
	const engine = engineWith([around("inner", 200), around("outer", 1)]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	assert.ok(outcome.kind === "go");
	await engine.perform("tool.calling", outcome, async () => {
		words.push("operation");
		return { text: "", isError: false };
	});
	assert.deepEqual(words, ["outer before", "inner before", "operation", "inner after", "outer after"]);
});

test("observers are called in the same order, each by itself", async () => {
	const engine = createEngine();
	const words: string[] = [];
	engine.register([observe("tool.called", () => void words.push("late"), { priority: 200 }), observe("tool.called", () => void words.push("early"), { priority: 1 })]);
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.deepEqual(words, ["early", "late"]);
});
