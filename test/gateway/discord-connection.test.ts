// The Discord platform's connection: what is lost is had again, and what was not taken comes again. With the real library against the fake.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { Accepted } from "../../src/gateway/platform.ts";
import { Discord } from "../../src/platforms/discord/discord.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { RealDoor } from "../contracts/platform.ts";
import { bot, channel, direct, DiscordFake, otherDirect } from "./discord-fake.ts";
import { openDiscord } from "./discord-opened.ts";

const signal = new AbortController().signal;
const textsOf = (door: RealDoor) => door.messages.map(({ text }) => text);

test("what is said while the connection is gone comes when it is taken up again, once and in order, and a short loss is no news", async () => {
	await using opened = await openDiscord();
	const { fake, platform, warnings } = opened;
	const door = new RealDoor();
	await platform.start(door);
	await fake.say(direct, { text: "before" });
	const endings = [() => fake.gateway.drop(), () => fake.gateway.send({ op: 7, d: null }), () => fake.gateway.close(4000), () => fake.gateway.close(1000)];
	for (const [i, end] of endings.entries()) {
		end();
		await eventually(() => !fake.gateway.isConnected || i === 1, "the connection is gone");
		await fake.say(direct, { text: `during ${i}` });
	}
	assert.deepEqual(textsOf(door), ["before", "during 0", "during 1", "during 2", "during 3"]);
	assert.deepEqual([fake.gateway.identified, fake.gateway.resumed], [1, 4]);
	assert.equal(fake.calls.filter(({ path }) => path === "/gateway/bot").length, 1, "where to take it up again is known");
	assert.deepEqual(warnings, []);
});

test("what is still in hand when the connection is lost is not taken twice", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	const door = new RealDoor();
	const kept = Promise.withResolvers<Accepted>();
	door.answer = () => kept.promise;
	await platform.start(door);
	const { sequence } = fake.tell(direct, { text: "slow" });
	await eventually(() => door.messages.length === 1, "it is in hand");
	fake.gateway.drop();
	await eventually(() => fake.gateway.resumed === 1 && platform.connected, "the connection is back");
	kept.resolve({ kind: "accepted" });
	await fake.gateway.whenTaken(sequence);
	await fake.say(direct, { text: "next" });
	assert.deepEqual(textsOf(door), ["slow", "next"]);
});

test("a session that Discord has forgotten is begun anew", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	const door = new RealDoor();
	await platform.start(door);
	fake.gateway.forget();
	fake.gateway.drop();
	await eventually(() => fake.gateway.identified === 2, "a new session is begun");
	await fake.say(direct, { text: "after" });
	fake.gateway.send({ op: 9, d: false });
	await eventually(() => fake.gateway.identified === 3, "and another one");
	await fake.say(direct, { text: "after that" });
	assert.deepEqual(textsOf(door), ["after", "after that"]);
	assert.equal(fake.calls.filter(({ method }) => method === "PUT").length, 1, "commands are registered once");
});

test("a connection on which heartbeats get no answer is given up and had anew", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	fake.gateway.heartbeatMs = 50;
	fake.gateway.deaf = true;
	const door = new RealDoor();
	await platform.start(door);
	await eventually(() => fake.gateway.connected > 1, "another connection is tried");
	fake.gateway.heartbeatMs = 45_000;
	fake.gateway.deaf = false;
	await eventually(() => platform.connected && fake.gateway.isConnected, "it is back");
	await fake.say(direct, { text: "hello" });
	assert.ok(textsOf(door).includes("hello"));
});

test("what was not taken when the process ended comes again to the next one, and what was taken does not", async () => {
	await using opened = await openDiscord();
	const { fake, platform, again } = opened;
	const first = new RealDoor();
	await platform.start(first);
	await fake.say(direct, { text: "taken" });
	first.answer = async () => {
		throw new Error("the disk is full");
	};
	fake.tell(direct, { text: "not taken" });
	fake.tell(otherDirect, { text: "not taken either" });
	await eventually(() => first.messages.length >= 3, "it was tried");
	await platform.stop();
	await platform.close();
	fake.tell(direct, { text: "meanwhile" });
	const second = new RealDoor();
	await again().start(second);
	await eventually(() => second.messages.length === 3, "the rest comes");
	assert.deepEqual(textsOf(second).toSorted(), ["meanwhile", "not taken", "not taken either"]);
	assert.equal(fake.gateway.identified, 1, "the session was taken up again");
	await fake.say(channel, { text: `<@${bot.id}> and now?` });
	assert.deepEqual([second.messages[3]!.text, second.messages[3]!.toAgent], ["and now?", true], "it knows who it is");
});

test("a wrong token ends the start with one line that says what to do and does not hold the token", async () => {
	await using opened = await openDiscord();
	const line = "Discord refuses the bot's token. Take the one of the developer portal (your application, Bot, Reset Token), put it where gateway.discord.token_env or token_file says, and start the gateway again.";
	await assert.rejects(opened.again("another.token").start(new RealDoor()), { message: line });
	await opened.platform.start(new RealDoor());
	await opened.platform.stop();
	opened.fake.gateway.revoked = true;
	await assert.rejects(opened.again().start(new RealDoor()), { message: line }, "also where a session could be taken up again");
});

