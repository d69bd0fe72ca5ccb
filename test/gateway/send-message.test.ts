// The tool send_message, called by the model in a conversation.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sendMessage } from "../../src/gateway/send-message.ts";
import { type Brings, Chatting, Kept } from "./chatting.ts";

const chatting = (kept: Kept, brings: Brings = { chat: "http:a" }) => Chatting.open({ ...brings, tools: [sendMessage(kept)] });
const sent = (kept: Kept) => kept.sent.map(({ to, text }) => `${to}: ${text}`);

test("a text goes to another chat, to a thread, home, or to this chat", async () => {
	const kept = new Kept("telegram:1");
	await using chat = await chatting(kept, { chat: "http:a#t" });
	assert.equal(await chat.call("send_message", { to: "telegram:123#7", text: "hello" }), "It is on its way to telegram:123#7.");
	await chat.call("send_message", { to: "home", text: "hello" });
	await chat.call("send_message", { to: "here", text: "hello" });
	assert.deepEqual(sent(kept), ["telegram:123#7: hello", "telegram:1: hello", "http:a#t: hello"]);
	assert.equal(new Set(kept.sent.map(({ key }) => key)).size, 3, "each call has a key of its own");
});

test("hooks change what is sent or withhold it, and the model hears of it", async () => {
	const kept = new Kept();
	await using chat = await chatting(kept);
	kept.hook = (text) => ({ text: text.toUpperCase() });
	assert.equal(await chat.call("send_message", { to: "here", text: "hello" }), "It is on its way to http:a, as a hook has changed it: HELLO.");
	kept.hook = () => ({ withheld: "No secrets." });
	assert.equal(await chat.call("send_message", { to: "here", text: "hello" }), "It was not sent: No secrets.");
	assert.deepEqual(sent(kept), ["http:a: HELLO"]);
});

test("what cannot be is said in a sentence, and nothing is sent", async () => {
	const kept = new Kept();
	await using chat = await chatting(kept, {});
	const mistakes = [
		[{ to: "telegramm:1", text: "x" }, /^There is no platform 'telegramm' here\. Did you mean 'telegram'\? There is http, telegram\.$/],
		[{ to: "slack:C1", text: "x" }, /^There is no platform 'slack' here\. There is http, telegram\.$/],
		[{ to: "#ops", text: "x" }, /^'#ops' is no chat\. Write 'home', 'here' or PLATFORM:CHAT/],
		[{ to: "here", text: "x" }, /^This turn is not part of any chat\./],
		[{ to: "home", text: "x" }, /^There is no home chat: the owner can set gateway\.home_chat/],
		[{ to: "http:a" }, /^There is nothing to send/],
		[{ to: "http:a", text: " " }, /^There is nothing to send/],
	] as const;
	for (const [args, expected] of mistakes) assert.match(await chat.call("send_message", args), expected);
	assert.deepEqual(kept.sent, []);
});

test("files go along when they are plain files that the platform takes", async () => {
	const kept = new Kept();
	await using chat = await chatting(kept);
	const { work } = chat.opened;
	writeFileSync(join(work, "a.pdf"), "0123456789");
	writeFileSync(join(work, "large"), "0123456789a");
	mkdirSync(join(work, "folder"));
	await chat.call("send_message", { to: "telegram:1", files: ["a.pdf"] });
	assert.deepEqual(kept.sent.map(({ text, files }) => ({ text, files })), [{ text: "", files: [{ path: join(work, "a.pdf"), name: "a.pdf", mediaType: "application/pdf" }] }]);
	const send = (to: string, file: string) => chat.call("send_message", { to, text: "x", files: ["a.pdf", file] });
	assert.match(await send("telegram:1", "large"), /^'large' has 11 bytes, and telegram takes 10 bytes at most\. Nothing was sent\.$/);
	assert.match(await send("telegram:1", "folder"), /^'folder' is a folder, not a file\. Nothing was sent\.$/);
	assert.match(await send("telegram:1", "/dev/null"), /^'\/dev\/null' is a device, a pipe or a socket, not a file\./);
	assert.match(await send("telegram:1", "b.pdf"), /^There is no 'b\.pdf'\. In the same folder there is 'a\.pdf'\. Nothing was sent\.$/);
	assert.match(await send("http:a", "a.pdf"), /^Files cannot be sent to http\. Nothing was sent;/);
	assert.equal(kept.sent.length, 1);
});

test("for somebody who is no owner it sends nothing to chats of others", async () => {
	const kept = new Kept("telegram:1");
	await using chat = await chatting(kept, { chat: "http:a", role: "user" });
	assert.match(await chat.call("send_message", { to: "telegram:2", text: "x" }), /^Only the owner of this agent can have something sent to other chats/);
	await chat.call("send_message", { to: "telegram:1", text: "to the owner" });
	await chat.call("send_message", { to: "http:a", text: "to me" });
	assert.deepEqual(sent(kept), ["telegram:1: to the owner", "http:a: to me"]);
});
