// The Discord platform with its real library against a fake of Discord's own protocol: messages in and out. Its connection: discord-connection.test.ts.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type OutboundText, RetryLaterError, UndeliverableError } from "../../src/gateway/platform.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { contentOf, platformContract, RealDoor } from "../contracts/platform.ts";
import { bot, channel, direct, otherDirect, person, server, thread } from "./discord-fake.ts";
import { openDiscord } from "./discord-opened.ts";

const signal = new AbortController().signal;
const outbound = (chatId: string, text: string, more: Partial<OutboundText> = {}): OutboundText => ({ key: text, chatId, text, purpose: "answer", ...more });

platformContract({
	name: "discord",
	chats: [direct, otherDirect],
	async open() {
		const opened = await openDiscord();
		const { fake, platform } = opened;
		const sent = (chat: string) => fake.messages.filter((one) => one.channel === chat);
		return {
			platform,
			say: ({ chat, ...words }) => fake.say(chat, words),
			sees: async (chat) => sent(chat).map(({ content }) => content),
			press: async (chat, label) => fake.press(chat, label),
			buttons: async (chat) => sent(chat).at(-1)!.components.flatMap(({ components }) => components.map(({ label }) => label)),
			files: async (chat) => sent(chat).flatMap(({ files }) => files),
			[Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
		};
	},
});

test("in a server, what is said to the agent is marked: its mention, which is taken off the text, or a reply to a text of its own", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	const door = new RealDoor();
	await platform.start(door);
	await fake.say(channel, { text: "among ourselves" });
	await fake.say(channel, { text: `<@${bot.id}> what is for dinner?` });
	await fake.say(channel, { text: `ask <@!${bot.id}> then` });
	await fake.say(channel, { text: "why?", fields: { type: 19, message_reference: { message_id: "1" }, referenced_message: { author: bot } } });
	await fake.say(channel, { text: "no!", fields: { type: 19, message_reference: { message_id: "1" }, referenced_message: { author: person } } });
	assert.deepEqual(
		door.messages.map(({ chatId, chatType, text, toAgent }) => [chatId, chatType, text, toAgent]),
		[
			[channel, "group", "among ourselves", undefined],
			[channel, "group", "what is for dinner?", true],
			[channel, "group", `ask <@!${bot.id}> then`, true],
			[channel, "group", "why?", true],
			[channel, "group", "no!", undefined],
		],
	);
});

test("nobody is answered who is a bot, Discord itself or a webhook, nor what is edited, empty or a sticker", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	const door = new RealDoor();
	await platform.start(door);
	await platform.send(outbound(direct, "my own words"), signal);
	fake.tell(direct, { text: "beep", fields: { author: { id: "5", bot: true } } });
	fake.tell(channel, { text: "posted", fields: { webhook_id: "6" } });
	fake.tell(channel, { text: "", fields: { type: 7 } });
	fake.tell(channel, { text: "pinned", fields: { type: 6 } });
	fake.tell(direct, { text: "", fields: { sticker_items: [{ id: "7", name: "wave", format_type: 1 }] } });
	fake.gateway.dispatch("MESSAGE_UPDATE", { id: "8", channel_id: direct, author: person, content: "edited", type: 0, mentions: [], attachments: [] });
	await fake.say(direct, { text: "a person" });
	assert.deepEqual(door.messages.map(({ text }) => text), ["a person"]);
});

test("a thread is a thread of its channel, asked for once, and what is said there is answered there", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	const door = new RealDoor();
	await platform.start(door);
	const id = await fake.say(thread, { text: "one" });
	await fake.say(thread, { text: "two" });
	assert.deepEqual(door.messages.map(({ chatId, threadId, chatType }) => [chatId, threadId, chatType]), [[channel, thread, "group"], [channel, thread, "group"]]);
	assert.equal(fake.calls.filter(({ path }) => path === `/channels/${thread}`).length, 1);
	await platform.send(outbound(channel, "three", { threadId: thread, replyTo: id }), signal);
	assert.deepEqual(fake.messages.map(({ channel: where, repliesTo }) => [where, repliesTo]), [[thread, id]]);
});

test("replies name their message in a server, but not in direct messages; one that is gone does no harm", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	await platform.start(new RealDoor());
	const there = await fake.say(channel, { text: "there" });
	const here = await fake.say(direct, { text: "here" });
	await platform.send(outbound(channel, "a", { replyTo: there }), signal);
	await platform.send(outbound(direct, "b", { replyTo: here }), signal);
	await platform.send(outbound(channel, "c", { replyTo: "123456789012345678" }), signal);
	await platform.send(outbound(channel, "d", { replyTo: "interaction:5" }), signal);
	assert.deepEqual(fake.messages.map(({ repliesTo }) => repliesTo), [there, undefined, undefined, undefined]);
	assert.equal(fake.calls.filter(({ method }) => method === "POST").length, 4, "none was refused");
});

