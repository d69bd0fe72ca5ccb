// Texts on their way to Telegram: how they look there, and what its refusals become.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RetryLaterError, UndeliverableError } from "../../src/gateway/platform.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { outbound, startTelegram } from "./telegram-opened.ts";

const signal = new AbortController().signal;
const refusal = (code: number, description: string, parameters?: object) => ({ status: code, body: { ok: false, error_code: code, description, ...(parameters && { parameters }) } });

test("Markdown looks as it means, and no address is fetched for a preview", async () => {
	await using opened = await startTelegram();
	await opened.platform.send(outbound("# Plan\n- **one** `two`\n```js\nlet a;\n```\n[here](https://example.com/)"), signal);
	const [shown] = opened.fake.shown;
	assert.equal(shown!.text, "Plan\n• one two\nlet a;\nhere");
	assert.deepEqual(shown!.entities.map(({ type, offset, length }) => [type, shown!.text.slice(offset, offset + length)]), [["bold", "Plan"], ["bold", "one"], ["code", "two"], ["pre", "let a;"], ["text_link", "here"]]);
	assert.deepEqual(opened.fake.called("sendMessage")[0]!["link_preview_options"], { is_disabled: true });
});

test("a text whose formatting is refused goes out plain", async () => {
	await using opened = await startTelegram();
	opened.fake.fail("sendMessage", refusal(400, "Bad Request: can't parse entities: whatever"));
	await opened.platform.send(outbound("**bold**"), signal);
	assert.deepEqual([opened.fake.shown[0]!.text, opened.fake.shown[0]!.entities], ["**bold**", []]);
});

test("a text of nothing but markup is sent as it stands", async () => {
	await using opened = await startTelegram();
	await opened.platform.send(outbound("# "), signal);
	await opened.platform.send(outbound("```\n```"), signal);
	assert.deepEqual(await opened.sees("11"), ["#", "```\n```"]);
});

test("in a group an answer goes below its question, in its topic; in a chat of two it just comes", async () => {
	await using opened = await startTelegram();
	const { platform, fake } = opened;
	await platform.send(outbound("a", { chatId: "-1001", threadId: "7", replyTo: "99" }), signal);
	await platform.send(outbound("b", { replyTo: "99" }), signal);
	// Somebody deleted the question.
	await platform.send(outbound("c", { chatId: "-1001", replyTo: "9999999" }), signal);
	assert.deepEqual(fake.shown.map(({ text, thread, replyTo }) => [text, thread, replyTo]), [["a", 7, 99], ["b", undefined, undefined], ["c", undefined, 9999999]]);
});

test("a group that became a supergroup gets its texts there", async () => {
	await using opened = await startTelegram();
	opened.fake.moved.set(-5, -1002);
	for (const text of ["a", "b"]) await opened.platform.send(outbound(text, { chatId: "-5" }), signal);
	assert.deepEqual(opened.fake.shown.map(({ chat }) => chat), [-1002, -1002]);
	assert.equal(opened.fake.called("sendMessage").length, 3, "it is asked about the old one only once");
});

test("how long Telegram wants to be left alone is handed on, and it is left alone", async () => {
	await using opened = await startTelegram();
	opened.fake.fail("sendMessage", refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }));
	await assert.rejects(opened.platform.send(outbound("x"), signal), (error: unknown) => error instanceof RetryLaterError && error.afterMs === 17_000);
	assert.equal(opened.fake.called("sendMessage").length, 1);
});

test("what can never arrive says what to do about it; what may arrive later is tried again by others", async () => {
	await using opened = await startTelegram();
	const { platform, fake } = opened;
	const rejected = async (code: number, description: string) => {
		fake.fail("sendMessage", refusal(code, description));
		return platform.send(outbound("x"), signal).then(
			() => assert.fail("it was sent"),
			(error: Error) => [error instanceof UndeliverableError, error.message],
		);
	};
	assert.deepEqual(await rejected(403, "Forbidden: bot was blocked by the user"), [true, "sendMessage: Forbidden: bot was blocked by the user (403): they can let the bot write again by unblocking it"]);
	assert.deepEqual(await rejected(400, "Bad Request: chat not found"), [true, "sendMessage: Bad Request: chat not found (400): add the bot to that chat, or correct the chat's id"]);
	assert.deepEqual(await rejected(400, "Bad Request: message thread not found"), [true, "sendMessage: Bad Request: message thread not found (400): the topic is closed or gone"]);
	assert.deepEqual(await rejected(400, "Bad Request: something new"), [true, "sendMessage: Bad Request: something new (400)"]);
	assert.deepEqual(await rejected(500, "Internal Server Error"), [false, "sendMessage: Internal Server Error (500)"]);
	fake.fail("sendMessage", { status: 502, body: "<html>Bad Gateway</html>" });
	await assert.rejects(platform.send(outbound("x"), signal), { name: "CallError", message: "sendMessage: the answer is none of Telegram's" });
});

