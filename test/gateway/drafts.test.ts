// Answers that grow before a person's eyes, where a text can be changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rewrite } from "../../src/events/decision.ts";
import { Drafts } from "../../src/gateway/drafts.ts";
import { RetryLaterError, UndeliverableError } from "../../src/gateway/platform.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { transform } from "../engine.ts";
import { everybody, OpenedGateway, Square } from "./square.ts";

const slow = "SLOW 20 Once upon a time there was a heron";
const whole = "Once upon a time there was a heron";

/** What stood in the chat each time something was sent or changed. */
function recorded(square: Square): string[] {
	const shown: string[] = [];
	square.before = (how, { text }) => void shown.push(`${how} ${text}`);
	return shown;
}

test("a long answer grows in one text, and the whole takes its place", async () => {
	const square = new Square({ editEveryMs: 20 });
	const shown = recorded(square);
	await using opened = await OpenedGateway.open([square]);
	assert.deepEqual(await square.ask(slow), [whole]);
	assert.deepEqual(square.texts(), [whole]);
	assert.ok(shown.length >= 3, shown.join("\n"));
	assert.equal(shown.filter((one) => one.startsWith("send")).length, 1);
	for (const one of shown) assert.ok(whole.startsWith(one.replace(/^\w+ /, "")), one);
	assert.equal(shown.at(-1), `edit ${whole}`);
	assert.deepEqual(opened.warnings, []);
});

test("a short answer is sent once, as a whole", async () => {
	const square = new Square({ editEveryMs: 60_000 });
	const shown = recorded(square);
	await using opened = await OpenedGateway.open([square]);
	await square.ask(slow);
	await square.ask("SAY yes");
	assert.deepEqual(shown, [`send ${whole}`, "send yes"]);
	assert.deepEqual(opened.warnings, []);
});

test("what is said beside tool calls stays, and the answer is a text of its own", async () => {
	const square = new Square({ editEveryMs: 20 });
	await using opened = await OpenedGateway.open([square]);
	await square.ask(slow);
	await square.ask('CALL todo {"todos":[]}');
	await square.ask(slow);
	assert.deepEqual(square.texts(), [whole, "DONE", whole]);
	assert.deepEqual(opened.warnings, []);
});

test("hooks that see texts before people do see the whole, and nothing is shown before", async () => {
	for (const event of ["message.sending", "turn.answering"] as const) {
		const square = new Square({ editEveryMs: 5 });
		const shown = recorded(square);
		await using opened = await OpenedGateway.open([square], everybody, [transform(event, ({ text }: { readonly text: string }) => rewrite(text.replace("heron", "stork")))]);
		await square.ask(slow);
		assert.ok(shown.every((one) => !one.includes("heron")), shown.join("\n"));
		assert.equal(shown.length, 1);
		assert.deepEqual(opened.warnings, []);
	}
});

test("a text that can be changed no more is followed by the whole as a new one", async () => {
	const square = new Square({ editEveryMs: 20 });
	await using opened = await OpenedGateway.open([square]);
	square.before = (how) => {
		if (how === "edit") throw new UndeliverableError("the message is gone");
	};
	await square.ask(slow);
	assert.equal(square.texts().length, 2);
	assert.equal(square.texts()[1], whole);
	assert.deepEqual(opened.warnings, []);
});

test("where the platform asks to wait, or fails for a moment, the text that was begun is changed a little later, and not doubled", async () => {
	for (const error of [new RetryLaterError("slowly", 100), new Error("503")]) {
		const square = new Square({ editEveryMs: 20 });
		await using opened = await OpenedGateway.open([square]);
		let edits = 0;
		square.before = (how, { key }) => {
			if (how === "edit" && !key.startsWith("draft") && edits++ === 0) throw error;
		};
		await square.ask(slow);
		assert.deepEqual(square.texts(), [whole], error.message);
		assert.equal(edits, 2);
		assert.equal(opened.warnings.length, error instanceof RetryLaterError ? 0 : 1);
	}
});

test("an answer longer than one text takes the place of its beginning and goes on below it", async () => {
	const square = new Square({ editEveryMs: 20, maxText: 64 });
	await using opened = await OpenedGateway.open([square]);
	const words = Array.from({ length: 40 }, (_, i) => `word${i}`).join(" ");
	await square.ask(`SLOW 4 ${words}`);
	assert.ok(square.seen[0]!.edits > 0);
	assert.equal(square.texts().join(" "), words);
	assert.ok(square.texts().every((text) => text.length <= 64));
	assert.deepEqual(opened.warnings, []);
});

test("a turn that is stopped leaves one text behind", async () => {
	const square = new Square({ editEveryMs: 20 });
	await using opened = await OpenedGateway.open([square]);
	const asked = square.ask(`SLOW 20 ${"and so on ".repeat(500)}`);
	await eventually(() => square.seen.length === 1, "it has begun");
	await square.say("/stop");
	await asked;
	assert.equal(square.texts()[0], "Stopped.");
	assert.deepEqual(opened.warnings, []);
});

test("an answer that is ready when the gateway stops takes the place of what was shown of it", async () => {
	const square = new Square({ editEveryMs: 10 });
	await using opened = await OpenedGateway.open([square]);
	await square.say(slow);
	await eventually(() => square.seen.length === 1, "it has begun");
	await opened.gateway.stop(10_000, "test");
	assert.deepEqual(square.texts(), [whole]);
});

test("what is shown of a block of code is closed, and fits", async () => {
	const square = new Square({ editEveryMs: 5, maxText: 100 });
	const drafts = new Drafts();
	drafts.add(square, { chatId: "a" }, "m", `\`\`\`ts\n${"const a = 1;\n".repeat(20)}`);
	await eventually(() => square.seen.length === 1, "it is shown");
	drafts.close();
	assert.ok(square.texts()[0]!.length <= 100);
	assert.match(square.texts()[0]!, /^```ts\n[^`]*\n``` …$/);
});