test("slash commands are registered with one call, and come in as people would type them; who ran one alone sees that it was taken", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	const door = new RealDoor();
	await platform.start(door);
	await eventually(() => fake.calls.some(({ method }) => method === "PUT"), "the commands are registered");
	assert.deepEqual((fake.calls.find(({ method }) => method === "PUT")!.body as unknown as readonly { readonly name: string }[]).map(({ name }) => name), ["help", "deny"]);
	const id = fake.run(channel, "deny", "k3m9 too risky");
	await eventually(() => fake.responses.has(id), "it is answered");
	const [message] = door.messages;
	assert.deepEqual([message!.chatId, message!.text, message!.toAgent, message!.userId], [channel, "/deny k3m9 too risky", true, person.id]);
	assert.deepEqual(fake.responses.get(id), { type: 4, data: { content: "`/deny k3m9 too risky`", flags: 64, allowed_mentions: { parse: [] } } });
});

test("a button that cannot be taken stays, and whoever pressed it is told; one that a stranger presses stays too", async () => {
	await using opened = await openDiscord();
	const { fake, platform, warnings } = opened;
	const door = new RealDoor();
	door.answer = async () => {
		throw new Error("the disk is full");
	};
	await platform.start(door);
	await platform.send(outbound(channel, "May I?", { buttons: [{ label: "Once", says: "/approve k3m9 once" }] }), signal);
	const first = fake.press(channel, "Once");
	await eventually(() => fake.responses.has(first), "it is answered");
	assert.deepEqual([fake.responses.get(first)!["type"], fake.messages[0]!.components.length], [4, 1]);
	assert.deepEqual(warnings, ["discord: a button was not taken: the disk is full"]);
	door.answer = async () => ({ kind: "stranger", reason: "who are you?" });
	const second = fake.press(channel, "Once");
	await eventually(() => fake.responses.has(second), "it is answered");
	assert.deepEqual([fake.responses.get(second)!["type"], fake.messages[0]!.components.length], [6, 1]);
	door.answer = async () => ({ kind: "accepted" });
	fake.intercept = (_, path) => (path.endsWith("/callback") ? { status: 404, body: { code: 10062, message: "Unknown interaction" } } : undefined);
	fake.press(channel, "Once");
	await eventually(() => fake.messages[0]!.components.length === 0, "buttons go also where Discord waits no more for an answer");
	assert.equal(new Set(door.messages.map(({ messageId }) => messageId)).size, 3);
});

test("reactions come in, with the thread they are in; the agent's own do not", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	const door = new RealDoor();
	await platform.start(door);
	const reaction = { message_id: "77", user_id: person.id, emoji: { id: null, name: "👍" } };
	fake.gateway.dispatch("MESSAGE_REACTION_ADD", { ...reaction, channel_id: thread, guild_id: server, member: { user: person } });
	fake.gateway.dispatch("MESSAGE_REACTION_ADD", { ...reaction, channel_id: thread, guild_id: server, user_id: bot.id });
	fake.gateway.dispatch("MESSAGE_REACTION_REMOVE", { ...reaction, channel_id: thread, guild_id: server, emoji: { id: "9", name: "party" } });
	await eventually(() => door.reactions.length === 2, "both come in");
	const common = { chatId: channel, threadId: thread, chatType: "group", userId: person.id, messageId: "77" };
	assert.deepEqual(door.reactions, [{ ...common, reaction: "👍", kind: "added" }, { ...common, reaction: ":party:", kind: "removed" }]);
});

test("files come in without any folder in their names, forwarded ones too, and are only fetched when they are read", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	const door = new RealDoor();
	await platform.start(door);
	await fake.say(direct, { text: "", file: { name: "../../notes.txt", content: "grün" } });
	await fake.say(direct, { text: "", fields: { message_reference: { type: 1, message_id: "1" }, message_snapshots: [{ message: { content: "passed on", attachments: [{ id: "3", filename: "b.txt", size: 1, url: `${fake.address}/cdn/none` }] } }] } });
	const [first, second] = door.messages;
	assert.deepEqual([first!.text, first!.files![0]!.name, first!.files![0]!.bytes, first!.files![0]!.mediaType], ["", "notes.txt", 5, "text/plain"]);
	assert.equal(await contentOf(first!.files![0]!), "grün");
	assert.equal(second!.text, "passed on");
	await assert.rejects(contentOf(second!.files![0]!), { message: "Discord does not give the file b.txt: it answers 404." });
});