test("a text that is changed into itself is no error", async () => {
	await using opened = await startTelegram();
	const { id } = await opened.platform.send(outbound("same"), signal);
	await opened.platform.edit(id!, outbound("same"), signal);
	await assert.rejects(opened.platform.edit("4711", outbound("x"), signal), UndeliverableError);
});

test("somebody who gives up on a text is not kept waiting", async () => {
	await using opened = await startTelegram();
	opened.fake.silent = true;
	const stop = new AbortController();
	const sending = opened.platform.send(outbound("x"), stop.signal);
	setImmediate(() => stop.abort(new Error("the gateway ends")));
	await assert.rejects(sending, { message: "the gateway ends" });
});

test("that the agent writes is shown once in a while, however often it is said", async () => {
	await using opened = await startTelegram();
	for (let i = 0; i < 1000; i++) opened.platform.show({ chatId: "-1001", threadId: "7" }, { kind: "typing" });
	opened.platform.show({ chatId: "11" }, { kind: "typing" });
	opened.platform.show({ chatId: "404" }, { kind: "typing" });
	await eventually(() => opened.fake.called("sendChatAction").length === 3, "it is shown");
	await opened.platform.close();
	assert.deepEqual(opened.fake.called("sendChatAction").map(({ chat_id, message_thread_id }) => [chat_id, message_thread_id]), [[-1001, 7], [11, undefined], [404, undefined]]);
	assert.deepEqual(opened.warnings, []);
});

async function withFiles(run: (file: (name: string, content: string, mediaType?: string) => { path: string; name: string; mediaType: string }) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "hookline-telegram-"));
	let count = 0;
	try {
		await run((name, content, mediaType = "text/plain") => {
			const path = join(folder, String(count++));
			writeFileSync(path, content);
			return { path, name, mediaType };
		});
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

test("pictures go out as pictures, and as files where Telegram takes them for none", () =>
	withFiles(async (file) => {
		await using opened = await startTelegram();
		const picture = file("a.png", "png", "image/png");
		await opened.platform.send(outbound("", { files: [picture] }), signal);
		opened.fake.fail("sendPhoto", refusal(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"));
		await opened.platform.send(outbound("", { files: [picture] }), signal);
		assert.deepEqual(opened.fake.shown.map(({ as, file: got }) => [as, got]), [["sendPhoto", { name: "a.png", content: "png" }], ["sendDocument", { name: "a.png", content: "png" }]]);
	}));

test("of a text with several files that was stopped in between, only what is missing is sent again", () =>
	withFiles(async (file) => {
		await using opened = await startTelegram();
		const text = outbound("two files", { chatId: "-1001", replyTo: "5", files: [file("a.txt", "A"), file("b;\"\n.txt", "B")] });
		opened.fake.fail("sendDocument", refusal(500, "Internal Server Error"));
		await assert.rejects(opened.platform.send(text, signal), { message: "sendDocument: Internal Server Error (500)" });
		const { id } = await opened.platform.send(text, signal);
		assert.deepEqual(opened.fake.shown.map((one) => [one.text, one.file?.name, one.replyTo]), [["two files", undefined, 5], ["", "a.txt", undefined], ["", "b___.txt", undefined]]);
		assert.equal(id, String(opened.fake.shown[0]!.id));
	}));

test("a text too long to stand below a file comes before it", () =>
	withFiles(async (file) => {
		await using opened = await startTelegram();
		await opened.platform.send(outbound("x".repeat(2000), { files: [file("a.txt", "A")] }), signal);
		assert.deepEqual(opened.fake.shown.map(({ text, as }) => [text.length, as]), [[2000, "sendMessage"], [0, "sendDocument"]]);
	}));

test("a file that is gone is said to be", async () => {
	await using opened = await startTelegram();
	await assert.rejects(opened.platform.send(outbound("x", { files: [{ path: join(tmpdir(), "no such file"), name: "a.txt", mediaType: "text/plain" }] }), signal), { name: "UndeliverableError", message: "the file 'a.txt' is not there any more" });
});
