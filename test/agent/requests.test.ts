// What code of an extension asks of the agent: on the same road as everything else, bounded, and ended with the program.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OpenSessions } from "../../src/agent/open-sessions.ts";
import type { Approver } from "../../src/agent/surface.ts";
import { agentRequests } from "../../src/agent/requests.ts";
import { block, inject, rewrite } from "../../src/events/decision.ts";
import type { AgentRequests, Asker } from "../../src/events/requests.ts";
import { guard, observe, transform } from "../engine.ts";
import { callTerminal, type Opened, open, type OpenOptions } from "./open.ts";

class Asked implements AsyncDisposable {
	readonly agent: Opened;
	readonly sessions = new OpenSessions();
	readonly requests: AgentRequests & AsyncDisposable;
	readonly from: Asker;

	constructor(agent: Opened) {
		this.agent = agent;
		const { session } = agent.conversation;
		this.sessions.enter(session);
		this.sessions.attach(agent.conversation);
		this.requests = agentRequests({ agent: () => agent.runtime.agent(), place: agent.runtime.place, open: this.sessions });
		this.from = { extension: "helper", sessionId: session.id };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.requests[Symbol.asyncDispose]();
		await this.agent[Symbol.asyncDispose]();
	}
}

const ask = async (options?: OpenOptions): Promise<Asked> => new Asked(await open(options));

describe("a tool that an extension calls", { concurrency: 4 }, () => {
	test("is changed, judged and observed like the model's own, and stays out of the conversation", async () => {
		const hooks = [
			transform("tool.calling", ({ args }) => rewrite({ ...args, command: `${String(args["command"])} two` })),
			guard("tool.calling", ({ args }) => (String(args["command"]).includes("rm") ? block("No.") : undefined)),
			transform("tool.returning", ({ result }) => rewrite({ ...result, text: result.text.toUpperCase() })),
		];
		await using asked = await ask({ hooks });
		const { requests, from, agent } = asked;
		const { text } = await requests.callTool(from, "terminal", { command: "echo one" });
		assert.match(text, /ONE TWO/);
		assert.deepEqual(await requests.callTool(from, "terminal", { command: "rm" }), { text: "[BLOCKED BY TEST#2] NO.", isError: true, details: { blockedBy: "test#2" } });
		assert.match((await requests.callTool(from, "terminl", {})).text, /THERE IS NO TOOL 'TERMINL'\. DID YOU MEAN 'TERMINAL'\?/);
		assert.deepEqual(agent.messages, []);
		assert.deepEqual((await agent.heard("tool.called")).map(({ status, sessionId }) => [status, sessionId === from.sessionId]), [["ok", true], ["blocked", true], ["error", true]]);
	});

	test("needs no open conversation, and leaves none behind", async () => {
		await using asked = await ask();
		const { requests, sessions, agent } = asked;
		sessions.leave(agent.conversation.session);
		sessions.detach(agent.conversation);
		assert.match((await requests.callTool({ extension: "helper" }, "terminal", { command: "echo here" })).text, /here/);
		assert.deepEqual(agent.runtime.store.sessions.list(), []);
	});

	test("in the hook that the call asks, again and again, comes to an end that names the extension", async () => {
		const held: { asked?: Asked } = {};
		let calls = 0;
		const endings: string[] = [];
		const hook = guard("tool.calling", async () => {
			calls++;
			await Promise.resolve();
			await held.asked!.requests.callTool(held.asked!.from, "terminal", { command: "true" }).catch((error: Error) => endings.push(error.message));
			return undefined;
		});
		await using one = await ask({ hooks: [hook] });
		held.asked = one;
		await one.agent.submit(callTerminal("true"));
		assert.equal(calls, 9);
		assert.deepEqual(endings, ["helper asked for the tool terminal, which was not done: extensions ask for such things from inside each other, 8 levels deep."]);
	});

	test("is over when who asked for it stops it, and when Hookline closes", async () => {
		await using asked = await ask();
		const { requests, from } = asked;
		const stop = new AbortController();
		const running = requests.callTool({ ...from, signal: stop.signal }, "terminal", { command: "sleep 60" });
		stop.abort(new Error("enough"));
		assert.equal((await running).isError, true);
		const other = requests.callTool(from, "terminal", { command: "sleep 60" });
		await requests[Symbol.asyncDispose]();
		assert.equal((await other).isError, true);
		await assert.rejects(requests.callTool(from, "terminal", { command: "true" }), { message: "helper asked for the tool terminal, which was not done: Hookline is closing." });
	});
});

