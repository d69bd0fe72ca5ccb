// Texts on their way out, with the real engine and a platform that is down now and then.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createEngine } from "../../src/engine/engine.ts";
import type { MessageSent } from "../../src/events/payloads/conversation.ts";
import { Outbox } from "../../src/gateway/outbox.ts";
import { type OutboundText, type Platform, UndeliverableError } from "../../src/gateway/platform.ts";
import { openSqliteSessionEngine } from "../../src/stores/sqlite/session-engine.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { observe } from "../engine.ts";

/** A small platform, down as often as it is told. */
class Flaky implements Platform {
	readonly name = "flaky";
	readonly maxText = 64;
	readonly got: OutboundText[] = [];
	failures = 0;
	refuses = false;

	async start(): Promise<void> {}
	async stop(): Promise<void> {}
	async close(): Promise<void> {}
	async send(text: OutboundText): Promise<void> {
		if (this.refuses) throw new UndeliverableError("the chat is gone");
		if (this.failures-- > 0) throw new Error("503");
		this.got.push(text);
	}
}

const facts = { eventId: "e", at: 0, surface: "gateway", cwd: "/", profile: "default" } as const;

async function open(folder: string, platform: Flaky) {
	const sessions = openSqliteSessionEngine(join(folder, "engine.db"));
	const sent: MessageSent[] = [];
	const warnings: string[] = [];
	const engine = createEngine();
	engine.register([observe("message.sent", (payload) => void sent.push(payload))]);
	const outbox = new Outbox({ engine, sessions, platforms: new Map([[platform.name, platform]]), undelivered: join(folder, "undelivered.jsonl"), warn: (message) => warnings.push(message), pauseMs: () => 1 });
	outbox.start();
	const serving = await sessions.serve(async (turn) => turn.emit("text", { platform: "flaky", chat: { chatId: turn.session }, text: turn.message.body, purpose: "answer", facts }), { concurrency: 4, onProblem: (problem) => warnings.push(problem) });
	let count = 0;
	return {
		sent,
		warnings,
		outbox,
		emit: (chat: string, text: string) => sessions.append(chat, { id: `${process.pid} ${Date.now()} ${count++}`, kind: "say", body: text }),
		async [Symbol.asyncDispose]() {
			await serving.stop();
			await outbox.stop(50);
			await sessions.close();
		},
	};
}

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "hookline-outbox-"));
	try {
		await run(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

test("a platform that is down gets every text in order when it is back, and message.sent is told then", () =>
	inFolder(async (folder) => {
		const platform = new Flaky();
		platform.failures = 5;
		await using opened = await open(folder, platform);
		for (let i = 0; i < 4; i++) await opened.emit("a", `text ${i}`);
		await eventually(() => opened.sent.length === 4, "all are sent");
		assert.deepEqual(platform.got.map(({ text }) => text), ["text 0", "text 1", "text 2", "text 3"]);
		assert.equal(opened.warnings.length, 1, "one line for an outage, not one for each try");
	}));

test("what could not be delivered before the end is delivered after the next start, under the same key", () =>
	inFolder(async (folder) => {
		const down = new Flaky();
		down.failures = Infinity;
		await (async () => {
			await using opened = await open(folder, down);
			await opened.emit("a", "late");
			await eventually(() => opened.warnings.length === 1, "it was tried");
		})();
		const up = new Flaky();
		await using opened = await open(folder, up);
		await eventually(() => opened.sent.length === 1, "it is sent");
		assert.deepEqual(up.got.map(({ text }) => text), ["late"]);
	}));

test("a text that can never be delivered is kept aside with the reason, and holds nothing up", () =>
	inFolder(async (folder) => {
		const platform = new Flaky();
		platform.refuses = true;
		await using opened = await open(folder, platform);
		await opened.emit("a", "to nobody");
		await eventually(() => existsSync(join(folder, "undelivered.jsonl")) && opened.warnings.length === 1, "it is kept aside");
		platform.refuses = false;
		await opened.emit("a", "to somebody");
		await eventually(() => opened.sent.length === 1, "the next one is sent");
		const [kept] = readFileSync(join(folder, "undelivered.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line) as { why: string; text: string });
		assert.deepEqual([kept!.why, kept!.text], ["the chat is gone", "to nobody"]);
	}));

test("a chat that cannot be reached holds up no other", () =>
	inFolder(async (folder) => {
		const platform = new Flaky();
		const send = platform.send.bind(platform);
		platform.send = (text) => (text.chatId === "gone" ? Promise.reject(new Error("503")) : send(text));
		await using opened = await open(folder, platform);
		await opened.emit("gone", "x");
		await opened.emit("a", "y");
		await eventually(() => platform.got.length === 1, "the other chat is served");
	}));

test("a long text goes in pieces, each with a key of its own, and is told once", () =>
	inFolder(async (folder) => {
		const platform = new Flaky();
		await using opened = await open(folder, platform);
		await opened.emit("a", "word ".repeat(30));
		await eventually(() => opened.sent.length === 1, "it is sent");
		assert.ok(platform.got.length > 1);
		assert.equal(new Set(platform.got.map(({ key }) => key)).size, platform.got.length);
		assert.equal(opened.sent[0]!.text, "word ".repeat(30));
	}));
