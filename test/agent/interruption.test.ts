// The user's stop, wherever the turn is: it ends at once, says so, and the conversation can go on.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { HookDefinition } from "../../src/events/registration.ts";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { guard, never, observe, transform, wrap } from "../engine.ts";
import { silence, startModelServer } from "../programs/model-server.ts";
import { callTerminal, open, type Opened, type OpenOptions } from "./open.ts";

/** A signal that the test waits for, and a hook or a tool gives. */
const flag = () => Promise.withResolvers<void>();

/** Stops a turn once `when` has come, and checks that it ends as a stopped turn and that the next one works. */
async function stopped(agent: Opened, prompt: string, when: Promise<unknown>): Promise<void> {
	const stop = new AbortController();
	const turn = agent.submit(prompt, stop.signal);
	await when;
	const began = performance.now();
	stop.abort(new Error("Stopped by the user."));
	const result = await turn;
	assert.ok(performance.now() - began < 5_000, "it stops at once");
	assert.equal(result.interrupted, true);
	assert.equal(result.completed, false);
	const ended = (await agent.heard("turn.ended")).at(-1);
	if (ended !== undefined) assert.deepEqual([ended.interrupted, ended.completed], [true, false]);
	const calls = agent.messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
	const answered = agent.messages.flatMap((message) => (message.role === "tool" ? [message.callId] : []));
	assert.deepEqual(answered, calls.map(({ id }) => id), "every call has a result");
	assert.equal((await agent.submit("SAY on we go")).text, "on we go");
}

describe("the user's stop", { concurrency: 4 }, () => {
	test("in the middle of an answer", async () => {
		const words = flag();
		await using agent = await open({ hooks: [observe("model.streamed", () => words.resolve())] });
		await stopped(agent, `SLOW 20 ${"word ".repeat(2000)}`, words.promise);
		assert.ok(agent.deltas.includes("[discarded]"), "what was shown is void");
	});

	test("while a server has not said a word", async () => {
		await using server = await startModelServer();
		await using agent = await open({ model: "openai-compatible:loopback", baseUrl: server.baseUrl });
		server.next(silence());
		await stopped(agent, "SAY never", server.arrival());
		assert.equal(await server.requests[0]?.over, false, "the request is given up");
	});

	test("in the wait between two tries", async () => {
		const failed = flag();
		await using agent = await open({ config: "agent: {retry_base_ms: 60000}", hooks: [observe("model.failed", () => failed.resolve())] });
		await stopped(agent, "HTTP 503 busy", failed.promise);
		assert.equal((await agent.heard("model.failed")).length, 1);
	});

	test("in a tool: what it started is ended, its call is closed and the calls that waited do not run", async () => {
		await using agent = await open({ config: "agent: {max_parallel_tools: 2}" });
		const pids = join(agent.work, "pids");
		const started = eventually(() => existsSync(pids) && readFileSync(pids, "utf8").trim().split("\n").length === 2, "two tools run");
		await stopped(agent, `PAR 4 terminal {"command":"echo $$ >> pids; sleep 60"}`, started);
		const ids = readFileSync(pids, "utf8").trim().split("\n").map(Number);
		assert.equal(ids.length, 2);
		await eventually(() => ids.every(isDead), "the tools are ended");
		assert.deepEqual(agent.results, Array.from({ length: 4 }, () => "[No result: the user stopped the turn.]"));
	});

	const hanging: readonly (readonly [where: string, hook: (reached: () => void) => HookDefinition, prompt: string])[] = [
		["a guard of a tool call", (reached) => guard("tool.calling", () => (reached(), never())), callTerminal("touch made")],
		["a transform of a tool call", (reached) => transform("tool.calling", () => (reached(), never())), callTerminal("touch made")],
		["a wrapper of a tool call", (reached) => wrap("tool.calling", () => (reached(), never())), callTerminal("touch made")],
		["a hook of the input", (reached) => transform("input.receiving", ({ text }) => (text.startsWith("SAY") ? undefined : (reached(), never()))), callTerminal("touch made")],
		["a hook at the start of the turn", (reached) => transform("turn.starting", ({ text }) => (text.startsWith("SAY") ? undefined : (reached(), never()))), callTerminal("touch made")],
		["a hook before the model", (reached) => transform("model.calling", ({ messages }) => (messages.at(-1)?.text.startsWith("SAY") ? undefined : (reached(), never()))), callTerminal("touch made")],
		["a hook of the request", (reached) => transform("model.requesting", ({ body }) => (JSON.stringify(body).includes("SAY") ? undefined : (reached(), never()))), callTerminal("touch made")],
		["a hook of the result", (reached) => transform("tool.returning", () => (reached(), never())), callTerminal("touch made-before")],
		["a hook of the answer", (reached) => transform("turn.answering", ({ text }) => (text === "on we go" ? undefined : (reached(), never()))), callTerminal("true")],
		["a hook that may make the turn go on", (reached) => transform("turn.ending", ({ text }) => (text === "on we go" ? undefined : (reached(), never()))), callTerminal("true")],
	];
	for (const [where, hookOf, prompt] of hanging) {
		test(`in ${where}: it is not waited for, and what it was asked about does not happen`, async () => {
			const reached = flag();
			await using agent = await open({ hooks: [hookOf(() => reached.resolve())] });
			await stopped(agent, prompt, reached.promise);
			assert.ok(!existsSync(join(agent.work, "made")));
		});
	}

	test("at a question to a person", async () => {
		const asked = flag();
		const options: OpenOptions = { hooks: [guard("tool.calling", () => ({ kind: "ask", reason: "Really?" }))], approver: { ask: () => (asked.resolve(), never()) } };
		await using agent = await open(options);
		await stopped(agent, callTerminal("touch made"), asked.promise);
		assert.ok(!existsSync(join(agent.work, "made")));
		const [resolved] = await agent.heard("approval.resolved");
		assert.deepEqual([resolved?.approved, resolved?.by], [false, "interrupted"]);
	});

	test("before the turn has begun", async () => {
		await using agent = await open();
		const result = await agent.submit(callTerminal("touch made"), AbortSignal.abort(new Error("Stopped by the user.")));
		assert.equal(result.interrupted, true);
		assert.ok(!existsSync(join(agent.work, "made")));
		assert.equal((await agent.submit("SAY on")).text, "on");
	});
});

test("background processes end with their session", async () => {
	const agent = await open();
	await agent.submit('CALL terminal {"command":"echo $$ > pid; exec sleep 60","background":true}');
	const file = join(agent.work, "pid");
	await eventually(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"), "it runs");
	const pid = Number(readFileSync(file, "utf8"));
	assert.ok(!isDead(pid));
	await agent[Symbol.asyncDispose]();
	assert.ok(isDead(pid));
});