describe("a text that an extension says", { concurrency: 4 }, () => {
	test("joins the turn under way, marked as its own", async () => {
		const held: { asked?: Asked } = {};
		const said: unknown[] = [];
		const hook = guard("tool.calling", async () => void said.push(await held.asked!.requests.say(held.asked!.from, "By the way.")));
		await using one = await ask({ hooks: [hook] });
		held.asked = one;
		await one.agent.submit(callTerminal("true"));
		assert.deepEqual(said, ["steered"]);
		assert.equal(one.agent.messages.find(({ role, text }) => role === "user" && text.includes("By the way"))?.text, '<context source="helper">\nBy the way.\n</context>');
	});

	test("is shown to the hooks of input first", async () => {
		const held: { asked?: Asked } = {};
		const origins: string[] = [];
		const said: unknown[] = [];
		const hooks = [
			transform("input.receiving", ({ text, origin }) => {
				origins.push(origin);
				if (origin !== "extension") return undefined;
				return text.includes("worst") ? block("No.") : rewrite(text.replace("bad", "good"));
			}),
			guard("tool.calling", async () => void said.push(await held.asked!.requests.say(held.asked!.from, "a bad idea"), await held.asked!.requests.say(held.asked!.from, "the worst"))),
		];
		await using one = await ask({ hooks });
		held.asked = one;
		await one.agent.submit(callTerminal("true"));
		assert.deepEqual([origins, said], [["typed", "extension", "extension"], ["steered", false]]);
		assert.ok(one.agent.messages.some(({ text }) => text.includes("a good idea")));
	});

	test("begins a turn where the surface can begin one, and is refused where it cannot", async () => {
		await using asked = await ask();
		const { requests, from, sessions, agent } = asked;
		assert.equal(await requests.say(from, "hello"), false);
		const begun: string[] = [];
		sessions.detach(agent.conversation);
		sessions.attach({ session: agent.conversation.session, steer: async () => {}, beginTurn: (text) => begun.push(text) });
		assert.equal(await requests.say({ extension: "helper" }, "hello"), "queued");
		assert.deepEqual(begun, ['<context source="helper">\nhello\n</context>']);
	});
});

describe("a model call of an extension", { concurrency: 4 }, () => {
	test("goes through the hooks of model calls, is counted, and leaves the conversation as it is", async () => {
		const hooks = [transform("model.calling", ({ messages }) => (messages.at(-1)?.text === "SEEN river" ? inject("The river is wide.", "user") : undefined))];
		await using asked = await ask({ hooks });
		const { requests, from, agent } = asked;
		const { text, model, usage } = await requests.complete(from, { messages: [{ role: "user", text: "SAY fine" }] });
		assert.deepEqual([text, model], ["fine", "rehearsal"]);
		assert.ok(usage.outputTokens! > 0);
		assert.equal((await requests.complete(from, { messages: [{ role: "user", text: "SAY it\nmore" }, { role: "assistant", text: "it" }, { role: "user", text: "SAY two" }] })).text, "two");
		assert.deepEqual([agent.messages, agent.sent, agent.deltas], [[], [], []]);
		assert.deepEqual((await agent.heard("model.called")).map(({ sessionId }) => sessionId), [from.sessionId, from.sessionId]);
	});

	test("that a hook refuses is refused with its reason, and one of a model that there is not names those that there are", async () => {
		await using asked = await ask({ hooks: [guard("model.calling", () => block("Not today."))] });
		const { requests, from } = asked;
		await assert.rejects(requests.complete(from, { messages: [{ role: "user", text: "SAY fine" }] }), { message: "The model was not called: Not today." });
		await assert.rejects(requests.complete(from, { messages: [{ role: "user", text: "x" }], model: "anthropi:x" }), { message: /There is no model provider 'anthropi'\. Did you mean 'anthropic'\?/ });
		await assert.rejects(requests.complete(from, { messages: [] }), { message: "There is no message to complete." });
	});
});

