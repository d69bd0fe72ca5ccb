// Microsoft Teams, held to what every platform has to do, and what is its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Accepted } from "../../src/gateway/platform.ts";
import { Kept } from "../../src/platforms/teams/kept.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { Place } from "../cli/program.ts";
import { contentOf, platformContract, RealDoor } from "../contracts/platform.ts";
import { Served } from "./served.ts";
import { bot, clientId, secret, TeamsFake, tenantId, tokenOf } from "./teams-fake.ts";
import { openTeams, outbound, signal } from "./teams-opened.ts";

const groupChat = { conversation: { id: "19:group@thread.v2", conversationType: "groupChat", tenantId } };
const channel = { conversation: { id: "19:team@thread.tacv2;messageid=1699", conversationType: "channel", tenantId } };
const mention = { type: "mention", text: "<at>Hookline</at>", mentioned: { id: bot, name: "Hookline" } };

platformContract({ name: "teams", chats: ["a:1", "a:2"], open: () => openTeams() });

test("in groups a mention at the beginning goes, and what is not said to the bot is marked so", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	const door = new RealDoor();
	await platform.start(door);
	const chat = groupChat.conversation.id;
	await fake.say({ chat, text: "<at>Hookline</at>&nbsp;ask <at>kitchen</at>", more: { ...groupChat, entities: [mention] } });
	await fake.say({ chat, text: "among us", more: groupChat });
	await fake.say({ chat: channel.conversation.id, text: "here", more: channel });
	assert.deepEqual(
		door.messages.map(({ chatId, threadId, chatType, text, toAgent, userId }) => [chatId, threadId, chatType, text, toAgent, userId]),
		[
			[chat, undefined, "group", "ask @kitchen", true, "00000000-0000-4000-8000-00000000000a"],
			[chat, undefined, "group", "among us", undefined, "00000000-0000-4000-8000-00000000000a"],
			["19:team@thread.tacv2", "1699", "channel", "here", undefined, "00000000-0000-4000-8000-00000000000a"],
		],
	);
	await platform.send({ ...outbound("in the thread", "19:team@thread.tacv2"), threadId: "1699", replyTo: "1700" }, signal);
	await platform.send({ ...outbound("not in it", "a:1"), replyTo: "1" }, signal);
	assert.equal(fake.shown("19:team@thread.tacv2")[0]!.conversation, channel.conversation.id);
	assert.equal(fake.shown("19:team@thread.tacv2")[0]!.body["replyToId"], "1700");
	assert.equal("replyToId" in fake.shown("a:1")[0]!.body, false);
});

