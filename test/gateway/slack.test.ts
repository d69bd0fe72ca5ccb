// The Slack platform with Slack's own library, against a Slack on this machine.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { RetryLaterError, UndeliverableError } from "../../src/gateway/platform.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { contentOf, platformContract } from "../contracts/platform.ts";
import { bot } from "./slack-fake.ts";
import { incoming, openSlack, outbound, started } from "./slack-opened.ts";

const signal = new AbortController().signal;

platformContract({ name: "slack", chats: ["D1", "D2"], open: () => openSlack() });

describe("what comes in from Slack", { timeout: 60_000 }, () => {
	test("a mention is told of twice and handed in once, as a thread of its own, without the mention", async () => {
		await using slack = await started();
		const event = slack.message("C1", `<@${bot.userId}> what is &lt;b&gt;?`);
		await slack.fake.event(event);
		const { channel_type: _, ...mention } = { ...event, type: "app_mention" };
		await slack.fake.event(mention);
		assert.deepEqual(slack.door.messages, [{ chatId: "C1", messageId: event.ts, userId: "U1", chatType: "group", text: "what is <b>?", threadId: event.ts, toAgent: true }]);
	});

	test("what Slack sends again, because it was not told soon enough, is handed in once and acknowledged each time", async () => {
		await using slack = await started();
		const kept = Promise.withResolvers<{ kind: "accepted" }>();
		slack.door.answer = () => kept.promise;
		slack.fake.ackMs = 30;
		const tellings = slack.fake.event(slack.message("D1", "slow"));
		// Four times in all, and then Slack gives up.
		await assert.rejects(tellings, /not acknowledged/);
		assert.equal(slack.door.messages.length, 1);
		kept.resolve({ kind: "accepted" });
	});

	test("what was taken and comes again all the same is handed in with the same number", async () => {
		await using slack = await started();
		const event = slack.message("D1", "again");
		await slack.fake.event(event);
		await slack.fake.event(event);
		assert.deepEqual(slack.door.messages.map(({ messageId }) => messageId), [event.ts, event.ts]);
	});

	test("own words, those of other bots, edits and joins are none of its business; what follows is", async () => {
		await using slack = await started();
		const { fake, message } = slack;
		await fake.event({ ...message("C1", "mine"), user: bot.userId, bot_id: bot.botId });
		await fake.event({ ...message("D1", "mine"), user: bot.userId });
		await fake.event({ ...message("C1", "a bot's"), subtype: "bot_message", bot_id: "B9", user: undefined });
		await fake.event({ type: "message", subtype: "message_changed", hidden: true, channel: "D1", ts: fake.nextTs(), message: message("D1", "edited"), previous_message: {} });
		await fake.event({ type: "message", subtype: "message_deleted", hidden: true, channel: "D1", ts: fake.nextTs(), deleted_ts: "1.1" });
		await fake.event({ type: "message", subtype: "channel_join", user: "U1", channel: "C1", ts: fake.nextTs(), text: "<@U1> has joined" });
		await fake.event({ ...message("C1", `<@${bot.userId}> later`), type: "app_mention", edited: { user: "U1", ts: "1.1" } });
		await fake.event({ type: "team_join", user: { id: "U5" } });
		await fake.event(message("D1", "hello"));
		assert.deepEqual(slack.door.messages.map(({ text }) => text), ["hello"]);
	});

	test("in a thread the agent spoke in, it is meant without a mention; in others it is not", async () => {
		await using slack = await started();
		const root = slack.message("C1", `<@${bot.userId}> begin`);
		await slack.fake.event(root);
		await slack.platform.send({ ...outbound("C1", "yes"), threadId: root.ts, replyTo: root.ts }, signal);
		await slack.fake.event(slack.message("C1", "go on", { thread_ts: root.ts, parent_user_id: "U1" }));
		await slack.fake.event(slack.message("C1", "elsewhere", { thread_ts: "1699999999.000100", parent_user_id: "U2" }));
		await slack.fake.event(slack.message("C1", "under its own", { thread_ts: "1699999998.000100", parent_user_id: bot.userId }));
		await slack.fake.event(slack.message("C1", "to nobody"));
		assert.equal(slack.fake.chat("C1").at(-1)?.thread, undefined);
		assert.deepEqual(
			slack.door.messages.map(({ text, threadId, toAgent }) => [text, threadId, toAgent]),
			[
				["begin", root.ts, true],
				["go on", root.ts, true],
				["elsewhere", "1699999999.000100", undefined],
				["under its own", "1699999998.000100", true],
				["to nobody", undefined, undefined],
			],
		);
		assert.equal(slack.fake.chat("C1").find(({ text }) => text === "yes")?.thread, root.ts);
	});

	test("a slash command is a message: the one for everything says what follows, others say themselves", async () => {
		await using slack = await started();
		const command = (name: string, text: string, n: number) => slack.fake.envelope("slash_commands", { command: name, text, user_id: "U1", user_name: "one", channel_id: n % 2 ? "C1" : "D1", channel_name: "x", trigger_id: `t${n}`, team_id: "T1", response_url: "http://127.0.0.1/none" }, { accepts_response_payload: true });
		await command("/hookline", "stop", 1);
		await command("/keeper", "/model x", 2);
		await command("/hookline", "", 3);
		await command("/new", "", 4);
		assert.deepEqual(
			slack.door.messages.map(({ chatId, chatType, text, messageId, toAgent }) => [chatId, chatType, text, messageId, toAgent]),
			[
				["C1", "group", "/stop", "command:t1", true],
				["D1", "dm", "/model x", "command:t2", undefined],
				["C1", "group", "/help", "command:t3", true],
				["D1", "dm", "/new", "command:t4", undefined],
			],
		);
	});

	test("reactions of people are told of, and those of the agent are not", async () => {
		await using slack = await started();
		const item = { type: "message", channel: "C1", ts: "1.1" };
		await slack.fake.event({ type: "reaction_added", user: bot.userId, reaction: "eyes", item, event_ts: "2.1" });
		await slack.fake.event({ type: "reaction_added", user: "U1", reaction: "+1", item, item_user: bot.userId, event_ts: "2.1" });
		await slack.fake.event({ type: "reaction_removed", user: "U1", reaction: "+1", item, event_ts: "2.2" });
		const one = { chatId: "C1", chatType: "group", userId: "U1", messageId: "1.1", reaction: "+1" };
		assert.deepEqual(slack.door.reactions, [{ ...one, kind: "added" }, { ...one, kind: "removed" }]);
	});

	test("what is malformed is said once, ends nothing, and what follows is handled", async () => {
		await using slack = await started();
		for (const text of ["{", "null", "[]", "7", '{"type":"events_api"}', '{"type":"events_api","envelope_id":"x"}', '{"envelope_id":7,"payload":{}}', "x".repeat(100_000)]) slack.fake.raw(text);
		await slack.fake.envelope("events_api", {});
		await slack.fake.event({ type: "message", channel: 7 });
		await slack.fake.event({ type: "error" });
		await slack.fake.event({ type: "disconnected" });
		await slack.fake.event({ type: "reaction_added" });
		await slack.fake.envelope("interactive", { type: "block_actions", actions: [{ action_id: "hookline-0" }] });
		await slack.fake.envelope("slash_commands", {});
		await slack.fake.event(slack.message("D1", "hello", { files: [null, 7, {}] }));
		assert.deepEqual(slack.door.messages.map(({ text }) => text), ["hello"]);
		assert.equal(slack.warnings.length, 1);
		assert.match(slack.warnings[0]!, /was left out/);
		assert.equal(slack.platform.connected, true);
	});

	test("messages of a chat keep their order, also while one is slow, and other chats do not wait for it", async () => {
		await using slack = await started();
		const first = Promise.withResolvers<{ kind: "accepted" }>();
		const done: string[] = [];
		slack.door.answer = async () => {
			const { text } = slack.door.messages.at(-1)!;
			if (text === "a1") await first.promise;
			done.push(text);
			return { kind: "accepted" };
		};
		const slow = [slack.fake.event(slack.message("D1", "a1")), slack.fake.event(slack.message("D1", "a2"))];
		await slack.fake.event(slack.message("D2", "b"));
		assert.deepEqual(done, ["b"]);
		first.resolve({ kind: "accepted" });
		await Promise.all(slow);
		assert.deepEqual(done, ["b", "a1", "a2"]);
	});

	test("a file is read with the token, one of another host is not, and a page to log in on is no file", async () => {
		await using slack = await started();
		const file = incoming(slack.fake, { name: "../../a.txt", content: "x" });
		const evil = { ...file, url_private_download: "http://localhost:9/files/x" };
		const external = { ...file, mode: "external", url_private_download: undefined, url_private: "https://files.slack.com.example/x" };
		await slack.fake.event(slack.message("D1", "", { subtype: "file_share", files: [file, evil, external] }));
		const [good, elsewhere, linked] = slack.door.messages[0]!.files!;
		assert.deepEqual([good!.name, good!.mediaType, good!.bytes, await contentOf(good!)], ["a.txt", "text/plain", 1, "x"]);
		await assert.rejects(contentOf(elsewhere!), /not kept by Slack/);
		await assert.rejects(contentOf(linked!), /not kept by Slack/);
	});
});

