// A conversation that moves between sessions: what the commands do, what hooks are told of it and can refuse.
import assert from "node:assert/strict";
import { test } from "node:test";
import { block } from "../../src/events/decision.ts";
import { guard } from "../engine.ts";
import { callTerminal, open } from "./open.ts";

const guardSwitching = (refused: string) => guard("session.switching", ({ to }) => (to === refused ? block(`No ${refused}.`) : undefined));

test("/fork goes on in a copy of the session; the first one stays as it was and can be taken up again", async () => {
	await using agent = await open();
	await agent.submit("SAY heron");
	const { id } = agent.conversation.session;
	await agent.submit("/fork");
	const fork = agent.conversation.session.id;
	assert.notEqual(fork, id);
	await agent.submit("SAY stork");
	const { sessions } = agent.runtime.store;
	assert.deepEqual(sessions.messages(id).map(({ text }) => text), ["SAY heron", "heron"]);
	assert.deepEqual(sessions.messages(fork).map(({ text }) => text), ["SAY heron", "heron", "SAY stork", "stork"]);
	assert.match((await agent.submit(`/resume ${id}`)).text, new RegExp(`^Session ${id}, with 2 messages\\.$`));
	const switched = (await agent.heard("session.switched")).map(({ to, sessionId, previousSessionId, targetSessionId }) => [to, sessionId, previousSessionId, targetSessionId]);
	assert.deepEqual(switched, [["fork", fork, id, fork], ["resume", id, fork, id]]);
	assert.deepEqual((await agent.heard("session.ended")).map(({ sessionId, reason }) => [sessionId, reason]), [[id, "switched"], [fork, "switched"]]);
	assert.deepEqual((await agent.heard("session.started")).map(({ sessionId, resumed }) => [sessionId, resumed]), [[id, false], [fork, true], [id, true]]);
});

test("/fork N takes the first N messages, and refuses to cut a call off from its result", async () => {
	await using agent = await open();
	await agent.submit("SAY heron");
	await agent.submit(callTerminal("echo stork"));
	const { id } = agent.conversation.session;
	assert.match((await agent.submit("/fork 4")).error ?? "", /^Message 4 of session \S+ stands between a tool call and its results\. Fork at 3 or 5\.$/);
	assert.match((await agent.submit("/fork 99")).error ?? "", /^Session \S+ has messages 1 to 6; it cannot be forked at 99\.$/);
	assert.match((await agent.submit("/fork two")).error ?? "", /^\/fork takes the number of a message, not 'two'\./);
	assert.equal(agent.conversation.session.id, id);
	await agent.submit("/fork 2");
	assert.deepEqual(agent.messages.map(({ text }) => text), ["SAY heron", "heron"]);
});

test("session.switching refuses a fork, and no copy is made", async () => {
	await using agent = await open({ hooks: [guardSwitching("fork")] });
	await agent.submit("SAY heron");
	const { id } = agent.conversation.session;
	assert.equal((await agent.submit("/fork")).error, "The session stays: No fork.");
	assert.deepEqual([agent.conversation.session.id, agent.runtime.store.sessions.list().length], [id, 1]);
});

test("session.switching refuses to take another session up, and hears which one", async () => {
	const targets: unknown[] = [];
	const watch = guard("session.switching", ({ targetSessionId }) => void targets.push(targetSessionId));
	await using agent = await open({ hooks: [guardSwitching("resume"), watch] });
	await agent.submit("SAY heron");
	const { id } = agent.conversation.session;
	await agent.submit("/new");
	assert.equal((await agent.submit(`/resume ${id}`)).error, "The session stays: No resume.");
	assert.notEqual(agent.conversation.session.id, id);
	assert.deepEqual(targets, [undefined, id]);
});

test("/resume stays where it is when the other session is unknown, in use, or this one", async () => {
	await using agent = await open();
	await agent.submit("SAY heron");
	const { id } = agent.conversation.session;
	await agent.submit("/new");
	const lease = agent.runtime.store.leases.acquire(id);
	assert.match((await agent.submit(`/resume ${id}`)).error ?? "", /^Session \S+ is in use by process \d+/);
	assert.equal((await agent.heard("session.ended")).length, 1, "only the first one, by /new");
	lease.release();
	assert.match((await agent.submit(`/resume ${id.slice(0, -1)}`)).text, /^Session/, "the beginning of an id is enough");
	assert.match((await agent.submit("/resume")).error ?? "", /is this one\.$/);
	assert.match((await agent.submit("/resume nonsense")).error ?? "", /^There is no session 'nonsense'\. \/sessions lists the last ones\.$/);
	assert.equal((await agent.submit("SEEN heron")).text, "2");
});

test("/name is kept, also when it is given before anything was said, and /sessions shows it", async () => {
	await using agent = await open();
	assert.match((await agent.submit("/name")).error ?? "", /^Write the name behind it/);
	await agent.submit("/name the herons");
	assert.equal((await agent.submit("/sessions")).text, "No session is kept yet.");
	await agent.submit("SAY hi");
	const { id } = agent.conversation.session;
	assert.equal((await agent.submit("/sessions")).text, `${id}  2 messages  the herons  (this one)`);
	await agent.submit("/name the storks");
	assert.equal(agent.runtime.store.sessions.get(id)?.name, "the storks");
});

test("/undo-last takes the last message and its answer back, for the model and in the store", async () => {
	await using agent = await open();
	assert.match((await agent.submit("/undo-last")).error ?? "", /^Nothing was said yet/);
	await agent.submit("SAY heron");
	await agent.submit(callTerminal("echo stork"));
	assert.equal((await agent.submit("/undo-last")).text, `Taken back: ${callTerminal("echo stork")}\nWhat tools did stays done.`);
	const { id } = agent.conversation.session;
	assert.deepEqual(agent.messages.map(({ text }) => text), ["SAY heron", "heron"]);
	assert.deepEqual(agent.runtime.store.sessions.messages(id), agent.messages);
	assert.equal((await agent.submit("SEEN stork")).text, "0");
});
