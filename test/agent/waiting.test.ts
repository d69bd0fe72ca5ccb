// A turn that ends with a question and goes on with the answer, in this process: what it keeps, and what an answer is bound to.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { basicCommands } from "../../src/agent/commands.ts";
import { Conversation } from "../../src/agent/conversation.ts";
import type { WaitingTurn } from "../../src/agent/parked.ts";
import type { ApprovalAnswer } from "../../src/agent/surface.ts";
import { ask, inject, rewrite } from "../../src/events/decision.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { guard, observe, transform } from "../engine.ts";
import { callTerminal, open, type Opened, type OpenOptions } from "./open.ts";

const never = new AbortController().signal;
const yes: ApprovalAnswer = { approved: true, by: "person" };
const careful = guard("tool.calling", () => ask("Sure?"));

/** A conversation whose turns wait for nobody; `reopen` is what another process does with what was kept. */
async function parking(options: OpenOptions = {}) {
	const agent = await open({ hooks: [careful], ...options });
	const parts = { ...(await agent.runtime.agent()), parksQuestions: true as const };
	let conversation = await Conversation.open(parts, agent.runtime.place, basicCommands);
	return {
		agent,
		get conversation() {
			return conversation;
		},
		submit: (text: string) => conversation.submit(text, "typed", never),
		answer: (answer: ApprovalAnswer, calls = conversation.waiting?.calls ?? []) => conversation.goOn(new Map(calls.map(({ approvalId }) => [approvalId, answer])), never),
		async reopen() {
			const kept = JSON.stringify(conversation.waiting);
			const { id } = conversation.session;
			await conversation.close("finished");
			conversation = await Conversation.open(parts, agent.runtime.place, basicCommands, agent.runtime.store.sessions.get(id));
			conversation.takeUpWaiting(kept === undefined ? undefined : (JSON.parse(kept) as WaitingTurn));
		},
		get results() {
			return conversation.session.messages.flatMap(({ role, text }) => (role === "tool" ? [text] : []));
		},
		async [Symbol.asyncDispose]() {
			await conversation.close("finished");
			await agent[Symbol.asyncDispose]();
		},
	};
}

const made = (agent: Opened, name: string) => existsSync(join(agent.work, name));

test("the call stays open and nothing runs until there is an answer; then the turn goes on, also elsewhere", async () => {
	await using chat = await parking();
	const asked = await chat.submit(callTerminal("touch file"));
	assert.deepEqual([asked.completed, asked.interrupted, asked.error, asked.waits?.calls.length], [false, false, undefined, 1]);
	assert.deepEqual([made(chat.agent, "file"), chat.results, chat.conversation.session.openCalls.length], [false, [], 1]);
	await chat.reopen();
	assert.equal(chat.conversation.session.openCalls.length, 1);
	const answered = await chat.answer(yes);
	assert.deepEqual([answered.completed, answered.text, made(chat.agent, "file")], [true, "DONE", true]);
	assert.equal(chat.conversation.waiting, undefined);
});

test("what hooks made of the system prompt, the steps and the tools of the turn are kept with it", async () => {
	const prompts: string[] = [];
	const endings: unknown[] = [];
	const steps: unknown[] = [];
	let starts = 0;
	const hooks = [
		guard("tool.calling", ({ args }) => (String(args["command"]).startsWith("touch b") ? ask("Sure?") : undefined)),
		transform("turn.starting", () => {
			starts++;
			return inject("only today", "system");
		}),
		transform("model.calling", ({ messages }) => void prompts.push(messages[0]!.text)),
		transform("turn.ending", ({ toolNames, continuations }) => {
			endings.push([toolNames.length, continuations]);
			return undefined;
		}),
		observe("step.started", ({ step, turnId }) => void steps.push([step, turnId])),
	];
	await using chat = await parking({ hooks });
	const { waits } = await chat.submit(`SEQ\n${callTerminal("touch a")}\n${callTerminal("touch b")}\n${callTerminal("touch c")}`);
	assert.equal(waits?.steps, 2);
	await chat.reopen();
	assert.equal((await chat.answer(yes)).text, "DONE");
	assert.equal(prompts.length, 4);
	for (const prompt of prompts) assert.match(prompt, /only today/);
	assert.deepEqual([endings, starts], [[[3, 0]], 1]);
	await chat.agent.runtime.engine.idle();
	assert.deepEqual(steps, [1, 2, 3, 4].map((step) => [step, waits?.turnId]));
	const ended = await chat.agent.heard("turn.ended");
	assert.deepEqual(ended.map(({ waits, completed, toolCalls }) => [waits, completed, toolCalls]), [[true, false, 2], [undefined, true, 3]]);
});