describe("what goes out to Slack", { timeout: 60_000 }, () => {
	test("a pause that Slack wants is handed on, with no other try in between", async () => {
		await using slack = await started();
		slack.fake.refuse = (method) => (method === "chat.postMessage" ? { status: 429, headers: { "Retry-After": "7" } } : undefined);
		await assert.rejects(slack.platform.send(outbound("D1", "x"), signal), (error) => error instanceof RetryLaterError && error.afterMs === 7_000);
		assert.equal(slack.fake.calls.filter(({ method }) => method === "chat.postMessage").length, 1);
	});

	test("what can never arrive is told from what can", async () => {
		await using slack = await started();
		await assert.rejects(slack.platform.send(outbound("C9", "x"), signal), (error) => error instanceof UndeliverableError && /channel_not_found.*invite/.test(error.message));
		const failsWith = async (answer: { readonly status?: number; readonly body?: string }) => {
			slack.fake.refuse = () => answer;
			return slack.platform.send(outbound("D1", "x"), signal).then(() => assert.fail(), (error: unknown) => error as Error);
		};
		for (const answer of [{ status: 503 }, { body: "<html>" }, { body: '{"ok":false,"error":"internal_error"}' }, { body: '{"ok":false,"error":"token_revoked"}' }, { body: '{"ok":false,"error":"ratelimited"}' }]) {
			const error = await failsWith(answer);
			assert.ok(!(error instanceof UndeliverableError), error.message);
			assert.doesNotMatch(error.message, /xoxb|xapp/);
		}
		assert.ok((await failsWith({ body: '{"ok":false,"error":"is_archived"}' })) instanceof UndeliverableError);
	});

	test("a text full of escapes goes out whole, as blocks, and one whose blocks are refused goes out plain", async () => {
		await using slack = await started();
		const code = `<${"<&>".repeat(1_200)}>`;
		await slack.platform.send(outbound("D1", code), signal);
		assert.ok((await slack.sees("D1"))[0] === code, "every character arrives");
		slack.fake.refuse = (method, args) => (method === "chat.postMessage" && (args.get("blocks") ?? "[]") !== "[]" ? { body: '{"ok":false,"error":"invalid_blocks"}' } : undefined);
		await slack.platform.send({ ...outbound("D2", "**May I?**"), purpose: "question", buttons: [{ label: "Yes", says: "/approve a1" }] }, signal);
		assert.deepEqual(await slack.sees("D2"), ["**May I?**\nYes: /approve a1"]);
	});

	test("a text that ends its buttons takes them away", async () => {
		await using slack = await started();
		const { id } = await slack.platform.send({ ...outbound("D1", "May I?"), buttons: [{ label: "Yes", says: "/approve a1" }] }, signal);
		await slack.platform.edit(id!, outbound("D1", "Settled."), signal);
		assert.deepEqual([await slack.sees("D1"), await slack.buttons("D1")], [["Settled."], []]);
	});

	test("buttons stay when the press was not accepted, and a press in a thread belongs to it", async () => {
		await using slack = await started();
		const root = slack.message("C1", "root");
		await slack.platform.send({ ...outbound("C1", "May I?"), threadId: root.ts, buttons: [{ label: "Yes", says: "/approve a1" }] }, signal);
		slack.door.answer = async () => ({ kind: "stranger", reason: "no" });
		await slack.press("C1", "Yes");
		assert.deepEqual(slack.door.messages.map(({ threadId, toAgent, chatType }) => [threadId, toAgent, chatType]), [[root.ts, true, "group"]]);
		// What would have taken them away is on its way by now.
		await slack.platform.send(outbound("D1", "next"), signal);
		assert.deepEqual(await slack.buttons("C1"), ["Yes"]);
		assert.ok(slack.fake.calls.every(({ method }) => method !== "chat.update"));
	});

	test("files go out with their text and buttons in one message, into the thread", async () => {
		await using slack = await started();
		const folder = mkdtempSync(join(tmpdir(), "hookline-slack-"));
		try {
			const files = ["a", "b"].map((name) => ({ path: join(folder, name), name: `${name}.txt`, mediaType: "text/plain" }));
			for (const { path, name } of files) writeFileSync(path, name);
			await slack.platform.send({ ...outbound("D1", "**two**"), threadId: "1.1", files, buttons: [{ label: "Fine", says: "fine" }] }, signal);
			assert.deepEqual(await slack.files("D1"), [{ name: "a.txt", content: "a.txt" }, { name: "b.txt", content: "b.txt" }]);
			assert.deepEqual([await slack.sees("D1"), await slack.buttons("D1"), slack.fake.chat("D1")[0]!.thread], [["*two*"], ["Fine"], "1.1"]);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});

	test("typing is shown in threads, now and then, and no more when Slack does not take it", async () => {
		await using slack = await started();
		const shows = () => slack.fake.calls.filter(({ method }) => method === "assistant.threads.setStatus").length;
		for (let i = 0; i < 50; i++) slack.platform.show({ chatId: "C1", threadId: "1.1" }, { kind: "typing" });
		await eventually(() => shows() === 1, "typing is shown");
		slack.fake.refuse = (method) => (method === "assistant.threads.setStatus" ? { body: '{"ok":false,"error":"missing_scope"}' } : undefined);
		slack.platform.show({ chatId: "C1", threadId: "1.2" }, { kind: "typing" });
		await eventually(() => shows() === 2, "typing is refused");
		await slack.platform.send(outbound("D1", "in between"), signal);
		slack.platform.show({ chatId: "C1", threadId: "1.3" }, { kind: "typing" });
		await slack.platform.send(outbound("D1", "and after"), signal);
		assert.equal(shows(), 2);
	});

	test("a text that nobody waits for any more ends with its signal, while Slack is silent", async () => {
		await using slack = await started();
		const enough = new AbortController();
		slack.fake.speaks = false;
		const sent = slack.platform.send(outbound("D1", "x"), enough.signal);
		enough.abort(new Error("enough"));
		await assert.rejects(sent, /enough/);
	});
});
