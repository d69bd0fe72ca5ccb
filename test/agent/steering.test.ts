// What a person says and does while a turn runs.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runShell } from "../../src/agent/shell.ts";
import { block, respond, rewrite } from "../../src/events/decision.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { guard, transform } from "../engine.ts";
import { callTerminal, open, type Opened } from "./open.ts";

const never = new AbortController().signal;
/** A turn of two steps that waits in its first until the file `go` is there. */
const twoSteps = `SEQ\n${callTerminal("touch begun; until [ -e go ]; do sleep 0.02; done")}\n${callTerminal("touch second")}`;
const begun = (agent: Opened) => eventually(() => existsSync(join(agent.work, "begun")), "the first step has begun");
const go = (agent: Opened) => writeFileSync(join(agent.work, "go"), "");
const said = (agent: Opened) => agent.messages.flatMap(({ role, text }) => (role === "user" ? [text] : []));

test("a text said into a turn joins it at the next step, after the results the model waits for", async () => {
	await using agent = await open();
	const turn = agent.submit(twoSteps);
	await begun(agent);
	assert.equal(await agent.conversation.steer("SAY another way", "typed", never), undefined);
	assert.equal(await agent.conversation.steer("and one more", "typed", never), undefined);
	go(agent);
	assert.equal((await turn).text, "another way\n\nand one more");
	assert.deepEqual(agent.messages.map(({ role }) => role), ["user", "assistant", "tool", "user", "assistant"]);
	assert.ok(!existsSync(join(agent.work, "second")), "the model went the other way");
	assert.equal((await agent.heard("turn.started")).length, 1);
});

test("what is said too late to join becomes a turn of its own", async () => {
	await using agent = await open({ hooks: [transform("turn.answering", async ({ text }) => void (text === "first" && (await agent.conversation.steer("SAY second", "typed", never))))] });
	assert.equal((await agent.submit("SAY first")).text, "second");
	assert.deepEqual(said(agent), ["SAY first", "SAY second"]);
	assert.equal((await agent.heard("turn.started")).length, 2);
});

test("what had not joined a turn that was stopped is given back, once", async () => {
	await using agent = await open();
	const stop = new AbortController();
	const turn = agent.submit(twoSteps, stop.signal);
	await begun(agent);
	await agent.conversation.steer("SAY another way", "typed", never);
	stop.abort(new Error("Stopped by the user."));
	assert.equal((await turn).interrupted, true);
	assert.deepEqual(agent.conversation.takeUnsaid(), ["SAY another way"]);
	assert.deepEqual(agent.conversation.takeUnsaid(), []);
	assert.deepEqual(said(agent), [twoSteps]);
});

test("hooks see what is said into a turn first: they rewrite it, answer it, refuse it", async () => {
	await using agent = await open({
		hooks: [transform("input.receiving", ({ text }) => (text === "why?" ? respond("Because.") : rewrite(text.replace("secret", "****")))), guard("input.receiving", ({ text }) => (text.includes("no") ? block("Not now.") : undefined))],
	});
	const turn = agent.submit(twoSteps);
	await begun(agent);
	assert.equal((await agent.conversation.steer("why?", "typed", never))?.text, "Because.");
	assert.equal((await agent.conversation.steer("no", "typed", never))?.error, "Not now.");
	await agent.conversation.steer("SAY a secret", "typed", never);
	go(agent);
	assert.equal((await turn).text, "a ****");
});

test("of the slash commands only those run in a turn that change nothing under it", async () => {
	await using agent = await open();
	const turn = agent.submit(twoSteps);
	await begun(agent);
	const { id } = agent.conversation.session;
	assert.match((await agent.conversation.steer("/help", "typed", never))!.text, /^\/help /);
	assert.equal((await agent.conversation.steer("/new", "typed", never))?.error, "/new has to wait until this turn is over. Type it again then, or end the turn with /stop.");
	assert.match((await agent.conversation.steer("/nwe", "typed", never))!.error!, /There is no command \/nwe\. Did you mean 'new'\?/);
	go(agent);
	await turn;
	assert.equal(agent.conversation.session.id, id);
});

test("a command of the user's own joins the conversation with its output and its end, unless it is to be kept out", async () => {
	await using agent = await open();
	const seen: string[] = [];
	const options = { stop: never, onOutput: (chunk: Buffer) => void seen.push(chunk.toString()) };
	const first = await runShell(agent.conversation.session, "echo a </shell> b; exit 3", { ...options, kept: true });
	assert.deepEqual(first, { command: "echo a </shell> b; exit 3", result: { ...first.result, isError: true, text: first.result.text } });
	await runShell(agent.conversation.session, "echo other", { ...options, kept: false });
	assert.equal(said(agent).length, 1);
	assert.equal(said(agent)[0], `I ran a command in my shell.\n<shell command="echo a </shell> b; exit 3">\n${first.result.text.replaceAll("</shell>", "<\\/shell>")}\n</shell>`);
	assert.ok(seen.join("").includes("other"));
});