test("after a restart a chat is reached where its messages came from, and one nobody heard of at the usual place", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	await platform.start(new RealDoor());
	await fake.say({ chat: "a:1", text: "hello" });
	await platform.stop();
	const again = opened.again();
	await again.send(outbound("back"), signal);
	await again.send(outbound("first", "a:2"), signal);
	assert.deepEqual([fake.sees("a:1"), fake.sees("a:2")], [["back"], ["first"]]);
	assert.deepEqual([fake.count(/^POST \/emea\/v3\/conversations\/a:1\//), fake.count(/^POST \/v3\/conversations\/a:2\//)], [1, 1]);
	await again.close();
});

test("a chat that has moved is reached where it is now", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	await platform.start(new RealDoor());
	await fake.say({ chat: "a:1", text: "hello" });
	const serviceUrl = `${fake.address}/`;
	assert.equal((await fake.deliver(fake.activity("a:1", { text: "moved", serviceUrl }), tokenOf(fake.claims({ serviceurl: serviceUrl })))).status, 200);
	await platform.send(outbound("here"), signal);
	assert.deepEqual([fake.sees("a:1"), fake.count(/^POST \/v3\/conversations\/a:1\//)], [["here"], 1]);
});

test("what bots say, what is changed later, and who comes and goes are no messages", async () => {
	await using opened = await openTeams();
	const { platform, fake, file } = opened;
	const door = new RealDoor();
	await platform.start(door);
	const nothing = [
		{ text: "x", from: { id: bot, name: "Hookline" } },
		{ text: "x", from: { id: "29:2", role: "bot" } },
		{ type: "messageUpdate", text: "changed" },
		{ type: "messageDelete" },
		{ type: "typing" },
		{ type: "conversationUpdate", membersAdded: [{ id: bot }] },
		{ type: "event", name: "application/vnd.microsoft.meetingStart" },
		{ attachments: [{ contentType: "text/html", content: "<p></p>" }] },
	];
	for (const more of nothing) assert.equal((await fake.deliver(fake.activity("a:1", more))).status, 200);
	assert.deepEqual(door.messages, []);
	const kept = new Kept(file);
	assert.deepEqual(kept.conversation("a:1"), { serviceUrl: fake.serviceUrl, bot, isGroup: false });
	await fake.deliver(fake.activity("a:1", { type: "conversationUpdate", membersRemoved: [{ id: bot }] }));
	assert.equal(kept.conversation("a:1"), undefined);
	kept.close();
});

test("reactions are handed in, each with whether it came or went", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	const door = new RealDoor();
	await platform.start(door);
	assert.equal((await fake.deliver(fake.activity("a:1", { type: "messageReaction", replyToId: "17", reactionsAdded: [{ type: "like" }], reactionsRemoved: [{ type: "heart" }] }))).status, 200);
	assert.deepEqual(door.reactions.map(({ chatId, messageId, reaction, kind }) => [chatId, messageId, reaction, kind]), [
		["a:1", "17", "like", "added"],
		["a:1", "17", "heart", "removed"],
	]);
});

test("buttons go also when they are pressed after a restart, the question stays as it was, and other requests of cards are refused", async () => {
	await using opened = await openTeams();
	const { platform, fake, file } = opened;
	await platform.send({ ...outbound("**May** I?"), purpose: "question", buttons: [{ label: "Yes", says: "/approve 1" }] }, signal);
	await platform.close();
	const again = opened.again();
	// What stands behind the server of the fake is the new one.
	Object.assign(platform, { webhook: again.webhook, close: () => again.close(), stop: () => again.stop() });
	const door = new RealDoor();
	await again.start(door);
	const invoke = { type: "invoke", name: "adaptiveCard/action", replyToId: fake.shown("a:1")[0]!.id, value: { action: { type: "Action.Execute", data: { hookline: { says: "/approve 1" } } } } };
	const response = await fake.deliver(fake.activity("a:1", invoke));
	assert.deepEqual([response.status, await response.json()], [200, { statusCode: 200, type: "application/vnd.microsoft.activity.message", value: "OK" }]);
	await eventually(() => fake.buttons("a:1").length === 0, "the buttons are gone");
	assert.deepEqual([fake.sees("a:1"), fake.shown("a:1")[0]!.body["text"], door.messages[0]!.text], [["May I?"], "<p><b>May</b> I?</p>", "/approve 1"]);
	const kept = new Kept(file);
	await eventually(() => kept.question("a:1", fake.shown("a:1")[0]!.id) === undefined, "nobody needs it any more");
	kept.close();
	assert.equal((await fake.deliver(fake.activity("a:1", { type: "invoke", name: "task/fetch", value: {} }))).status, 501);
});

test("buttons stay when the press was not taken", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	const door = new RealDoor();
	door.answer = async () => ({ kind: "blocked", reason: "no" });
	await platform.start(door);
	await platform.send({ ...outbound("May I?"), purpose: "question", buttons: [{ label: "Yes", says: "/approve 1" }] }, signal);
	assert.equal((await fake.press("a:1", "Yes")).status, 200);
	await platform.send(outbound("and now?"), signal);
	assert.deepEqual([fake.buttons("a:1"), fake.count(/^PUT/)], [["Yes"], 0]);
});

test("buttons that could not be taken away go with the next press", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	await platform.start(new RealDoor());
	await platform.send({ ...outbound("May I?"), purpose: "question", buttons: [{ label: "Yes", says: "/approve 1" }] }, signal);
	fake.fail(/^PUT/, { status: 429 });
	await fake.press("a:1", "Yes");
	await eventually(() => fake.count(/^PUT/) === 1, "it is tried");
	assert.deepEqual(fake.buttons("a:1"), ["Yes"]);
	await fake.press("a:1", "Yes");
	await eventually(() => fake.buttons("a:1").length === 0, "the buttons are gone");
});

test("files come from SharePoint and from the store of Teams", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	const door = new RealDoor();
	await platform.start(door);
	const attachments = [
		{ contentType: "application/vnd.microsoft.teams.file.download.info", name: "notes.txt", contentUrl: "https://contoso.sharepoint.com/notes.txt", content: { downloadUrl: fake.store("grün", { isOpen: true }), uniqueId: "1", fileType: "txt" } },
		{ contentType: "image/*", contentUrl: fake.store("png", { isOpen: false }) },
		{ contentType: "text/html", content: "<p>look</p>" },
		{ contentType: "image/png", contentUrl: `${fake.serviceUrl}v3/attachments/none/views/original` },
	];
	await fake.say({ chat: "a:1", text: "look", more: { attachments } });
	const files = door.messages[0]!.files!;
	assert.deepEqual(files.map(({ name, mediaType }) => [name, mediaType]), [["notes.txt", undefined], ["image.png", "image/*"], ["image.png", "image/png"]]);
	assert.deepEqual([await contentOf(files[0]!), await contentOf(files[1]!)], ["grün", "png"]);
	await assert.rejects(files[2]!.read(signal), /Teams answers 404/);
	assert.equal(door.messages[0]!.text, "look");
});

test("messages of a chat keep their order, and a slow chat does not hold up the others", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	const door = new RealDoor();
	const slow = Promise.withResolvers<Accepted>();
	door.answer = () => (door.messages.at(-1)!.text === "slow" ? slow.promise : Promise.resolve({ kind: "accepted" }));
	await platform.start(door);
	const first = fake.say({ chat: "a:1", text: "slow" });
	await eventually(() => door.messages.length === 1, "the first comes in");
	const second = fake.say({ chat: "a:1", text: "after it" });
	await fake.say({ chat: "a:2", text: "elsewhere" });
	assert.deepEqual(door.messages.map(({ text }) => text), ["slow", "elsewhere"]);
	slow.resolve({ kind: "accepted" });
	await Promise.all([first, second]);
	assert.deepEqual(door.messages.map(({ text }) => text), ["slow", "elsewhere", "after it"]);
});

