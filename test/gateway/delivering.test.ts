// How long texts are tried, and what they are when they arrive.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createEngine } from "../../src/engine/engine.ts";
import { Drafts } from "../../src/gateway/drafts.ts";
import type { Reply } from "../../src/gateway/letters.ts";
import { Outbox } from "../../src/gateway/outbox.ts";
import { RetryLaterError } from "../../src/gateway/platform.ts";
import type { Outgoing, SessionEngine } from "../../src/stores/session-engine.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { everybody, OpenedGateway, Square } from "./square.ts";

const facts = { eventId: "e", at: 0, surface: "gateway", cwd: "/", profile: "default" } as const;
const reply = (text: string, more: Partial<Reply> = {}): Reply => ({ platform: "square", chat: { chatId: "a" }, text, purpose: "answer", facts, ...more });

/** What an outbox asks of an engine, over a list: it fails as it is told. */
function box(outgoing: readonly Reply[], at: number) {
	const acknowledged: number[] = [];
	const failures = { reading: 0, acknowledging: 0 };
	const sessions: Pick<SessionEngine, "outbox" | "acknowledge"> = {
		async *outbox(after, signal): AsyncGenerator<Outgoing> {
			for (const [i, body] of outgoing.entries()) {
				if (i === 1 && failures.reading-- > 0) throw new Error("disk I/O error");
				if (i + 1 > after) yield { number: i + 1, id: `o${i}`, session: "s", kind: "text", body, at };
			}
			await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
		},
		async acknowledge(...numbers) {
			if (failures.acknowledging-- > 0) throw new Error("database or disk is full");
			acknowledged.push(...numbers);
		},
	};
	return { sessions: sessions as SessionEngine, acknowledged, failures };
}

function outboxOf(square: Square, sessions: SessionEngine, undelivered = "/nonexistent/undelivered.jsonl") {
	const warnings: string[] = [];
	const outbox = new Outbox({ engine: createEngine(), sessions, platforms: new Map([[square.name, square]]), drafts: new Drafts(), undelivered, warn: (message) => warnings.push(message), pauseMs: () => 1 });
	return { outbox, warnings };
}

test("where the platform says how long to wait it is waited that long, and nobody is warned of an outage", async () => {
	const square = new Square();
	const times: number[] = [];
	square.before = () => {
		times.push(performance.now());
		if (times.length < 3) throw new RetryLaterError("slowly", times.length === 1 ? 150 : 0);
	};
	const { sessions, acknowledged } = box([reply("one"), reply("two")], Date.now());
	const { outbox, warnings } = outboxOf(square, sessions);
	outbox.start();
	await eventually(() => acknowledged.length === 2, "both arrive");
	await outbox.stop(0);
	assert.deepEqual(square.texts(), ["one", "two"]);
	assert.ok(times[1]! - times[0]! >= 145, "as told");
	assert.ok(times[2]! - times[1]! >= 95, "and never again and again at once");
	assert.deepEqual(warnings, []);
});

test("a text that waited for days because nobody ran is tried some times before it is given up", async () => {
	const square = new Square();
	let tries = 0;
	square.before = () => {
		if (++tries < 5) throw new Error("the network is not there yet");
	};
	const { sessions, acknowledged } = box([reply("old")], Date.now() - 3 * 24 * 3600_000);
	const { outbox } = outboxOf(square, sessions);
	outbox.start();
	await eventually(() => acknowledged.length === 1, "it arrives");
	await outbox.stop(0);
	assert.deepEqual(square.texts(), ["old"]);
});

test("one of a day ago that nothing helps is given up, with all that belongs to it", async () => {
	const square = new Square();
	square.before = () => {
		throw new Error("500");
	};
	await using opened = await OpenedGateway.open([square], everybody);
	const file = join(opened.home, "undelivered.jsonl");
	const { sessions, acknowledged } = box([reply("old", { buttons: [{ label: "No", says: "/deny x" }] })], Date.now() - 25 * 3600_000);
	const { outbox } = outboxOf(square, sessions, file);
	outbox.start();
	await eventually(() => acknowledged.length === 1, "it is given up");
	await outbox.stop(0);
	const { why, text, buttons } = JSON.parse(readFileSync(file, "utf8")) as { why: string } & Reply;
	assert.deepEqual([why, text, buttons], ["500", "old", [{ label: "No", says: "/deny x" }]]);
});

test("a store that fails for a moment ends no delivery, and nothing is sent twice by this process", async () => {
	const square = new Square();
	const { sessions, acknowledged, failures } = box([reply("one"), reply("two"), reply("three", { chat: { chatId: "b" } })], Date.now());
	Object.assign(failures, { reading: 2, acknowledging: 3 });
	const { outbox, warnings } = outboxOf(square, sessions);
	outbox.start();
	await eventually(() => acknowledged.length === 3, "all arrive");
	await outbox.stop(0);
	assert.deepEqual([square.texts("a"), square.texts("b")], [["one", "two"], ["three"]]);
	assert.deepEqual(acknowledged.toSorted(), [1, 2, 3]);
	assert.equal(warnings.filter((warning) => warning.includes("cannot be read now")).length, 1);
});

test("an outage is told in one line, however many chats it concerns, and the next one again", async () => {
	const square = new Square();
	let isDown = true;
	square.before = () => {
		if (isDown) throw new Error("503");
	};
	const { sessions, acknowledged } = box(Array.from({ length: 50 }, (_, i) => reply(`${i}`, { chat: { chatId: `${i}` } })), Date.now());
	const { outbox, warnings } = outboxOf(square, sessions);
	outbox.start();
	await eventually(() => warnings.length > 0, "it is told");
	isDown = false;
	await eventually(() => acknowledged.length === 50, "all arrive");
	assert.deepEqual(warnings, ["square does not take a text now, and is tried again: 503"]);
	isDown = true;
	outbox.sayNow(reply("again"));
	await eventually(() => warnings.length === 2, "the next one is told");
	await outbox.stop(0);
});

test("buttons and files go only where the platform has them, at the end of a long text", async () => {
	for (const can of [true, false]) {
		const square = new Square({ maxText: 64, ...(can && { buttons: true, maxFileBytes: 100 }) });
		const buttons = [{ label: "No", says: "/deny x" }];
		const files = [{ path: import.meta.filename, name: "x.ts", mediaType: "text/plain" }];
		const { sessions, acknowledged } = box([reply("word ".repeat(30), { buttons, files })], Date.now());
		const { outbox } = outboxOf(square, sessions);
		outbox.start();
		await eventually(() => acknowledged.length === 1, "it arrives");
		await outbox.stop(0);
		assert.ok(square.seen.length > 1);
		assert.deepEqual(square.seen.map((one) => [one.buttons, one.files]), square.seen.map((_, i) => (can && i === square.seen.length - 1 ? [buttons, files] : [undefined, undefined])));
	}
});
