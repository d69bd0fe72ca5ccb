// Who is heard where, how much of it, and what is a conversation of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { observe, transform } from "../engine.ts";
import { everybody, OpenedGateway, Square } from "./square.ts";

const group = { chatType: "group", chatId: "g" } as const;

test("in a group the agent hears what is said to it, and hooks hear the rest", async () => {
	const square = new Square();
	const heard: string[] = [];
	const received: string[] = [];
	await using opened = await OpenedGateway.open([square], everybody, [transform("message.receiving", ({ text }) => void heard.push(text)), observe("message.received", ({ text }) => void received.push(text))]);
	assert.deepEqual(await square.say("SAY among ourselves", group), { kind: "ignored" });
	assert.deepEqual(await square.ask("SAY to you", { ...group, toAgent: true }), ["to you"]);
	assert.deepEqual(heard, ["SAY among ourselves", "SAY to you"]);
	assert.deepEqual(received, ["SAY to you"]);
	assert.deepEqual(square.texts("g"), ["to you"]);
	assert.deepEqual(opened.warnings, []);
});

test("with groups: all it hears everything, with off nothing and no hook either", async () => {
	for (const groups of ["all", "off"] as const) {
		const square = new Square();
		const heard: string[] = [];
		await using opened = await OpenedGateway.open([square], { ...everybody, groups }, [transform("message.receiving", ({ text }) => void heard.push(text))]);
		const { kind } = await square.say("SAY hello", { ...group, ...(groups === "off" && { toAgent: true }) });
		assert.equal(kind, groups === "all" ? "accepted" : "ignored");
		assert.equal(heard.length, groups === "all" ? 1 : 0);
		// What is said to it alone is no group's matter.
		assert.deepEqual(await square.ask("SAY alone"), ["alone"]);
		assert.deepEqual(opened.warnings, []);
	}
});

test("a stranger in a group gets no answer and no code, also by a mention", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square], {});
	assert.deepEqual(await square.say("hello", { ...group, toAgent: true }), { kind: "stranger", reason: "This agent does not know you." });
	const alone = await square.say("hello");
	assert.match(alone.kind === "stranger" ? alone.reason : "", /hookline gateway pair [A-Z2-9]{8}/);
	await opened.quiet();
	await eventually(() => square.seen.length === 1, "the code is told");
	assert.deepEqual(square.texts("g"), []);
});

test("a conversation is a thread's, a chat's or a person's, as is set", async () => {
	const places = [{ chatId: "a", threadId: "1" }, { chatId: "a", threadId: "2" }, { chatId: "a" }, { chatId: "b" }, { chatId: "b", userId: "8" }];
	for (const [rule, expected] of [["thread", "0 1 2 3 3"], ["chat", "0 0 0 1 1"], ["user", "0 0 0 0 1"]] as const) {
		const square = new Square();
		const sessions: string[] = [];
		await using opened = await OpenedGateway.open([square], { ...everybody, session_per: rule }, [observe("turn.started", ({ sessionId }) => void sessions.push(sessionId!))]);
		for (const place of places) await square.ask("hello", place);
		await opened.quiet();
		const different = [...new Set(sessions)];
		assert.equal(sessions.map((session) => different.indexOf(session)).join(" "), expected, rule);
		assert.deepEqual(square.seen.map(({ chatId, threadId }) => threadId ?? chatId), ["1", "2", "a", "b", "b"], "each is answered where it was said");
	}
});

test("whoever says too much is told once, and what they said is not taken; an owner has no limit", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square], { access: { users: ["square:7"], owners: ["square:8"] }, messages_per_minute: 2 });
	for (const text of ["SAY 1", "SAY 2"]) await square.ask(text);
	const third = await square.say("SAY 3");
	assert.equal(third.kind, "too-many");
	assert.ok(third.kind === "too-many" && third.retryAfterMs > 50_000 && third.retryAfterMs <= 60_000);
	assert.equal((await square.say("SAY 4")).kind, "too-many");
	for (let i = 0; i < 5; i++) assert.equal((await square.say(`SAY ${i}`, { userId: "8", chatId: "b" })).kind, "accepted");
	await opened.quiet();
	await eventually(() => square.texts().length === 3, "they are told");
	assert.match(square.texts()[2]!, /more than 2 messages in a minute\. Wait \d+ s, then say it again: it was not taken\./);
	assert.equal(square.texts("b").length, 5);
});

test("a message that could not be kept and comes again counts once", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square], { ...everybody, messages_per_minute: 1 });
	const first = await square.ask("SAY 1", { messageId: "x" });
	for (let i = 0; i < 3; i++) assert.deepEqual(await square.say("SAY 1", { messageId: "x" }), { kind: "duplicate" });
	assert.deepEqual(first, ["1"]);
	assert.equal((await square.say("SAY 2")).kind, "too-many");
	assert.deepEqual(opened.warnings, []);
});

test("a stranger is answered three times a minute at most", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square], {});
	for (let i = 0; i < 6; i++) assert.equal((await square.say("let me in", { messageId: "the same" })).kind, "stranger");
	await eventually(() => square.seen.length === 3, "three answers");
	assert.equal(new Set(square.texts()).size, 1, "it is one code");
	assert.deepEqual(opened.warnings, []);
});
