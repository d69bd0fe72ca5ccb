import assert from "node:assert/strict";
import { test } from "node:test";
import { newsOf } from "./updates.ts";

const me = { id: 42, username: "KitchenBot" };
const group = { id: -1001, type: "supergroup", title: "x" };
const somebody = { id: 11, is_bot: false, first_name: "x" };

function news(message: object) {
	return newsOf({ update_id: 1, message: { message_id: 5, date: 1, chat: group, from: somebody, ...message } }, me, () => async () => assert.fail("nobody reads"));
}

function said(message: object) {
	const found = news(message);
	return found.kind === "message" ? found.message : undefined;
}

const command = (text: string) => ({ text, entities: [{ type: "bot_command", offset: 0, length: text.split(" ")[0]!.length }] });
const mention = (text: string, name = "@KitchenBot") => ({ text, entities: [{ type: "mention", offset: text.indexOf(name), length: name.length }] });

test("what is said to the agent in a group is known, without its name at the beginning", () => {
	const heard = (message: object) => {
		const { text, toAgent } = said(message)!;
		return [text, toAgent];
	};
	assert.deepEqual(heard({ text: "just talk" }), ["just talk", undefined]);
	assert.deepEqual(heard(mention("@KitchenBot, what is up?")), ["what is up?", true]);
	assert.deepEqual(heard(mention("@kitchenbot hi", "@kitchenbot")), ["hi", true]);
	assert.deepEqual(heard(mention("ask @KitchenBot about it")), ["ask @KitchenBot about it", true]);
	assert.deepEqual(heard(mention("@OtherBot hi", "@OtherBot")), ["@OtherBot hi", undefined]);
	assert.deepEqual(heard({ text: "Kitchen hi", entities: [{ type: "text_mention", offset: 0, length: 7, user: { id: 42 } }] }), ["hi", true]);
	assert.deepEqual(heard(command("/status@KitchenBot now")), ["/status now", true]);
	assert.deepEqual(heard(command("/status")), ["/status", true]);
	assert.deepEqual(heard(command("/start payload")), ["/help", true]);
	assert.deepEqual(heard({ text: "yes", reply_to_message: { message_id: 3, from: { id: 42, is_bot: true } } }), ["yes", true]);
	assert.deepEqual(heard({ text: "no", reply_to_message: { message_id: 3, from: somebody } }), ["no", undefined]);
	assert.deepEqual(heard({ text: "in a topic it made", reply_to_message: { message_id: 3, from: { id: 42 }, forum_topic_created: {} } }), ["in a topic it made", undefined]);
});

test("what is not for the agent is nothing: other bots, itself, channels, what nobody said, commands for others", () => {
	const nothing = [
		{ text: "x", from: { id: 43, is_bot: true } },
		{ text: "x", from: { id: 42, is_bot: false } },
		{ text: "x", sender_chat: { id: -1001 } },
		{ text: "x", from: undefined },
		{ new_chat_members: [somebody] },
		command("/status@OtherBot"),
	];
	for (const message of nothing) assert.deepEqual(news(message), { kind: "nothing" });
	for (const update of [{ edited_message: { message_id: 5 } }, { channel_post: { message_id: 5 } }, { poll: {} }, {}]) assert.deepEqual(newsOf(update, me, () => async () => assert.fail()), { kind: "nothing" });
});

test("a topic is a thread; an answer in a group without topics is in none", () => {
	assert.equal(said({ text: "x", message_thread_id: 7, is_topic_message: true })!.threadId, "7");
	assert.equal(said({ text: "x", message_thread_id: 7 })!.threadId, undefined);
	assert.deepEqual([said({ text: "x" })!.chatType, said({ text: "x", chat: { id: 11, type: "private" } })!.chatType], ["group", "dm"]);
});

test("files have a name, whatever their sender calls them, and captions are texts", () => {
	const names = (message: object) => said(message)!.files!.map(({ name, mediaType, bytes }) => [name, mediaType, bytes]);
	assert.deepEqual(names({ document: { file_id: "a", file_name: "../../etc/passwd", mime_type: "text/plain", file_size: 5 } }), [["passwd", "text/plain", 5]]);
	assert.deepEqual(names({ document: { file_id: "a", file_name: "C:\\x\\..", file_size: "5" } }), [["document.bin", undefined, undefined]]);
	assert.deepEqual(names({ photo: [{ file_id: "small" }, { file_id: "large", file_size: 9 }] }), [["photo.jpg", "image/jpeg", 9]]);
	assert.deepEqual(names({ animation: { file_id: "a" }, document: { file_id: "a" } }), [["animation.mp4", undefined, undefined]]);
	assert.deepEqual(names({ video_note: { file_id: "a" } }), [["video-note.mp4", undefined, undefined]]);
	const { text, toAgent } = said({ photo: [{ file_id: "a" }], caption: "@KitchenBot look", caption_entities: [{ type: "mention", offset: 0, length: 11 }] })!;
	assert.deepEqual([text, toAgent], ["look", true]);
	assert.equal(said({ voice: { file_id: "a" } })!.text, "");
});

test("stickers and places are said in words", () => {
	assert.equal(said({ sticker: { file_id: "a", emoji: "🙂" } })!.text, "🙂");
	assert.equal(said({ location: { latitude: 52.5, longitude: 13.4 } })!.text, "location: 52.5, 13.4");
});
