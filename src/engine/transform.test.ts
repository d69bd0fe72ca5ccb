import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, engineWith, facts, guard, input, inWords, modelCall, toolCall, transform, turnStart } from "../../test/engine.ts";
import { block, inject, pass, respond, rewrite } from "../events/decision.ts";
import type { CommandRunning } from "../events/payloads/conversation.ts";

test("each transform sees the value as the earlier ones left it, and their metadata", async () => {
	const seen: unknown[] = [];
	const engine = engineWith([
		transform("tool.calling", (call) => rewrite({ command: `${String(call.args["command"])} -l` }, { metadata: { by: "first", once: 1 } })),
		transform("tool.calling", (call, { metadata }) => {
			seen.push(call.args, metadata);
			return pass({ by: "second" });
		}),
		transform("tool.calling", (_, { metadata }) => void seen.push(metadata)),
		guard("tool.calling", (_, { metadata }) => void seen.push(metadata)),
	]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	assert.deepEqual(seen, [{ command: "ls -l" }, { by: "first", once: 1 }, { by: "second", once: 1 }, { by: "second", once: 1 }]);
	assert.deepEqual(outcome.kind === "go" && outcome.metadata, { by: "second", once: 1 });
});

test("a block ends the chain: nobody after it is asked", async () => {
	let asked = 0;
	const engine = engineWith([transform("tool.calling", () => block("stop here")), transform("tool.calling", () => void asked++), guard("tool.calling", () => void asked++)]);
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "blocked by test#1 (decision): stop here");
	assert.equal(asked, 0);
});

test("a respond ends the chain with its answer", async () => {
	let asked = 0;
	const engine = engineWith([transform("input.receiving", async () => respond("It is noon.")), transform("input.receiving", () => void asked++), guard("input.receiving", () => void asked++)]);
	assert.equal(inWords(await engine.dispatch("input.receiving", input("what time is it?"))), "responded by test#1: It is noon.");
	assert.equal(asked, 0);
});

test("within one answer a respond does not undo a block, wherever it stands", async () => {
	for (const answer of [
		[block("no"), respond("yes")],
		[respond("yes"), block("no")],
		[block("no"), respond("yes"), block("still no")],
	]) {
		const engine = engineWith([transform("input.receiving", () => answer)]);
		assert.equal(inWords(await engine.dispatch("input.receiving", input())), "blocked by test#1 (decision): no");
	}
});

test("one handler may rewrite, inject and leave notes in one answer", async () => {
	const engine = engineWith([transform("turn.starting", () => [rewrite("Be thorough."), inject("It is Monday."), inject("Answer in French.", "system"), pass({ seen: true })])]);
	const outcome = await engine.dispatch("turn.starting", turnStart());
	assert.ok(outcome.kind === "go");
	assert.equal(outcome.payload.systemPrompt, "Be thorough.");
	assert.deepEqual(outcome.injections, [
		{ text: "It is Monday.", as: "user", by: "test#1" },
		{ text: "Answer in French.", as: "system", by: "test#1" },
	]);
	assert.deepEqual(outcome.metadata, { seen: true });
});

test("where two fields can be rewritten, those not given stay", async () => {
	const payload: CommandRunning = { ...facts(), name: "model", args: "fast" };
	const engine = engineWith([transform("command.running", () => rewrite({ args: "slow" }))]);
	const outcome = await engine.dispatch("command.running", payload);
	assert.ok(outcome.kind === "go");
	assert.deepEqual([outcome.payload.name, outcome.payload.args], ["model", "slow"]);
});

test("a rewrite of the wrong shape is refused with what it gave and what it takes", async () => {
	const cases = [
		{ event: "tool.calling", payload: toolCall(), value: "ls", why: "its rewrite gives args as a string, but it must be an object" },
		{ event: "tool.calling", payload: toolCall(), value: ["ls"], why: "its rewrite gives args as a list, but it must be an object" },
		{ event: "input.receiving", payload: input(), value: 5, why: "its rewrite gives text as 5, but it must be a text" },
		{ event: "command.running", payload: { ...facts(), name: "a", args: "" }, value: "b", why: "the value of its rewrite must be an object with name or args, not a string" },
		{ event: "command.running", payload: { ...facts(), name: "a", args: "" }, value: {}, why: "its rewrite changes nothing; it may give name and args" },
		{ event: "command.running", payload: { ...facts(), name: "a", args: "" }, value: { arg: "b" }, why: "its rewrite has a field 'arg' that cannot be rewritten. Did you mean 'args'?" },
		{ event: "command.running", payload: { ...facts(), name: "a", args: "" }, value: { sessionId: "b" }, why: "its rewrite has a field 'sessionId' that cannot be rewritten. It may give name and args." },
		{ event: "model.calling", payload: modelCall(), value: [], why: "its rewrite gives messages as a list, but it must be a list of messages" },
		{ event: "model.calling", payload: modelCall(), value: [{ role: "user", text: "a" }, { role: "boss", text: "b" }], why: "its rewrite gives messages as a list whose entry 1 is no message (a role and a text)" },
	] as const;
	for (const { event, payload, value, why } of cases) {
		const engine = engineWith([transform(event, () => rewrite(value), { onError: "closed" })]);
		const outcome = await engine.dispatch(event, payload as never);
		assert.equal(inWords(outcome), `blocked by test#1 (failure): Hook test#1 failed (invalid-rewrite): ${why}. It is closed, so nothing goes on without its answer.`);
	}
});

test("a rewrite the caller's own schema refuses is not taken", async () => {
	const seen: unknown[] = [];
	const engine = engineWith([transform("tool.calling", () => rewrite({ command: 5 })), guard("tool.calling", (call) => void seen.push(call.args))]);
	const validate = (field: string, value: unknown) => (typeof (value as { command?: unknown }).command === "string" ? undefined : `${field}.command must be a text`);
	const outcome = await engine.dispatch("tool.calling", toolCall(), { validate });
	assert.equal(commandOf(outcome), "ls");
	assert.deepEqual(seen, [{ command: "ls" }]);
	assert.equal(engine.recent(1)[0]!.hooks[0]!.reason, "its rewrite of args is not valid: args.command must be a text");
});

test("of an answer that is half wrong nothing is applied", async () => {
	const wrong: readonly (readonly unknown[])[] = [
		[inject("a fact"), rewrite({})],
		[pass({ note: 1 }), { kind: "blok", reason: "no" }],
		[rewrite("Be loud."), rewrite(5)],
		[rewrite("Be loud."), inject("")],
	];
	for (const answer of wrong) {
		const outcome = await engineWith([transform("turn.starting", () => answer)]).dispatch("turn.starting", turnStart());
		assert.ok(outcome.kind === "go", inWords(outcome));
		assert.equal(outcome.payload.systemPrompt, "Be brief.");
		assert.deepEqual([outcome.injections, outcome.metadata], [[], {}]);
	}
});

test("of two rewrites in one answer the later one stands", async () => {
	const outcome = await engineWith([transform("tool.calling", () => [rewrite({ command: "a" }), rewrite({ command: "b" })])]).dispatch("tool.calling", toolCall());
	assert.equal(commandOf(outcome), "b");
});

test("nothing but the catalog's fields is writable: not the tool's name, not the ids", async () => {
	const engine = engineWith([transform("tool.calling", () => ({ kind: "rewrite", value: { command: "pwd" }, toolName: "other", sessionId: "s2" }))]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	assert.ok(outcome.kind === "go");
	assert.deepEqual([outcome.payload.toolName, outcome.payload.sessionId, outcome.payload.args], ["terminal", "s1", { command: "pwd" }]);
});