test("a token that is taken back later is one warning, and nothing is tried any more", async () => {
	await using opened = await openDiscord();
	const { fake, platform, warnings } = opened;
	await platform.start(new RealDoor());
	fake.gateway.revoked = true;
	fake.gateway.close(4004);
	await eventually(() => warnings.length === 1, "it is told");
	assert.match(warnings[0]!, /^discord: Discord refuses the bot's token\. .* It is not tried again\.$/);
	assert.equal(platform.connected, false);
	const before = fake.gateway.connected;
	await new Promise((resolve) => setTimeout(resolve, 100));
	assert.equal(fake.gateway.connected, before);
	assert.equal(warnings.length, 1);
});

test("where Discord is down at the start, it goes on trying, and says so once, and once that it is back", async () => {
	const fake = await DiscordFake.start();
	const { api, port, token } = fake;
	await fake.stop();
	await using opened = await openDiscord();
	const warnings: string[] = [];
	let tries = 0;
	const platform = new Discord({ token, api, folder: opened.folder, commands: [], warn: (message) => warnings.push(message), pauseMs: () => (tries++, 10) });
	const door = new RealDoor();
	await platform.start(door);
	assert.equal(platform.connected, false);
	await eventually(() => tries > 5, "it is tried again and again");
	assert.equal(warnings.length, 1);
	assert.match(warnings[0]!, /^discord: Discord cannot be reached: .+\. It is tried again until it is back\.$/);
	const back = await DiscordFake.start(port);
	try {
		await eventually(() => back.gateway.isConnected, "it is back");
		await back.say(direct, { text: "there you are" });
		assert.deepEqual(textsOf(door), ["there you are"]);
		assert.equal(platform.connected, true);
		assert.deepEqual(warnings.slice(1), ["discord: connected again."]);
	} finally {
		await platform.stop();
		await platform.close();
		await back.stop();
	}
});

test("a server that takes connections and says nothing does not hold up the start for long, nor the end at all", async () => {
	const silent = createServer(() => {});
	silent.listen(0, "127.0.0.1");
	await once(silent, "listening");
	await using opened = await openDiscord();
	const platform = new Discord({ token: "x", api: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/api`, folder: opened.folder, commands: [], warn: () => {} });
	await platform.start(new RealDoor());
	const began = performance.now();
	await platform.stop();
	await platform.close();
	assert.ok(performance.now() - began < 3_000);
	silent.close();

	opened.fake.gateway.mute = true;
	const muted = opened.again();
	const starting = muted.start(new RealDoor());
	await eventually(() => opened.fake.gateway.connected === 1, "it is connected");
	const ended = performance.now();
	await muted.stop();
	await muted.close();
	assert.ok(performance.now() - ended < 3_000);
	await starting;
});

test("without the Message Content Intent it connects all the same, says so, and hears what is said to it", async () => {
	await using opened = await openDiscord();
	const { fake, platform, warnings } = opened;
	fake.gateway.mayReadAll = false;
	const door = new RealDoor();
	await platform.start(door);
	fake.tell(channel, { text: "among ourselves" });
	await fake.say(channel, { text: `<@${bot.id}> hello` });
	await fake.say(direct, { text: "hello you" });
	assert.deepEqual(textsOf(door), ["hello", "hello you"]);
	assert.equal(warnings.length, 1);
	assert.match(warnings[0]!, /^discord: the Message Content Intent is off, .* developer portal/);
});

test("what cannot be read is told once and left out, and what comes after it is handled", async () => {
	await using opened = await openDiscord();
	const { fake, platform, warnings } = opened;
	const door = new RealDoor();
	await platform.start(door);
	const { gateway } = fake;
	gateway.send("no JSON {");
	gateway.send("null");
	gateway.send({ op: 9 });
	gateway.send({ op: 99, d: {} });
	for (const event of ["MESSAGE_CREATE", "INTERACTION_CREATE", "MESSAGE_REACTION_ADD", "GUILD_CREATE"]) for (const d of [null, {}, "x", { author: {}, type: 0, content: 5 }, { id: 5, channel_id: direct, author: { id: {} }, content: "x", type: 0 }]) gateway.dispatch(event, d);
	await fake.say(direct, { text: "still there?" });
	assert.deepEqual(textsOf(door), ["still there?"]);
	assert.ok(warnings.length >= 1 && warnings.length <= 2, warnings.join("\n"));
	assert.ok(warnings.every((line) => line.startsWith("discord: something came that cannot be read, and is left out: ")), warnings.join("\n"));
});

test("slash commands that cannot be registered are a warning and nothing more", async () => {
	await using opened = await openDiscord();
	const { fake, platform, warnings } = opened;
	fake.intercept = (method) => (method === "PUT" ? { status: 403, body: { code: 50001, message: "Missing Access" } } : undefined);
	const door = new RealDoor();
	await platform.start(door);
	await eventually(() => warnings.length === 1, "it is told");
	assert.match(warnings[0]!, /^discord: people are not shown the slash commands/);
	await fake.say(direct, { text: "/help" });
	assert.deepEqual(textsOf(door), ["/help"]);
});

test("5,000 messages at once are all taken, in their order", async () => {
	await using opened = await openDiscord();
	const { fake, platform } = opened;
	const door = new RealDoor();
	await platform.start(door);
	for (let i = 0; i < 4_999; i++) fake.tell(i % 2 === 0 ? direct : otherDirect, { text: String(i) });
	await fake.say(direct, { text: "4999" });
	await eventually(() => door.messages.length === 5_000, "all are taken");
	for (const chat of [direct, otherDirect]) {
		const numbers = door.messages.filter(({ chatId }) => chatId === chat).map(({ text }) => Number(text));
		assert.deepEqual(numbers, numbers.toSorted((a, b) => a - b));
	}
	await platform.send({ key: "k", chatId: direct, text: "done", purpose: "answer" }, signal);
});
