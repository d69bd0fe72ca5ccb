import assert from "node:assert/strict";
import { test } from "node:test";
import { type Activity, meaningOf, readActivity } from "./activities.ts";

const bot = "28:b";
const mention = (name: string, id: string) => ({ type: "mention", text: `<at>${name}</at>`, mentioned: { id, name } });
const own = mention("Hookline", bot);

function given(more: object, conversation: object = { conversationType: "groupChat" }): Activity {
	const read = readActivity(JSON.stringify({ type: "message", id: "1", channelId: "msteams", serviceUrl: "https://x", from: { id: "29:a" }, recipient: { id: bot }, conversation: { id: "19:g", ...conversation }, ...more }));
	assert.ok(!("mistake" in read));
	return read;
}

function said(more: object, conversation?: object): readonly [string, true | undefined] | undefined {
	const meaning = meaningOf(given(more, conversation));
	return meaning.kind === "message" ? [meaning.message.text, meaning.message.toAgent] : undefined;
}

const mentions: readonly (readonly [string, object, readonly [string, true | undefined]])[] = [
	["at the beginning", { text: " <at>Hookline</at>\u00a0 go ", entities: [own] }, ["go", true]],
	["twice at the beginning", { text: "<at>Hookline</at> <at>Hookline</at> go", entities: [own, own] }, ["go", true]],
	["later in the text", { text: "ask <at>Hookline</at> now", entities: [own] }, ["ask @Hookline now", true]],
	["of somebody else, then of the bot", { text: "<at>kitchen</at> <at>Hookline</at>", entities: [mention("kitchen", "29:k"), own] }, ["@kitchen @Hookline", true]],
	["of somebody of the same name", { text: "<at>Hookline</at> go", entities: [mention("Hookline", "29:h")] }, ["@Hookline go", undefined]],
	["with an id of its own", { text: `<at id="0">Hookline</at> go`, entities: [{ ...own, text: `<at id="0">Hookline</at>` }] }, ["go", true]],
	["none, and an answer to the bot", { text: "and?", entities: [{ type: "quotedReply", quotedReply: { messageId: "7", senderId: bot } }] }, ["and?", true]],
	["none, and an answer to somebody else", { text: "and?", entities: [{ type: "quotedReply", quotedReply: { messageId: "7", senderId: "29:k" } }] }, ["and?", undefined]],
	["none, and a button", { value: { hookline: { says: "/deny 1" } } }, ["/deny 1", true]],
	["none, and angle brackets", { text: "a <b> & </at> c" }, ["a <b> & </at> c", undefined]],
];
for (const [name, more, expected] of mentions) {
	test(`mentions: ${name}`, () => {
		assert.deepEqual(said(more), expected);
	});
}

test("in a chat of two nothing needs a mention", () => {
	assert.deepEqual(said({ text: "<at>Hookline</at> go", entities: [own] }, { conversationType: "personal" }), ["go", undefined]);
});

test("a mention alone says nothing", () => {
	assert.equal(said({ text: "<at>Hookline</at>", entities: [own] }), undefined);
});

test("a chat is known by its kind, and by its thread", () => {
	const where = ({ chatId, threadId, chatType }: Activity) => [chatId, threadId, chatType];
	assert.deepEqual(where(given({}, { id: "19:c@thread.tacv2;messageid=17", conversationType: "channel" })), ["19:c@thread.tacv2", "17", "channel"]);
	assert.deepEqual(where(given({}, { id: "19:c;messageid=", conversationType: "channel" })), ["19:c", undefined, "channel"]);
	assert.deepEqual(where(given({}, { isGroup: true })), ["19:g", undefined, "group"]);
	assert.deepEqual(where(given({}, { id: "a:1" })), ["a:1", undefined, "dm"]);
});

test("people are known by their id in the directory, and without one by that of Teams", () => {
	const who = (from: object) => {
		const meaning = meaningOf(given({ text: "x", from }));
		return meaning.kind === "message" && meaning.message.userId;
	};
	assert.deepEqual([who({ id: "29:a", aadObjectId: "00-a" }), who({ id: "29:a" })], ["00-a", "29:a"]);
});

test("a card of somebody else is no button of ours", () => {
	assert.equal(said({ value: { says: "/approve 1", hookline: "x" } }), undefined);
});
