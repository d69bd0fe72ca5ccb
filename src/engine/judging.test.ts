// Foreign hooks both rewrite and refuse. They run as transforms that judge, and are asked once more when the value changed after they answered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, engineWith, inWords, type More, toolCall, transform } from "../../test/engine.ts";
import { allow, ask, block, rewrite } from "../events/decision.ts";
import type { ToolCalling } from "../events/payloads/tool.ts";

const judging = (handler: (call: ToolCalling) => unknown, more: More = {}) => transform("tool.calling", handler, { ...more, judges: true });
const becomes = (command: string, more?: More) => transform("tool.calling", () => rewrite({ command }), more);
const noRemoving = (call: ToolCalling) => (String(call.args["command"]).startsWith("rm") ? block("no removing") : undefined);

test("it may allow, ask or block like a guard, and rewrite like a transform", async () => {
	assert.equal(inWords(await engineWith([judging(() => allow())]).dispatch("tool.calling", toolCall())), "go, allowed by test#1");
	assert.match(inWords(await engineWith([judging(() => ask("?"))]).dispatch("tool.calling", toolCall())), /nobody is there/);
	assert.match(inWords(await engineWith([judging(() => block("no"))]).dispatch("tool.calling", toolCall())), /: no$/);
	assert.equal(commandOf(await engineWith([judging(() => [rewrite({ command: "pwd" }), allow()])]).dispatch("tool.calling", toolCall())), "pwd");
});

test("when the value changed after it answered, it is asked once more, on the final value", async () => {
	const seen: unknown[] = [];
	const engine = engineWith([
		judging((call) => {
			seen.push(call.args["command"]);
			return noRemoving(call);
		}),
		becomes("mv a b"),
		becomes("rm -r a"),
	]);
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "blocked by test#1 (decision): no removing");
	assert.deepEqual(seen, ["ls", "rm -r a"]);
	assert.deepEqual(engine.recent(1)[0]!.hooks.at(-1)!.notes, ["asked again, on the final value"]);
});

test("when nothing changed after it answered, it is asked once", async () => {
	let asked = 0;
	const count = () => void asked++;
	await engineWith([becomes("pwd", { priority: 1 }), judging(count)]).dispatch("tool.calling", toolCall());
	assert.equal(asked, 1);
	await engineWith([judging(() => (asked++, rewrite({ command: "pwd" })))]).dispatch("tool.calling", toolCall());
	assert.equal(asked, 2, "its own rewrite is no reason to ask it again");
});

test("the second time only its refusal counts: it can neither allow nor rewrite", async () => {
	const engine = engineWith([judging(() => [allow(), rewrite({ command: "echo again" })]), becomes("pwd")]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	assert.equal(inWords(outcome), "go");
	assert.equal(commandOf(outcome), "pwd");
});

test("the second time a failure counts by its policy", async () => {
	const breaksLater = (call: ToolCalling) => (call.args["command"] === "pwd" ? assert.fail("broken") : undefined);
	assert.equal((await engineWith([judging(breaksLater, { onError: "closed" }), becomes("pwd")]).dispatch("tool.calling", toolCall())).kind, "blocked");
	assert.equal((await engineWith([judging(breaksLater), becomes("pwd")]).dispatch("tool.calling", toolCall())).kind, "go");
});

test("an answer with holes in it is a failure the second time too", async () => {
	const engine = engineWith([judging((call) => (call.args["command"] === "pwd" ? Array(2) : undefined), { onError: "closed" }), becomes("pwd")]);
	assert.match(inWords(await engine.dispatch("tool.calling", toolCall())), /bad-answer/);
});

test("several of them judge side by side, each on what it has not seen", async () => {
	const seen: string[] = [];
	const note = (name: string) => judging((call) => void seen.push(`${name} ${String(call.args["command"])}`), { name });
	await engineWith([note("early"), becomes("pwd"), note("late")]).dispatch("tool.calling", toolCall());
	assert.deepEqual(seen, ["early ls", "late pwd", "early pwd"]);
});

test("a transform that does not judge has no say about allow and ask", async () => {
	const engine = engineWith([transform("tool.calling", () => allow(), { onError: "closed" })]);
	assert.match(inWords(await engine.dispatch("tool.calling", toolCall())), /answered allow, but a transform can pass, rewrite, block/);
});
