// Making room: what the model is sent afterwards, what stays in the transcript, and what hooks can do about it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { block, rewrite } from "../../src/events/decision.ts";
import type { Message } from "../../src/events/payloads/model.ts";
import { guard, transform } from "../engine.ts";
import { callTerminal, open } from "./open.ts";

const summaryOf = (messages: readonly Message[]): string | undefined => messages.find((message) => message.role === "user" && message.summarises !== undefined)?.text;

describe("compaction", { concurrency: 4 }, () => {
	test("the model is sent a summary in place of what came before; the transcript keeps it all", async () => {
		await using agent = await open();
		await agent.submit("SAY the zebra is white");
		assert.equal((await agent.submit("/compact")).text, "2 messages became 1; the transcript keeps them all.");
		assert.equal((await agent.submit("SEEN zebra")).text, "0");
		assert.equal(agent.messages[0]?.text, "SAY the zebra is white");
		assert.match(summaryOf(agent.messages)!, /^<summary of="the conversation so far">\nECHO: Summarise this conversation/);
		const [compacted] = await agent.heard("session.compacted");
		assert.deepEqual([compacted?.before, compacted?.after], [2, 1]);
		assert.deepEqual(agent.deltas.join("").includes("Summarise"), false, "nobody watches it being written");
	});

	test("there is nothing to summarise in a conversation that has not begun", async () => {
		await using agent = await open();
		assert.equal((await agent.submit("/compact")).text, "There is nothing to summarise yet.");
	});

	test("a hook gives the summary, or changes what the model is asked for one", async () => {
		const give = transform("session.compacting", ({ messages, why }) => (why === "asked" ? rewrite({ summary: `${messages.length} messages about a zebra` }) : undefined));
		await using agent = await open({ hooks: [give] });
		await agent.submit("SAY one");
		await agent.submit("/compact");
		assert.match(summaryOf(agent.messages)!, /\n2 messages about a zebra\n/);
		assert.equal((await agent.heard("model.called")).length, 1, "the model is not asked for it");
		assert.equal((await agent.submit("SEEN zebra")).text, "1");

		const ask = transform("session.compacting", ({ instructions }) => rewrite({ instructions: `${instructions} In verse.` }));
		await using other = await open({ hooks: [ask] });
		await other.submit("SAY one");
		await other.submit("/compact and mind the names");
		assert.match(summaryOf(other.messages)!, /mind the names In verse\.\n/);
	});

	test("a hook refuses it, also by refusing the model call it takes; the conversation stays", async () => {
		for (const hook of [guard("session.compacting", () => block("Not now.")), guard("model.calling", (call) => (call.toolNames.length === 0 ? block("Not now.") : undefined))]) {
			await using agent = await open({ hooks: [hook] });
			await agent.submit("SAY one");
			assert.equal((await agent.submit("/compact")).text, "Not now.");
			assert.deepEqual([summaryOf(agent.messages), (await agent.heard("session.compacted")).length], [undefined, 0]);
		}
	});

	test("a summary that fails or is empty leaves the conversation as it is", async () => {
		const fails = transform("session.compacting", () => rewrite({ instructions: "HTTP 400 nonsense" }));
		const empty = transform("session.compacting", () => rewrite({ summary: " " }));
		for (const [hook, why] of [[fails, /could not be summarised: .*nonsense/], [empty, /could not be summarised: the summary is empty/]] as const) {
			await using agent = await open({ hooks: [hook] });
			await agent.submit("SAY one");
			assert.match((await agent.submit("/compact")).text, why);
			assert.equal(summaryOf(agent.messages), undefined);
		}
	});

	test("a window that is nearly full is made room in before the next request, and the person is told", async () => {
		const short = transform("session.compacting", ({ why }) => rewrite({ summary: `short, because ${why}` }));
		await using agent = await open({ hooks: [short], config: "models: { rehearsal: { context_tokens: 3000 } }" });
		for (const word of ["zebra", "river"]) await agent.submit(`SAY ${word} ${"x".repeat(6_000)}`);
		assert.equal(summaryOf(agent.messages), undefined);
		assert.equal((await agent.submit("SEEN river")).text, "0");
		assert.match(summaryOf(agent.messages)!, /short, because full/);
		assert.deepEqual(agent.warnings, ["The conversation was summarised to make room (5 messages became 2)."]);
	});

	test("in the middle of a turn its own messages stay, so that the work goes on", async () => {
		const short = transform("session.compacting", () => rewrite({ summary: "short" }));
		await using agent = await open({ hooks: [short], config: "models: { rehearsal: { context_tokens: 3000 } }" });
		await agent.submit("SAY before");
		const result = await agent.submit(`SEQ\n${callTerminal(`printf %012000d 1`)}\n${callTerminal("echo second")}`);
		assert.deepEqual([result.text, agent.results.length], ["DONE", 2]);
		assert.match(summaryOf(agent.messages)!, /short/);
		const [compacted] = await agent.heard("session.compacted");
		assert.deepEqual([compacted?.before, compacted?.after], [7, 6]);
	});

	test("a session that is resumed begins where its last summary stands", async () => {
		await using agent = await open({ hooks: [transform("session.compacting", () => rewrite({ summary: "a white zebra" }))] });
		await agent.submit("SAY river");
		await agent.submit("/compact");
		await agent.submit("SAY after");
		await agent.conversation.close("finished");
		await using again = await open({ home: agent.home, resume: true });
		assert.equal((await again.submit("SEEN river")).text, "0");
		assert.equal((await again.submit("SEEN zebra")).text, "1");
		assert.equal(again.messages[0]?.text, "SAY river");
	});
});