test("a text that comes a second time is shown once; more files than a message holds go in several", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	await platform.start(new RealDoor());
	const folder = mkdtempSync(join(tmpdir(), "hookline-discord-files-"));
	try {
		const files = Array.from({ length: 12 }, (_, i) => ({ path: join(folder, String(i)), name: `${i}.txt`, mediaType: "text/plain" }));
		for (const { path, name } of files) writeFileSync(path, name);
		const text = outbound(direct, "here", { files });
		const first = await platform.send(text, signal);
		assert.deepEqual(await platform.send(text, signal), first);
		assert.deepEqual(fake.messages.map(({ content, files: got }) => [content, got.length]), [["here", 10], ["", 2]]);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

test("a pause that Discord asks for is handed on at once", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	await platform.start(new RealDoor());
	fake.intercept = () => ({ status: 429, body: { message: "You are being rate limited.", retry_after: 300.25, global: false }, headers: { "Retry-After": "301" } });
	await assert.rejects(platform.send(outbound(direct, "x"), signal), (error) => error instanceof RetryLaterError && error.afterMs === 300_250);
	fake.intercept = () => ({ status: 429, body: "slow down", headers: { "Retry-After": "7" } });
	await assert.rejects(platform.edit("5", outbound(direct, "x"), signal), (error) => error instanceof RetryLaterError && error.afterMs === 7_000);
	fake.intercept = () => undefined;
	await platform.send(outbound(direct, "x"), signal);
	assert.equal(fake.messages.length, 1);
});

test("what Discord will never take says what to do; what another try may bring is another error, and none of them names the token", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	await platform.start(new RealDoor());
	const failure = async (status: number, body: unknown, chat = direct): Promise<Error> => {
		fake.intercept = () => ({ status, body });
		try {
			await platform.send(outbound(chat, "x"), signal);
		} catch (error) {
			assert.ok(error instanceof Error && !String(error.stack).includes(fake.token));
			return error;
		}
		assert.fail("it was sent");
	};
	const blocked = await failure(403, { code: 50007, message: "Cannot send messages to this user" });
	assert.ok(blocked instanceof UndeliverableError);
	assert.equal(blocked.message, "Discord refuses: this person takes no direct messages from the bot: they have to share a server with it, allow direct messages there, and not block it (50007)");
	assert.ok((await failure(404, { code: 10003, message: "Unknown Channel" })) instanceof UndeliverableError);
	assert.ok((await failure(400, { code: 200000, message: "Message was blocked by automatic moderation" })) instanceof UndeliverableError);
	assert.ok((await failure(200, {}, "the kitchen")) instanceof UndeliverableError);
	for (const [status, body] of [[403, "error code: 1015"], [404, "<html>"], [500, { code: 0, message: "500" }], [502, "bad gateway"], [401, { code: 0 }]] as const) {
		const error = await failure(status, body);
		assert.ok(!(error instanceof UndeliverableError), `${status} is worth another try`);
	}
	await fake.stop();
	await assert.rejects(platform.send(outbound(direct, "x"), signal), /^Error: Discord cannot be reached: /);
});

test("a text is not lost to its buttons or to what it replies to: where Discord refuses those, it goes without", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	await platform.start(new RealDoor());
	const buttons = [{ label: "Yes", says: "yes" }, { label: "No", says: "yes" }];
	await platform.send(outbound(channel, "**May I?**", { buttons }), signal);
	assert.deepEqual(fake.messages.map(({ content, components }) => [content, components]), [["**May I?**", []]]);
});

test("'is typing' is shown once in some seconds for each chat, and what goes wrong with it concerns nobody", async () => {
	await using opened = await openDiscord();
	const { fake, platform, warnings } = opened;
	await platform.start(new RealDoor());
	fake.intercept = (_, path) => (path.endsWith("/typing") ? { status: 500 } : undefined);
	for (let i = 0; i < 100; i++) for (const chatId of [direct, channel]) platform.show({ chatId }, { kind: "typing" });
	platform.show({ chatId: channel, threadId: thread }, { kind: "typing" });
	await platform.send(outbound(direct, "x"), signal);
	await eventually(() => fake.calls.filter(({ path }) => path.endsWith("/typing")).length === 3, "three chats");
	assert.deepEqual(warnings, []);
});

test("a chat whose messages cannot be kept holds up no other, and keeps its order", async () => {
	await using opened = await openDiscord();
	const { fake, platform, warnings } = opened;
	const door = new RealDoor();
	const kept: string[] = [];
	let full = true;
	const accept = door.accept.bind(door);
	door.accept = async (message) => {
		if (full && message.chatId !== otherDirect) throw new Error("too many wait");
		kept.push(message.text);
		return accept(message);
	};
	await platform.start(door);
	for (let i = 0; i < 40; i++) fake.tell(direct, { text: `a${i}` });
	fake.tell(channel, { text: "c" });
	fake.tell(otherDirect, { text: "b" });
	await eventually(() => kept.includes("b"), "the other chat is served");
	full = false;
	await fake.say(direct, { text: "a40" });
	assert.deepEqual(kept.filter((text) => text.startsWith("a")), Array.from({ length: 41 }, (_, i) => `a${i}`));
	assert.deepEqual(warnings, ["discord: a message was not taken, and is tried again: too many wait"]);
});
