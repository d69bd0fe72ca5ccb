// What a hook can do on the road of one turn, event by event, seen from both ends: what the person gets and what the model is sent.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { block, inject, respond, rewrite } from "../../src/events/decision.ts";
import type { JsonObject } from "../../src/events/payloads/facts.ts";
import { SwitchRefused } from "../../src/agent/conversation.ts";
import { guard, transform, wrap } from "../engine.ts";
import { startModelServer } from "../programs/model-server.ts";
import { callTerminal, open } from "./open.ts";

const fails = (): never => {
	throw new Error("broken");
};

describe("input.receiving", { concurrency: 4 }, () => {
	test("rewrites what the model reads", async () => {
		await using agent = await open({ hooks: [transform("input.receiving", ({ text }) => rewrite(text.toUpperCase()))] });
		assert.equal((await agent.submit("hello")).text, "ECHO: HELLO");
	});

	test("turns text into a slash command", async () => {
		await using agent = await open({ hooks: [transform("input.receiving", ({ text }) => (text === "what can I type?" ? rewrite("/help") : undefined))] });
		assert.match((await agent.submit("what can I type?")).text, /^\/help /);
		assert.deepEqual(agent.messages, []);
	});

	test("answers in the agent's place: no turn, nothing in the conversation", async () => {
		await using agent = await open({ hooks: [transform("input.receiving", () => respond("It is noon."))] });
		assert.deepEqual(await agent.submit("what time is it?"), { text: "It is noon.", completed: true, interrupted: false });
		assert.deepEqual(agent.sent, [{ text: "It is noon.", purpose: "answer" }]);
		assert.deepEqual([agent.messages, await agent.heard("turn.started")], [[], []]);
	});

	test("blocks: the person is told why, nothing joins the conversation", async () => {
		await using agent = await open({ hooks: [guard("input.receiving", () => block("Not at night."))] });
		const result = await agent.submit("SAY hi");
		assert.deepEqual([result.completed, result.error], [false, "Not at night."]);
		assert.deepEqual(agent.sent, [{ text: "Not at night.", purpose: "notice" }]);
		assert.deepEqual(agent.messages, []);
	});
});

describe("turn.starting", { concurrency: 4 }, () => {
	test("rewrites the system prompt for this turn; the session keeps its own", async () => {
		await using agent = await open({ hooks: [transform("turn.starting", ({ systemPrompt, text }) => (text.includes("zebra") ? rewrite(`${systemPrompt}\nzebra`) : undefined))] });
		assert.equal((await agent.submit("SYSTEM zebra")).text, "YES");
		assert.equal((await agent.submit("SYSTEM ebra")).text, "NO");
	});

	test("adds context, marked as a hook's, that cannot close its own mark", async () => {
		await using agent = await open({ hooks: [transform("turn.starting", () => inject("a </context> b")), transform("turn.starting", () => inject("for all", "system"))] });
		await agent.submit("SYSTEM for all");
		assert.equal(agent.sent[0]?.text, "YES");
		assert.equal(agent.messages[0]?.text, 'SYSTEM for all\n\n<context source="test#1">\na <\\/context> b\n</context>');
	});

	test("blocks before the model is called", async () => {
		await using agent = await open({ hooks: [guard("turn.starting", () => block("Budget is used up."))] });
		const { completed, text } = await agent.submit("SAY hi");
		assert.deepEqual([completed, text], [false, "Budget is used up."]);
		assert.deepEqual([agent.messages, await agent.heard("model.called")], [[], []]);
		assert.equal((await agent.heard("turn.ended"))[0]?.error, "Budget is used up.");
	});
});

describe("model.calling", { concurrency: 4 }, () => {
	test("rewrites and adds for this call only", async () => {
		await using agent = await open({
			hooks: [transform("model.calling", ({ messages, step }) => (step === 1 ? rewrite(messages.map((message) => (message.role === "user" ? { ...message, text: message.text.replace("secret", "****") } : message))) : undefined)), transform("model.calling", () => inject("mind the gap"))],
		});
		assert.equal((await agent.submit("hello secret")).text, 'ECHO: <context source="test#2">\nmind the gap\n</context>');
		assert.deepEqual(agent.messages.map(({ text }) => text), ["hello secret", 'ECHO: <context source="test#2">\nmind the gap\n</context>']);
	});

	test("blocks: the model is not called and the reason is the answer", async () => {
		await using agent = await open({ hooks: [guard("model.calling", () => block("No more calls today."))] });
		assert.deepEqual(await agent.submit("SAY hi"), { text: "No more calls today.", completed: false, interrupted: false, error: "No more calls today." });
		assert.deepEqual(await agent.heard("model.called"), []);
	});

	test("a wrapper can answer from a cache", async () => {
		let calls = 0;
		let kept: unknown;
		await using agent = await open({ hooks: [wrap("model.calling", async (_, next) => (kept ??= (calls++, await next())))] });
		assert.equal((await agent.submit("SAY once")).text, "once");
		assert.equal((await agent.submit("SAY twice")).text, "once");
		assert.equal(calls, 1);
	});
});

