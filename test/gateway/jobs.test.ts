// Turns that no message began.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "../../src/gateway/job.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { block } from "../../src/events/decision.ts";
import { transform } from "../engine.ts";
import { everybody, OpenedGateway, Square } from "./square.ts";

const job = (text: string, more: Partial<Job> = {}): Job => ({ session: "cron/backup", id: text, text, surface: "cron", to: { platform: "square", chatId: "a", threadId: "7" }, ...more });

test("an answer goes to its chat, [SILENT] and a job without a chat to nobody, and what is begun twice runs once", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square]);
	const { gateway } = opened;
	assert.equal(await gateway.begin(job("SAY done")), "accepted");
	assert.equal(await gateway.begin(job("SAY done")), "duplicate");
	await gateway.begin(job("SAY [SILENT] nothing new"));
	await gateway.begin({ session: "cron/backup", id: "nowhere", text: "SAY to nobody", surface: "cron" });
	await opened.quiet();
	assert.deepEqual(square.seen.map(({ text, threadId, chatId, purpose }) => [text, threadId, chatId, purpose]), [["done", "7", "a", "answer"]]);
	assert.deepEqual((await gateway.runs("cron/backup")).map(({ state, text }) => [state, text]), [["done", "done"], ["done", "[SILENT] nothing new"], ["done", "to nobody"]]);
	assert.deepEqual(await gateway.runs("cron/other"), []);
});

test("one that fails is told, also with [SILENT] in its error, and those behind it run", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square]);
	await opened.gateway.begin(job("HTTP 400 no [SILENT] here"));
	await opened.gateway.begin(job("SAY next"));
	await opened.quiet();
	assert.match(square.texts()[0]!, /^The job backup failed: .*no \[SILENT\] here/);
	assert.equal(square.texts()[1], "next");
	assert.deepEqual((await opened.gateway.runs("cron/backup")).map(({ state }) => state), ["failed", "done"]);
});

test("a command is refused in words: nobody could have typed it", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square]);
	for (const text of ["/new", "/approve x"]) await opened.gateway.begin(job(text));
	await opened.quiet();
	assert.equal(square.texts().length, 2);
	for (const text of square.texts()) assert.match(text, /is for people; a job has nobody who could type it/);
});

test("a job goes on with the conversation of the last one when it is to, and begins a new one otherwise", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square]);
	const { gateway } = opened;
	await gateway.begin(job("SAY remember the heron"));
	await gateway.begin(job("SEEN heron", { id: "2", continues: true }));
	await gateway.begin(job("SEEN heron", { id: "3" }));
	await opened.quiet();
	assert.deepEqual(square.texts().slice(1), ["2", "0"]);
	const [first, second, third] = (await gateway.runs("cron/backup")).map(({ sessionId }) => sessionId);
	assert.ok(first === second && second !== third);
});

test("the last 50 runs are remembered, each with 2,000 characters at most", async () => {
	const square = new Square({ maxText: 10_000 });
	await using opened = await OpenedGateway.open([square], { ...everybody, max_turns: 4 });
	await opened.gateway.begin(job(`SAY ${"x".repeat(3000)}`, { id: "long" }));
	await opened.quiet();
	assert.equal((await opened.gateway.runs("cron/backup"))[0]!.text.length, 2000);
	assert.equal(square.texts()[0]!.length, 3000);
	for (let i = 0; i < 55; i++) await opened.gateway.begin({ session: "cron/backup", id: `${i}`, text: `SAY ${i}`, surface: "cron" });
	await opened.quiet();
	const runs = await opened.gateway.runs("cron/backup");
	assert.deepEqual([runs.length, runs[0]!.text, runs.at(-1)!.text], [50, "5", "54"]);
});

test("what a job says passes message.sending, and so does what is told of it", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square], everybody, [transform("message.sending", ({ text, purpose, chatId }) => (text.includes("secret") ? block(`${purpose} to ${chatId}`) : undefined))]);
	await opened.gateway.begin(job("SAY a secret"));
	await opened.gateway.begin(job("HTTP 400 a secret"));
	await opened.quiet();
	assert.equal(square.texts().length, 2);
	assert.ok(square.texts().every((text) => /^\[This message was withheld: \w+ to a\]$/.test(text)), square.texts().join("\n"));
});

test("one that ran when the gateway ended is told of at the next start, and not run again", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square]);
	await opened.gateway.begin(job("SLOW 1000 a b c d e f g h i j"));
	await eventually(() => opened.runtime.store.sessions.list({ limit: 1 }).length === 1, "it runs");
	await opened.reopen(0);
	await opened.quiet();
	assert.deepEqual(square.texts(), ["The job backup was interrupted: Hookline was ended while it worked on this. What it had done by then stays done, and nothing was repeated."]);
	assert.deepEqual((await opened.gateway.runs("cron/backup")).map(({ state }) => state), ["interrupted"]);
});