describe("a conversation that an extension has", { concurrency: 4 }, () => {
	test("is a session of its own that names its parent, with all hooks, and nobody hears or is asked", async () => {
		const seen: string[] = [];
		const hooks = [
			transform("input.receiving", ({ text, origin }) => (origin === "extension" ? rewrite(`${text}\nSAY never`) : undefined)),
			observe("turn.ended", ({ surface, parentSessionId, text }) => void seen.push(`${surface} ${parentSessionId !== undefined} ${text}`)),
		];
		let questions = 0;
		const approver: Approver = {
			async ask() {
				questions++;
				return { approved: true, by: "person" };
			},
		};
		await using asked = await ask({ hooks, approver });
		const { requests, from, agent } = asked;
		const made = await requests.converse(from, { text: callTerminal("rm -rf /projects/one") });
		assert.deepEqual([made.completed, made.interrupted, made.text, made.steps], [true, false, "DONE", 2]);
		assert.match(made.messages.find(({ role }) => role === "tool")!.text, /nobody is there to give it/);
		assert.equal(questions, 0);
		assert.deepEqual([agent.messages, agent.sent], [[], []]);
		await agent.runtime.engine.idle();
		assert.deepEqual(seen, ["run true DONE"]);
		assert.equal(agent.runtime.store.sessions.get(made.sessionId)?.parentId, from.sessionId);
		assert.deepEqual((await agent.heard("session.ended")).map(({ sessionId, reason }) => [sessionId === made.sessionId, reason]), [[true, "finished"]]);
	});

	test("has the system prompt, the tools, the history, the steps and the surface that it is given", async () => {
		await using asked = await ask();
		const { requests, from } = asked;
		const own = { ...from, sessionId: undefined };
		assert.equal((await requests.converse(own, { text: "SYSTEM Be a pirate.", system: { text: "Be a pirate.", replaces: false } })).text, "YES");
		assert.equal((await requests.converse(own, { text: "SYSTEM You are Hookline", system: { text: "Be a pirate.", replaces: true } })).text, "NO");
		assert.equal((await requests.converse(own, { text: "TOOLS", tools: ["read_file"] })).text, "read_file");
		await assert.rejects(requests.converse(own, { text: "TOOLS", tools: ["read_fil"] }), { message: /^There is no tool 'read_fil'\. Did you mean 'read_file'\? The tools are / });
		const history = [{ role: "user", text: "the river" }, { role: "assistant", text: "is wide" }] as const;
		const made = await requests.converse(own, { text: "SEEN river", history, surface: "cron" });
		assert.equal(made.text, "1");
		assert.equal(asked.agent.runtime.store.sessions.get(made.sessionId)?.surface, "cron");
		const { error, completed } = await requests.converse(own, { text: 'LOOP 9 terminal {"command":"true"}', maxSteps: 2 });
		assert.match(error ?? "", /ended after 2 steps/);
		assert.equal(completed, false);
	});

	test("goes on with a session that was left, and not with one that is open", async () => {
		await using asked = await ask();
		const { requests, from, agent } = asked;
		const own = { extension: "helper" };
		const { sessionId } = await requests.converse(own, { text: "SAY the river" });
		const { text, sessionId: again } = await requests.converse(own, { text: "SEEN river", sessionId });
		assert.deepEqual([text, again], ["2", sessionId]);
		await assert.rejects(requests.converse(own, { text: "hello", sessionId: from.sessionId }), { message: `Session ${from.sessionId} is open in a conversation now, and only that can go on with it.` });
		await assert.rejects(requests.converse(own, { text: "hello", sessionId: "20200101-000000-abcd" }), { message: /^There is no session '20200101-000000-abcd'/ });
		assert.equal(agent.messages.length, 0);
	});

	test("several run at the same time, and all are over when Hookline closes", async () => {
		await using asked = await ask();
		const { requests } = asked;
		const both = [1, 2].map(() => requests.converse({ extension: "helper" }, { text: `SLOW 20000 ${"word ".repeat(100)}` }));
		await requests[Symbol.asyncDispose]();
		for (const { interrupted, completed } of await Promise.all(both)) assert.deepEqual([interrupted, completed], [true, false]);
	});
});

test("what an extension chooses of the tools counts for the session", async () => {
	await using asked = await ask();
	const { requests, from, agent } = asked;
	await requests.setActiveTools(from, ["read_file", "terminal"]);
	await agent.submit("TOOLS");
	assert.equal(agent.sent.at(-1)?.text, "terminal,read_file");
	const { all, active } = await requests.tools(from);
	assert.ok(all.length > active.length);
	await assert.rejects(requests.setActiveTools(from, ["red_file"]), { message: /^There is no tool 'red_file'\. Did you mean 'read_file'\?/ });
	assert.deepEqual(await requests.model(from), { name: "rehearsal", provider: "rehearsal", model: "rehearsal" });
});