test("the steps before the question count among those that a turn may have", async () => {
	await using chat = await parking({ config: "agent: {max_steps: 2}" });
	await chat.submit(`SEQ\n${callTerminal("touch a")}\n${callTerminal("touch b")}\n${callTerminal("touch c")}`);
	assert.equal((await chat.answer(yes)).waits?.steps, 2);
	assert.match((await chat.answer(yes)).error ?? "", /ended after 2 steps/);
	assert.deepEqual([made(chat.agent, "b"), made(chat.agent, "c")], [true, false]);
});

test("a yes counts for exactly what was asked: other arguments, another hook's question are asked anew", async () => {
	let command = "touch a";
	await using chat = await parking({ hooks: [careful, transform("tool.calling", () => rewrite({ command }))] });
	const first = (await chat.submit(callTerminal("touch x"))).waits!.calls[0]!;
	assert.equal(first.command, "touch a");
	command = "touch b";
	const again = (await chat.answer(yes)).waits!;
	assert.deepEqual([again.calls[0]?.command, again.calls[0]?.changed, again.calls[0]?.approvalId === first.approvalId], ["touch b", true, false]);
	chat.agent.runtime.engine.register([{ ...guard("tool.calling", () => ask("And this?")), source: { extension: "later", trust: "user", dialect: "native", rank: 5 } }]);
	const third = (await chat.answer(yes)).waits!;
	assert.equal(third.calls[0]?.reasons.length, 2);
	assert.deepEqual([made(chat.agent, "a"), made(chat.agent, "b")], [false, false]);
	assert.equal((await chat.answer(yes)).text, "DONE");
	assert.equal(made(chat.agent, "b"), true);
	const resolved = await chat.agent.heard("approval.resolved");
	assert.deepEqual(resolved.map(({ approvalId }) => approvalId), (await chat.agent.heard("approval.requested")).map(({ approvalId }) => approvalId));
});

test("an answer to what is not asked changes nothing, and a no is a no when no hook would ask any more", async () => {
	let isCareful = true;
	await using chat = await parking({ hooks: [guard("tool.calling", () => (isCareful ? ask("Sure?") : undefined))] });
	await chat.submit(`${callTerminal("touch a")}\n${callTerminal("touch b")}`);
	const [a, b] = chat.conversation.waiting!.calls;
	assert.equal((await chat.answer(yes, [{ ...a!, approvalId: "zzzzzz" }])).waits?.calls.length, 2);
	isCareful = false;
	assert.equal((await chat.answer({ approved: false, by: "person", reason: "No." }, [a!])).waits?.calls.length, 1);
	assert.equal((await chat.answer(yes, [b!])).text, "DONE");
	assert.deepEqual([made(chat.agent, "a"), made(chat.agent, "b")], [false, true]);
	assert.equal(chat.results[0], "[Blocked by person] No.");
});

test("what waited in a conversation that went on elsewhere is withdrawn", async () => {
	await using chat = await parking();
	await chat.submit(callTerminal("touch a"));
	const kept = chat.conversation.waiting!;
	await chat.reopen();
	chat.conversation.takeUpWaiting(undefined);
	await chat.submit("something else");
	assert.match(chat.results[0]!, /^\[No result: the program ended/, "an open call is closed before the next turn");
	chat.conversation.takeUpWaiting(kept);
	assert.equal(chat.conversation.waiting, undefined);
	assert.deepEqual((await chat.answer(yes, kept.calls)).text, "");
	assert.deepEqual([made(chat.agent, "a"), (await chat.agent.heard("approval.resolved")).map(({ by, reason }) => [by, reason])], [false, [["interrupted", "The conversation went on without an answer."]]]);
});

test("a turn that is stopped while an approved call runs withdraws what else was asked", async () => {
	await using chat = await parking();
	await chat.submit(`${callTerminal("touch begun; sleep 30")}\n${callTerminal("touch b")}`);
	const stop = new AbortController();
	const [a] = chat.conversation.waiting!.calls;
	const going = chat.conversation.goOn(new Map([[a!.approvalId, yes]]), stop.signal);
	await eventually(() => made(chat.agent, "begun"), "the call runs");
	stop.abort();
	assert.equal((await going).interrupted, true);
	assert.equal(chat.conversation.waiting, undefined);
	assert.equal(chat.conversation.session.openCalls.length, 0);
	assert.deepEqual((await chat.agent.heard("approval.resolved")).map(({ by }) => by), ["person", "interrupted"]);
});

test("what hooks keep for the turn is there when it goes on", async () => {
	const counts: number[] = [];
	const counting = transform("tool.calling", (_, { turn: { state } }) => {
		state.set("count", Number(state.get("count") ?? 0) + 1);
		counts.push(Number(state.get("count")));
	});
	await using chat = await parking({ hooks: [careful, counting] });
	await chat.submit(callTerminal("touch a"));
	await chat.answer(yes);
	await chat.submit(callTerminal("touch b"));
	assert.deepEqual(counts, [1, 2, 1]);
});