test("what comes twice is handed in twice under its number, and what cannot be kept for long is sent again by Teams", async () => {
	await using opened = await openTeams();
	const { platform, fake, warnings } = opened;
	const door = new RealDoor();
	await platform.start(door);
	const activity = fake.activity("a:1", { text: "x" });
	for (let i = 0; i < 2; i++) assert.equal((await fake.deliver(activity)).status, 200);
	assert.deepEqual(door.messages.map(({ messageId }) => messageId), [activity["id"], activity["id"]]);
	door.answer = () => Promise.reject(new Error("the disk is full"));
	const response = fake.deliver(activity);
	await eventually(() => door.messages.length >= 4, "it is tried again");
	await platform.stop();
	assert.equal((await response).status, 503);
	assert.deepEqual(warnings.filter((warning) => !warning.includes("the disk is full")), []);
});

test("once it was stopped, Teams is to send again what comes", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	const door = new RealDoor();
	await platform.start(door);
	await platform.stop();
	assert.equal((await fake.deliver(fake.activity("a:1", { text: "late" }))).status, 503);
	assert.deepEqual([door.messages.length, platform.connected], [0, false]);
});

test("what cannot be read is refused, told once, and does not hold up what follows", async () => {
	await using opened = await openTeams();
	const { platform, fake, warnings } = opened;
	const door = new RealDoor();
	await platform.start(door);
	const good = fake.activity("a:1", { text: "x" });
	const bad = ["{", "null", "[]", "7", JSON.stringify({ ...good, conversation: 1 }), JSON.stringify({ ...good, recipient: null }), JSON.stringify({ ...good, id: 7 }), JSON.stringify({ ...good, from: {} }), JSON.stringify({ ...good, type: "messageReaction" })];
	for (const body of [...bad, ...bad]) assert.equal((await fake.deliver(body)).status, 400, body);
	const told = ["it is no JSON", "it lacks its type, channelId or serviceUrl", "it lacks its conversation or recipient", "it lacks its id", "it does not say who sent it", "it does not say which message was reacted to"];
	assert.deepEqual(warnings, told.map((why) => `teams: a request was refused: ${why}. This is said once.`));
	for (const odd of [{ entities: [null, 7, { type: "mention" }] }, { attachments: [null, { contentType: "image/png" }, { contentType: 1 }] }, { value: "x" }]) assert.equal((await fake.deliver(fake.activity("a:1", { text: "fine", ...odd }))).status, 200);
	assert.equal(door.messages.length, 3);
	assert.equal((await platform.webhook(new Request("http://127.0.0.1/platforms/teams"))).status, 405);
});

test("that somebody writes is shown where a turn works, now and then, and a failure of that is nobody's business", async () => {
	await using opened = await openTeams();
	const { platform, fake, warnings } = opened;
	await platform.start(new RealDoor());
	for (let i = 0; i < 100; i++) platform.show({ chatId: "a:1" }, { kind: "typing" });
	platform.show({ chatId: "a:2" }, { kind: "typing" });
	await eventually(() => fake.typing === 2, "both chats see it");
	fake.fail(/activities/, { status: 403 });
	platform.show({ chatId: "a:3" }, { kind: "typing" });
	await eventually(() => fake.count(/activities/) === 3, "it is refused");
	assert.deepEqual([fake.typing, warnings], [2, []]);
});

test("the gateway answers in Teams, also after a kill, and says in one line what its settings lack", { timeout: 60_000 }, async () => {
	await using place = new Place();
	const fake = await TeamsFake.open();
	const settings = (more: string) => `gateway: {http: {port: 0}, access: {owners: ["teams:*"]}, teams: {base_url: "${fake.address}", tenant_id: "${tenantId}"${more}}}`;
	const env = { TEAMS_SECRET: secret };
	try {
		const lacking = await Served.start(place, settings(""));
		await lacking.running.shows("teams was not started: gateway.teams needs client_id, the bot's app id.");
		await lacking.stop();
		const config = settings(`, client_id: "${clientId}", client_secret_env: TEAMS_SECRET`);
		const first = await Served.start(place, config, env);
		fake.reaches(`${first.address}/platforms/teams`);
		assert.equal((await fake.deliver(fake.activity("a:1", { text: "hello" }), "")).status, 401);
		await fake.say({ chat: "a:1", text: "hello" });
		await eventually(() => fake.sees("a:1").length === 1, "it answers");
		await first.kill();
		const second = await Served.start(place, config, env);
		fake.reaches(`${second.address}/platforms/teams`);
		await fake.say({ chat: "a:1", text: "/whoami" });
		await eventually(() => fake.sees("a:1").some((text) => text.includes("teams:00000000-0000-4000-8000-00000000000a")), "it knows who writes");
		assert.equal(await second.stop(), 0);
		assert.equal(second.running.stderr.includes(secret), false);
	} finally {
		await fake.close();
	}
});