describe("model.requesting", { concurrency: 4 }, () => {
	test("a rewrite changes the bytes that are sent", async () => {
		await using server = await startModelServer();
		await using agent = await open({ model: "openai-compatible:loopback", baseUrl: server.baseUrl, hooks: [transform("model.requesting", ({ body, headers }) => rewrite({ body: { ...body, temperature: 0.25 }, headers: { ...headers, "x-team": "blue" } }))] });
		assert.equal((await agent.submit("SAY hi")).text, "hi");
		assert.equal(server.requests[0]?.body["temperature"], 0.25);
		assert.equal(server.requests[0]?.headers["x-team"], "blue");
	});

	test("one that is closed and fails stops the request, and the turn says which hook it was", async () => {
		await using server = await startModelServer();
		await using agent = await open({ model: "openai-compatible:loopback", baseUrl: server.baseUrl, hooks: [transform("model.requesting", fails, { onError: "closed" })] });
		const { completed, error } = await agent.submit("SAY hi");
		assert.equal(completed, false);
		assert.match(error ?? "", /test#1.*broken/);
		assert.deepEqual(server.requests, []);
	});
});

describe("tool results", { concurrency: 4 }, () => {
	test("tool.returning rewrites and adds what the model and the store get", async () => {
		await using agent = await open({
			hooks: [transform("tool.returning", ({ result }) => rewrite({ ...result, text: result.text.replaceAll("hunter2", "•••") })), transform("tool.returning", () => inject("It was masked."))],
		});
		await agent.submit(callTerminal("echo password hunter2"));
		assert.deepEqual(agent.results, ['password •••\n\n<context source="test#2">\nIt was masked.\n</context>']);
		assert.deepEqual(agent.runtime.store.sessions.messages(agent.conversation.session.id).filter(({ role }) => role === "tool").map(({ text }) => text), agent.results);
		assert.equal((await agent.heard("tool.called"))[0]?.result.text, agent.results[0]);
	});

	test("a closed redactor that fails lets nothing through", async () => {
		await using agent = await open({ hooks: [transform("tool.returning", fails, { onError: "closed", name: "redact" })] });
		await agent.submit(callTerminal("echo hunter2"));
		assert.match(agent.results[0] ?? "", /^\[The result was withheld: Hook test\/redact failed \(threw\): broken/);
	});

	test("tool.persisting: the store keeps less than the model saw", async () => {
		await using agent = await open({ hooks: [transform("tool.persisting", ({ result }) => rewrite({ ...result, text: "[10 lines]" }))] });
		await agent.submit(callTerminal("seq 10"));
		assert.match(agent.results[0] ?? "", /^1\n2\n/);
		const stored = agent.runtime.store.sessions.messages(agent.conversation.session.id);
		assert.deepEqual(stored.filter(({ role }) => role === "tool").map(({ text }) => text), ["[10 lines]"]);
	});

	test("terminal.returning sees the raw output before it is cleaned and cut", async () => {
		const raw: string[] = [];
		await using agent = await open({ hooks: [transform("terminal.returning", ({ output }) => (raw.push(output), rewrite(`${output.length} characters`)))] });
		await agent.submit(callTerminal("printf '\\033[31mred\\033[0m'; head -c 100000 /dev/zero | tr '\\0' x"));
		assert.equal(raw[0]?.length, 100_012);
		assert.ok(raw[0]?.startsWith("\u001b[31mred"));
		assert.match(agent.results[0] ?? "", /^100012 characters/);
	});

	test("a closed terminal.returning that fails withholds the output", async () => {
		await using agent = await open({ hooks: [transform("terminal.returning", fails, { onError: "closed" })] });
		await agent.submit(callTerminal("echo hunter2"));
		assert.match(agent.results[0] ?? "", /^\[The output was withheld: Hook test#1 failed/);
		assert.ok(!agent.results[0]?.includes("hunter2"));
	});
});

describe("tool.calling", { concurrency: 4 }, () => {
	test("what runs is what the guards saw, and a yes is for that alone", async () => {
		const seen: JsonObject[] = [];
		const asked: unknown[] = [];
		await using agent = await open({
			hooks: [guard("tool.calling", ({ args }) => (seen.push(args), { kind: "ask", reason: "Sure?" })), transform("tool.calling", ({ args }) => rewrite({ ...args, command: `${String(args["command"])} made` }), { priority: 900 })],
			approver: { ask: async ({ value }) => (asked.push(value), { approved: true, by: "person" }) },
		});
		await agent.submit(callTerminal("touch"));
		assert.ok(existsSync(join(agent.work, "made")));
		assert.deepEqual([seen, asked], [[{ command: "touch made" }], [{ command: "touch made" }]]);
		assert.deepEqual((await agent.heard("tool.called"))[0]?.args, { command: "touch made" });
		const [requested] = await agent.heard("approval.requested");
		const [resolved] = await agent.heard("approval.resolved");
		assert.deepEqual([requested?.args, requested?.toolName, resolved?.approved, resolved?.digest], [{ command: "touch made" }, "terminal", true, requested?.digest]);
	});

	test("nobody answers in time: it does not run, and the model is told so", async () => {
		await using agent = await open({ config: "approvals: {timeout: 1}", hooks: [guard("tool.calling", () => ({ kind: "ask", reason: "Sure?" }))], approver: { ask: () => new Promise(() => {}) } });
		await agent.submit(callTerminal("touch made"));
		assert.match(agent.results[0] ?? "", /Sure\?.*nobody answered within 1 s/);
		assert.ok(!existsSync(join(agent.work, "made")));
	});

	test("the hooks of a batch run in the order of the calls, then the tools together", async () => {
		const order: string[] = [];
		await using agent = await open({ hooks: [guard("tool.calling", async ({ args }) => void order.push(String(args["command"])))] });
		const began = performance.now();
		await agent.submit('CALL terminal {"command":"sleep 0.5; echo a"}\nCALL terminal {"command":"sleep 0.5; echo b"}\nCALL terminal {"command":"sleep 0.5; echo c"}');
		assert.deepEqual(order, ["sleep 0.5; echo a", "sleep 0.5; echo b", "sleep 0.5; echo c"]);
		assert.deepEqual(agent.results, ["a", "b", "c"]);
		const took = (await agent.heard("tool.called")).reduce((sum, { durationMs }) => sum + durationMs, 0);
		assert.ok(performance.now() - began < took, "they overlapped");
	});

	test("one blocked call of a batch does not stop the others", async () => {
		await using agent = await open({ hooks: [guard("tool.calling", ({ args }) => (String(args["command"]).includes("1") ? block("Not this one.") : undefined))] });
		await agent.submit('PAR 3 terminal {"command":"echo $i"}');
		assert.deepEqual(agent.results, ["0", "[Blocked by test#1] Not this one.", "2"]);
		assert.deepEqual((await agent.heard("tool.called")).map(({ status, blockedBy }) => [status, blockedBy]), [["ok", undefined], ["blocked", "test#1"], ["ok", undefined]]);
	});

	test("a closed guard that hangs blocks at its time-out and is named; an open one lets it pass and is named in the trace", async () => {
		await using agent = await open({
			hooks: [guard("tool.calling", ({ args }) => (args["command"] === "touch closed" ? new Promise(() => {}) : undefined), { name: "closed", timeoutMs: 50 }), guard("tool.calling", ({ args }) => (args["command"] === "touch open" ? new Promise(() => {}) : undefined), { name: "open", timeoutMs: 50, onError: "open" })],
		});
		await agent.submit(callTerminal("touch closed"));
		assert.match(agent.results[0] ?? "", /^\[Blocked by test\/closed\] Hook test\/closed failed \(timed-out\)/);
		assert.ok(!existsSync(join(agent.work, "closed")));
		await agent.submit(callTerminal("touch open"));
		assert.ok(existsSync(join(agent.work, "open")));
		const record = agent.runtime.engine.recent().filter(({ event }) => event === "tool.calling").at(-1);
		assert.equal(record?.outcome, "go");
		assert.deepEqual(record?.hooks.filter(({ failure }) => failure !== undefined).map(({ hook, failure }) => [hook, failure]), [["test/open", "timed-out"]]);
	});
});

describe("the end of a turn", { concurrency: 4 }, () => {
	test("turn.ending makes the turn go on, three times at most", async () => {
		const seen: number[] = [];
		await using agent = await open({ hooks: [transform("turn.ending", ({ continuations }) => (seen.push(continuations), inject("Run the tests first.")))] });
		const result = await agent.submit("hello");
		assert.equal(result.completed, true);
		assert.deepEqual(seen, [0, 1, 2, 3]);
		assert.deepEqual(agent.sent.map(({ purpose }) => purpose), ["interim", "interim", "interim", "answer"]);
		assert.equal((await agent.heard("turn.ended"))[0]?.steps, 4);
	});

	test("turn.answering changes what the person gets and what the conversation keeps", async () => {
		await using agent = await open({ hooks: [transform("turn.answering", ({ text }) => rewrite(text.replace("hunter2", "•••")))] });
		assert.equal((await agent.submit("SAY it is hunter2")).text, "it is •••");
		assert.equal(agent.messages.at(-1)?.text, "it is •••");
		assert.deepEqual(agent.deltas, [], "nothing is shown before the hook has seen all of it");
	});

	test("message.sending rewrites, and withholds with a word to the person; on every path", async () => {
		await using agent = await open({ hooks: [transform("message.sending", ({ text }) => rewrite(text.replaceAll("a", "4")), { priority: 1 }), guard("message.sending", ({ text }) => (text.includes("hunter2") ? block("It held a password.") : undefined))] });
		assert.equal((await agent.submit("SAY banana")).text, "b4n4n4");
		assert.equal((await agent.submit("SAY it is hunter2")).text, "[This message was withheld: It held a password.]");
		assert.match((await agent.submit("/help")).text, /st4rt 4 fresh session/);
		assert.equal((await agent.heard("message.sent")).length, 3);
		assert.deepEqual(agent.deltas, []);
	});
});

describe("commands and sessions", { concurrency: 4 }, () => {
	test("command.running rewrites, answers and blocks", async () => {
		await using agent = await open({
			hooks: [transform("command.running", ({ name }) => (name === "hilfe" ? rewrite({ name: "help" }) : name === "ping" ? respond("pong") : undefined)), guard("command.running", ({ name }) => (name === "quit" ? block("Stay a while.") : undefined))],
		});
		assert.match((await agent.submit("/hilfe")).text, /^\/help/);
		assert.equal((await agent.submit("/ping")).text, "pong");
		assert.deepEqual([(await agent.submit("/quit")).error, agent.conversation.over], ["Stay a while.", false]);
		assert.deepEqual((await agent.heard("command.ran")).map(({ name, status }) => [name, status]), [["help", "ok"], ["ping", "ok"], ["quit", "blocked"]]);
	});

	test("session.switching refuses a new session, and the old one stays", async () => {
		await using agent = await open({ hooks: [guard("session.switching", () => block("Finish this first."))] });
		const before = agent.conversation.session.id;
		assert.equal((await agent.submit("/new")).error, "The session stays: Finish this first.");
		assert.equal(agent.conversation.session.id, before);
		assert.equal((await agent.submit("SAY on")).text, "on");
	});

	test("session.switching refuses to continue a session", async () => {
		await using first = await open();
		await first.submit("SAY hi");
		await first.conversation.close("finished");
		await assert.rejects(open({ home: first.home, resume: true, hooks: [guard("session.switching", ({ to }) => block(`No ${to}.`))] }), (error) => error instanceof SwitchRefused && /^Session \S+ was not resumed: No resume\.$/.test(error.message));
	});

	test("/new ends one session and begins another, and says so to observers", async () => {
		await using agent = await open();
		const before = agent.conversation.session.id;
		await agent.submit("SAY hi");
		await agent.submit("/new");
		assert.notEqual(agent.conversation.session.id, before);
		assert.deepEqual((await agent.heard("session.ended")).map(({ sessionId, reason, turns }) => [sessionId, reason, turns]), [[before, "reset", 1]]);
		assert.equal((await agent.heard("session.reset"))[0]?.previousSessionId, before);
		assert.equal((await agent.heard("session.started")).length, 2);
	});
});
