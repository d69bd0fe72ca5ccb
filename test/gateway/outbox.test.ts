// Texts on their way out, with the real engine and a platform that is down now and then.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createEngine } from "../../src/engine/engine.ts";
import type { MessageSent } from "../../src/events/payloads/conversation.ts";
import { Drafts } from "../../src/gateway/drafts.ts";
import { Outbox } from "../../src/gateway/outbox.ts";
import { type OutboundText, type Platform, type Sent, UndeliverableError } from "../../src/gateway/platform.ts";
import { openSqliteSessionEngine } from "../../src/stores/sqlite/session-engine.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { observe } from "../engine.ts";

/** A small platform, down as often as it is told. */
class Flaky implements Platform {
	readonly name: string;
	readonly maxText = 64;
	readonly connected = true;
	readonly got: OutboundText[] = [];
	failures = 0;
	refuses = false;

	constructor(name = "flaky") {
		this.name = name;
	}

	async start(): Promise<void> {}
	async stop(): Promise<void> {}
	async close(): Promise<void> {}
	async send(text: OutboundText): Promise<Sent> {
		if (this.refuses) throw new UndeliverableError("the chat is gone");
		if (this.failures-- > 0) throw new Error("503");
		this.got.push(text);
		return {};
	}
}

const facts = { eventId: "e", at: 0, surface: "gateway", cwd: "/", profile: "default" } as const;

async function open(folder: string, platform: Flaky, ...others: readonly Flaky[]) {
	const sessions = openSqliteSessionEngine(join(folder, "engine.db"));
	const sent: MessageSent[] = [];
	const warnings: string[] = [];
	const engine = createEngine();
	engine.register([observe("message.sent", (payload) => void sent.push(payload))]);
	const outbox = new Outbox({ engine, sessions, platforms: new Map([platform, ...others].map((one) => [one.name, one])), drafts: new Drafts(), undelivered: join(folder, "undelivered.jsonl"), warn: (message) => warnings.push(message), pauseMs: () => 1 });
	outbox.start();
	const serving = await sessions.serve(async (turn) => turn.emit("text", { platform: turn.message.kind, chat: { chatId: turn.session }, text: turn.message.body, purpose: "answer", facts }), { concurrency: 4, onProblem: (problem) => warnings.push(problem) });
	let count = 0;
	return {
		sent,
		warnings,
		outbox,
		emit: (chat: string, text: string, to = platform) => sessions.append(chat, { id: `${process.pid} ${Date.now()} ${count++}`, kind: to.name, body: text }),
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

test("a platform that is down with very many texts holds up no other, and gets all of its own in order when it is back", () =>
	inFolder(async (folder) => {
		const down = new Flaky();
		const up = new Flaky("other");
		await using opened = await open(folder, down, up);
		down.failures = Infinity;
		const many = Array.from({ length: 1_100 }, (_, i) => i);
		await Promise.all(many.map((i) => opened.emit(`chat ${i % 300}`, `text ${i}`)));
		await opened.emit("b", "to the other one", up);
		await eventually(() => up.got.length === 1, "the other platform is served");
		down.failures = 0;
		await eventually(() => down.got.length === many.length, "all have arrived");
		for (const chat of ["chat 0", "chat 299"]) {
			const numbers = down.got.filter(({ chatId }) => chatId === chat).map(({ text }) => Number(text.slice("text ".length)));
			assert.deepEqual(numbers, numbers.toSorted((one, other) => one - other));
		}
	}));

test("a line that a crash cut short takes none of those behind it along", () =>
	inFolder(async (folder) => {
		const file = join(folder, "undelivered.jsonl");
		writeFileSync(file, '{"at":1,"why":"half a li');
		const platform = new Flaky();
		platform.refuses = true;
		await using opened = await open(folder, platform);
		await opened.emit("a", "to nobody");
		await eventually(() => opened.warnings.length === 1, "it is kept aside");
		assert.equal((JSON.parse(readFileSync(file, "utf8").trim().split("\n").at(-1)!) as { text: string }).text, "to nobody");
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
