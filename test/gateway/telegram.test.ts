// The Telegram platform, with the real library, against a fake of Telegram's own protocol: what every platform has to do, and messages on their way in.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Accepted } from "../../src/gateway/platform.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { contentOf, platformContract } from "../contracts/platform.ts";
import { openTelegram, outbound, startTelegram } from "./telegram-opened.ts";

const signal = new AbortController().signal;

platformContract({ name: "telegram", chats: ["11", "12"], open: openTelegram });

test("a slow chat holds up no other, and Telegram is told of nothing behind its message", async () => {
	await using opened = await startTelegram();
	const { door, fake } = opened;
	const slow = Promise.withResolvers<Accepted>();
	door.answer = () => (door.messages.at(-1)!.chatId === "11" ? slow.promise : Promise.resolve({ kind: "accepted" }));
	let told = 0;
	const said = [fake.say(11, "slow"), fake.say(12, "a"), fake.say(12, "b")].map((one) => one.then(() => told++));
	await eventually(() => door.messages.length === 3, "the others come in");
	const late = fake.say(12, "later").then(() => told++);
	await eventually(() => door.messages.length === 4, "so do later ones");
	assert.equal(told, 0);
	slow.resolve({ kind: "accepted" });
	await Promise.all([...said, late]);
	assert.deepEqual(door.messages.map(({ text }) => text), ["slow", "a", "b", "later"], "nothing came twice");
});

test("messages of a chat keep their order, also when the first cannot be kept at once", async () => {
	await using opened = await startTelegram();
	const { door, fake } = opened;
	let failures = 3;
	door.answer = async () => {
		if (failures-- > 0) throw new Error("the disk is full");
		return { kind: "accepted" };
	};
	await Promise.all(["a", "b", "c"].map((text) => fake.say(11, text)));
	assert.deepEqual(door.messages.map(({ text }) => text), ["a", "a", "a", "a", "b", "c"]);
	assert.equal(new Set(door.messages.map(({ messageId }) => messageId)).size, 3);
	assert.deepEqual(opened.warnings, ["telegram: a message cannot be taken now, and is tried again: the disk is full"]);
});

test("5,000 messages in a burst come in once each, in order", async () => {
	await using opened = await startTelegram();
	const { door, fake } = opened;
	await Promise.all(Array.from({ length: 5_000 }, (_, i) => fake.say(i % 2 === 0 ? 11 : 12, String(i))));
	for (const chat of ["11", "12"]) {
		const numbers = door.messages.filter(({ chatId }) => chatId === chat).map(({ text }) => Number(text));
		assert.deepEqual(numbers, numbers.toSorted((a, b) => a - b));
		assert.equal(numbers.length, 2_500);
	}
});

test("when it stops, Telegram is told what was taken, and gives the rest to the next one", async () => {
	await using opened = await startTelegram();
	const { door, fake, platform } = opened;
	const kept = Promise.withResolvers<Accepted>();
	door.answer = () => (door.messages.at(-1)!.text === "no" ? Promise.reject(new Error("full")) : kept.promise);
	const taken = fake.say(11, "yes");
	await eventually(() => door.messages.length === 1, "it comes in");
	let told = false;
	void fake.say(12, "no").then(() => (told = true));
	await eventually(() => door.messages.length >= 2, "it comes in too");
	const stopped = platform.stop();
	kept.resolve({ kind: "accepted" });
	await stopped;
	await taken;
	assert.equal(told, false);
	assert.equal(platform.connected, false);
});

test("updates that make no sense are told once, confirmed, and do no harm to those behind them", async () => {
	await using opened = await startTelegram();
	const { door, fake } = opened;
	const broken: readonly unknown[] = [{ message: 7 }, { message: { message_id: "x" } }, { message: { message_id: 1, chat: null } }, { message: { message_id: 1, chat: { id: 1 }, from: { id: {} }, text: "x" } }, { callback_query: [] }, { message_reaction: { chat: { id: 1 }, user: 5 } }, { something_new: {} }, {}];
	await Promise.all(broken.map((one) => fake.give(one as object)));
	await fake.say(11, "still here");
	assert.deepEqual(door.messages.map(({ text }) => text), ["still here"]);
	assert.deepEqual(opened.warnings, ["telegram: an update cannot be read and is passed over: its 'message' is no object. More of the kind are not told."]);
});

test("reactions come in, added and taken back", async () => {
	await using opened = await startTelegram();
	const emoji = (...list: readonly string[]) => list.map((one) => ({ type: "emoji", emoji: one }));
	await opened.fake.give({ message_reaction: { chat: { id: -1001, type: "supergroup" }, message_id: 5, user: { id: 11, is_bot: false, first_name: "x" }, date: 1, old_reaction: emoji("👍", "🎉"), new_reaction: emoji("🎉", "🔥") } } as object);
	const who = { chatId: "-1001", chatType: "group", userId: "11", messageId: "5" };
	assert.deepEqual(opened.door.reactions, [{ ...who, reaction: "👍", kind: "removed" }, { ...who, reaction: "🔥", kind: "added" }]);
});

test("what may not be pressed says why and stays", async () => {
	await using opened = await startTelegram();
	const { door, fake, platform } = opened;
	door.answer = async () => ({ kind: "stranger", reason: "You are not known here." });
	await platform.send(outbound("May I?", { buttons: [{ label: "Yes", says: "/approve k3m9" }] }), signal);
	await fake.press(11, "Yes");
	await eventually(() => fake.called("answerCallbackQuery").length === 1, "it is answered");
	assert.equal(fake.called("answerCallbackQuery")[0]!["text"], "You are not known here.");
	assert.deepEqual(await opened.buttons("11"), ["Yes"]);
});

test("a press in a topic belongs to the topic, and an answer to it goes below its text", async () => {
	await using opened = await startTelegram();
	const { door, fake, platform } = opened;
	const { id } = await platform.send(outbound("May I?", { chatId: "-1001", threadId: "7", buttons: [{ label: "Yes", says: "yes" }] }), signal);
	await fake.press(-1001, "Yes");
	const [message] = door.messages;
	assert.deepEqual([message!.chatType, message!.toAgent], ["group", true]);
	await platform.send(outbound("Done", { chatId: "-1001", threadId: "7", replyTo: message!.messageId }), signal);
	assert.equal(fake.shown.at(-1)!.replyTo, Number(id));
});

test("a file that cannot be had says so, and never the token", async () => {
	await using opened = await startTelegram();
	const { door, fake } = opened;
	const send = () => fake.say(11, "", { text: undefined, voice: { file_id: "v", file_unique_id: "v", duration: 1 } });
	await send();
	const [file] = door.messages[0]!.files!;
	assert.equal(file!.name, "voice.ogg");
	await assert.rejects(contentOf(file!), { message: "getFile: Bad Request: file is too big (400)" });
	fake.files.set("documents/v", "sound");
	assert.equal(await contentOf(file!), "sound");
	await fake.down();
	await assert.rejects(contentOf(file!), (error: Error) => !error.message.includes(fake.token) && /ECONN/.test(error.message));
	await fake.up();
});
