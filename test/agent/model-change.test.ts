// `/model`: another model in the middle of a conversation, and what a session remembers of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { guard } from "../engine.ts";
import { type ModelServer, startModelServer } from "../programs/model-server.ts";
import { type Opened, open } from "./open.ts";

const twoServers = (one: ModelServer, other: ModelServer) => `
model: {provider: openai-compatible, name: one, base_url: '${one.baseUrl}'}
models:
  openai-compatible:other: {base_url: '${other.baseUrl}', context_tokens: 5000, price: {input: 2, output: 8}}
`;
const selected = async (agent: Opened) => (await agent.heard("model.selected")).map(({ model, previous }) => [model, previous]);
const called = async (agent: Opened) => (await agent.heard("model.called")).map(({ model }) => model);
const environment = { HOOKLINE_MODEL: "openai-compatible:one" };

test("/model NAME asks that model from the next step on, in this session and when it is taken up again", async () => {
	await using one = await startModelServer();
	await using other = await startModelServer();
	const config = twoServers(one, other);
	await using agent = await open({ environment, config });
	await agent.submit("SAY hi");
	assert.equal((await agent.submit("/model openai-compatible:other")).text, "The model is now openai-compatible:other: 5000 tokens of context, $2 in and $8 out per million tokens.");
	await agent.submit("SAY again");
	assert.deepEqual([one.requests.length, other.requests.length], [1, 1]);
	assert.deepEqual(await selected(agent), [["openai-compatible:other", "openai-compatible:one"]]);
	await agent.conversation.close("finished");
	await agent.runtime[Symbol.asyncDispose]();
	await using resumed = await open({ environment, config, home: agent.home, resume: true });
	assert.equal(resumed.conversation.parts.model.name, "openai-compatible:other");
	assert.deepEqual((await resumed.heard("session.started")).map(({ model }) => model), ["openai-compatible:other"]);
	assert.deepEqual(await selected(resumed), []);
});

test("--model comes before what the session remembers, and that is told", async () => {
	await using agent = await open();
	await agent.submit("SAY hi");
	await agent.conversation.close("finished");
	await agent.runtime[Symbol.asyncDispose]();
	await using resumed = await open({ model: "openai-compatible:x", baseUrl: "http://127.0.0.1:1/v1", home: agent.home, resume: true });
	assert.deepEqual(await selected(resumed), [["openai-compatible:x", "rehearsal"]]);
});

test("a session whose model cannot be had any more goes on with the one there is, and says so", async () => {
	await using agent = await open({ environment: { HOOKLINE_MODEL: "openai:gpt-5", OPENAI_API_KEY: "k" } });
	await agent.submit("/model rehearsal");
	await agent.submit("SAY hi");
	await agent.submit("/model openai:gpt-5");
	await agent.conversation.close("finished");
	await agent.runtime[Symbol.asyncDispose]();
	await using resumed = await open({ environment: { HOOKLINE_MODEL: "rehearsal" }, home: agent.home, resume: true });
	assert.match(resumed.warnings.join("\n"), /^Session \S+ was led with openai:gpt-5, which cannot be had now; it goes on with rehearsal\. openai:gpt-5 needs an API key\./);
	assert.deepEqual(await selected(resumed), [["rehearsal", "openai:gpt-5"]]);
	assert.equal((await resumed.submit("SAY on")).text, "on");
});

test("while a turn runs the other model is asked at its next step", async () => {
	await using one = await startModelServer();
	await using other = await startModelServer();
	await using agent = await open({ environment, config: twoServers(one, other) });
	let steps = 0;
	const change = guard("tool.calling", async () => {
		if (++steps === 2) await agent.conversation.steer("/model openai-compatible:other", "typed", new AbortController().signal);
	});
	agent.runtime.engine.register([change]);
	assert.equal((await agent.submit("LOOP 3")).text, "DONE");
	assert.deepEqual(await called(agent), ["one", "one", "other", "other"].map((name) => `openai-compatible:${name}`));
});

test("a model that cannot be had is refused in a sentence, and the one there is stays", async () => {
	await using agent = await open();
	for (const [name, says] of [
		["anthropc:claude-opus-4-5", /^There is no model provider 'anthropc'\. Did you mean 'anthropic'\? The model is still rehearsal\.$/],
		["claude-opus-4-5", /^There is no model provider 'claude-opus-4-5'\..* Did you mean 'anthropic:claude-opus-4-5'\? The model is still rehearsal\.$/],
		["anthropic:claude-opus-4-5", /^anthropic:claude-opus-4-5 needs an API key\. Set ANTHROPIC_API_KEY .* The model is still rehearsal\.$/],
		["openai-compatible:x", /^openai-compatible:x needs the address of its server\..* The model is still rehearsal\.$/],
	] as const) {
		const { completed, error } = await agent.submit(`/model ${name}`);
		assert.equal(completed, false);
		assert.match(error ?? "", says);
	}
	assert.equal((await agent.submit("SAY still here")).text, "still here");
	assert.deepEqual(await selected(agent), []);
});

test("a name that is not known is taken, with the nearest one that is", async () => {
	await using agent = await open({ environment: { HOOKLINE_MODEL: "rehearsal", ANTHROPIC_API_KEY: "k" } });
	assert.match((await agent.submit("/model anthropic:claude-opus-4-55")).text, /^The model is now anthropic:claude-opus-4-55: context size unknown, price unknown\. Hookline knows no model .* Did you mean 'anthropic:claude-opus-4-5'\?$/);
});

test("/model alone says which it is and which can be chosen; what lacks a key is only counted", async () => {
	await using agent = await open({ environment: { HOOKLINE_MODEL: "rehearsal", OPENAI_API_KEY: "k" }, config: "model: {fallbacks: [openai:gpt-5]}" });
	const { text } = await agent.submit("/model");
	assert.match(text, /^The model is rehearsal: offline, free\.\nWhen it fails, these are asked in its place: openai:gpt-5\.\n/);
	assert.match(text, /^ {2}openai:gpt-5 +400000 tokens of context, \$1\.25 in and \$10 out per million tokens$/m);
	assert.doesNotMatch(text, /anthropic:/);
	assert.match(text, /\d+ more need a key or an address: 'hookline models' lists them\.$/);
});

test("/new keeps the model, /resume takes up the other session's", async () => {
	await using one = await startModelServer();
	await using other = await startModelServer();
	await using agent = await open({ environment, config: twoServers(one, other) });
	await agent.submit("SAY hi");
	const { id } = agent.conversation.session;
	await agent.submit("/model openai-compatible:other");
	await agent.submit("/new");
	await agent.submit("SAY hi");
	const { id: second } = agent.conversation.session;
	await agent.submit(`/resume ${id}`);
	const { sessions } = agent.runtime.store;
	assert.deepEqual([id, second].map((one) => sessions.get(one)?.model), ["openai-compatible:other", "openai-compatible:other"]);
	assert.deepEqual((await agent.heard("session.started")).map(({ model }) => model), ["openai-compatible:one", "openai-compatible:other", "openai-compatible:other"]);
});
