// Delegated children: what they give their parent, what bounds them, and that every hook sees them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { block, rewrite } from "../../src/events/decision.ts";
import { guard, transform } from "../engine.ts";
import { callTerminal, open } from "./open.ts";

interface More {
	readonly tools?: readonly string[];
	readonly max_steps?: number;
	readonly timeout_s?: number;
}

const delegate = (goals: readonly (string | { readonly goal: string; readonly context: string })[], more: More = {}): string =>
	`CALL delegate_task ${JSON.stringify({ tasks: goals.map((goal) => (typeof goal === "string" ? { goal } : goal)), ...more })}`;

describe("delegate_task", { concurrency: 4 }, () => {
	test("gives the children's answers in the order of the tasks, also of one that failed", async () => {
		await using agent = await open({ config: "agent: { max_attempts: 1 }" });
		await agent.submit(delegate(["SLOW 20 the slow one", "HTTP 400 nonsense", { goal: "SEEN river", context: "The river is wide." }, "SAY last"]));
		assert.match(agent.results[0]!, /^Task 1 \(completed\): the slow one\n\nTask 2 \(failed\): .*nonsense.*\n\nTask 3 \(completed\): 0\n\nTask 4 \(completed\): last$/);
	});

	test("children work at the same time, in sessions of their own that name their parent", async () => {
		let together = 0;
		let most = 0;
		const meeting = guard("tool.calling", async (call) => {
			if (call.toolName !== "terminal") return undefined;
			most = Math.max(most, ++together);
			await new Promise((resolve) => setImmediate(resolve));
			together--;
			return undefined;
		});
		await using agent = await open({ hooks: [meeting] });
		await agent.submit(delegate([callTerminal("true"), callTerminal("true"), callTerminal("true")]));
		assert.ok(most > 1, `at most ${most} at a time`);
		const parent = agent.conversation.session.id;
		const children = (await agent.heard("session.started")).filter(({ parentSessionId }) => parentSessionId === parent);
		assert.equal(new Set(children.map(({ sessionId }) => sessionId)).size, 3);
		for (const { sessionId } of children) assert.equal(agent.runtime.store.sessions.get(sessionId!)?.parentId, parent);
		assert.equal(agent.runtime.store.sessions.latest()?.id, parent);
	});

	test("a guard stops a child's tool call like its parent's, and knows whose child it is", async () => {
		const seen: (string | undefined)[] = [];
		const hook = guard("tool.calling", (call) => {
			seen.push(call.parentSessionId);
			return call.toolName === "terminal" ? block("No commands.") : undefined;
		});
		await using agent = await open({ hooks: [hook] });
		await agent.submit(delegate([callTerminal("touch made")]));
		assert.deepEqual(seen, [undefined, agent.conversation.session.id]);
		const [called] = await agent.heard("tool.called");
		assert.deepEqual([called?.status, called?.blockedBy], ["blocked", "test#1"]);
	});

	test("what a child says is no message to the person", async () => {
		await using agent = await open({ hooks: [transform("message.sending", ({ text }) => rewrite(`${text}!`))] });
		await agent.submit(delegate(["SAY only for the parent"]));
		assert.deepEqual(agent.sent, [{ text: "DONE!", purpose: "answer" }]);
		assert.match(agent.results[0]!, /only for the parent$/);
	});

	test("subagent.starting changes the goal or refuses the child", async () => {
		const hook = transform("subagent.starting", ({ goal }) => (goal.includes("secret") ? block("Not that.") : rewrite("SAY something else")));
		await using agent = await open({ hooks: [hook] });
		await agent.submit(delegate(["SAY as asked", "tell the secret"]));
		assert.equal(agent.results[0], "Task 1 (completed): something else\n\nTask 2 (blocked): [Blocked by test#1] Not that.");
		const stopped = await agent.heard("subagent.stopped");
		assert.deepEqual(stopped.map(({ goal, status, summary, depth }) => [goal, status, summary, depth]), [["SAY something else", "completed", "something else", 1]]);
	});

	test("children have the tools they were given and no others; an unknown one is named", async () => {
		await using agent = await open();
		await agent.submit(delegate(["TOOLS"], { tools: ["read_file", "terminal"] }));
		await agent.submit(delegate(["TOOLS"], { tools: ["read_fil"] }));
		assert.equal(agent.results[0], "Task 1 (completed): terminal,read_file");
		assert.match(agent.results[1]!, /^There is no tool 'read_fil' to give to a child\. Did you mean 'read_file'\?/);
	});

	test("children of children are the last: those have no children to give work to", async () => {
		await using agent = await open();
		await agent.submit(delegate([delegate(["TOOLS"])]));
		const depths = (await agent.heard("subagent.started")).map(({ depth }) => depth);
		assert.deepEqual(depths, [1, 2]);
		const inner = (await agent.heard("model.called")).find(({ text }) => text.includes("read_file"));
		assert.ok(inner !== undefined && !inner.text.includes("delegate_task"), inner?.text);
	});

	test("a child ends at its limit of steps, and at its limit of time", async () => {
		await using agent = await open();
		await agent.submit(delegate(['LOOP 100 terminal {"command":"true"}'], { max_steps: 2 }));
		await agent.submit(delegate([callTerminal("sleep 60")], { timeout_s: 0.2 }));
		assert.match(agent.results[0]!, /^Task 1 \(failed\): The turn was ended after 2 steps/);
		assert.equal(agent.results[1], "Task 1 (failed): It was not done within 0.2 s and was ended.");
	});

	test("a stop reaches all children at once", async () => {
		const stop = new AbortController();
		let under = 0;
		const both = guard("tool.calling", (call) => {
			if (call.toolName === "terminal" && ++under === 2) setImmediate(() => stop.abort(new Error("stopped")));
			return undefined;
		});
		await using agent = await open({ hooks: [both] });
		const result = await agent.submit(delegate([callTerminal("sleep 60"), callTerminal("sleep 60")]), stop.signal);
		assert.equal(result.interrupted, true);
		assert.deepEqual((await agent.heard("subagent.stopped")).map(({ status }) => status), ["interrupted", "interrupted"]);
	});
});
