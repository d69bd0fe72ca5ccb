// The way to Telegram: wrong tokens, outages, silence, a second process, the webhook.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Accepted } from "../../src/gateway/platform.ts";
import { Telegram } from "../../src/platforms/telegram/telegram.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { RealDoor } from "../contracts/platform.ts";
import { listen } from "./listen.ts";
import { TelegramFake } from "./telegram-fake.ts";
import { openTelegram, outbound, startTelegram } from "./telegram-opened.ts";

const signal = new AbortController().signal;

test("a wrong token is one line that says what to do, and not the token", async () => {
	const token = "4200000002:AAwrong-token-of-the-tests_123456789abc";
	await using opened = await openTelegram({ token });
	await assert.rejects(opened.platform.start(new RealDoor()), { message: "Telegram does not know this token (401). Take the one BotFather gives, and set gateway.telegram.token_env or token_file, or correct gateway.telegram.base_url." });
	assert.deepEqual(opened.warnings, []);
});

test("the menu of commands has those that Telegram takes, and that it cannot be set is no reason not to start", async () => {
	const commands = [{ name: "help", summary: "what there is" }, { name: "undo-last", summary: "x" }];
	await using opened = await startTelegram({ commands });
	assert.deepEqual(opened.fake.called("setMyCommands")[0]!["commands"], [{ command: "help", description: "what there is" }]);
	await using other = await openTelegram({ commands });
	other.fake.fail("setMyCommands", { status: 400, body: { ok: false, error_code: 400, description: "Bad Request: no" } });
	await other.platform.start(new RealDoor());
	assert.equal(other.platform.connected, true);
	assert.deepEqual(other.warnings, ["telegram: the menu of commands is not set: setMyCommands: Bad Request: no (400)"]);
});

test("Telegram that is down at the start is waited for, and said once to be; so is when it is back", async () => {
	await using opened = await openTelegram();
	const { fake, platform, warnings } = opened;
	await fake.down();
	const door = new RealDoor();
	await platform.start(door);
	assert.equal(platform.connected, false);
	await assert.rejects(platform.send(outbound("x"), signal), { message: "sendMessage: ECONNREFUSED" });
	await fake.up();
	await fake.say(11, "at last");
	assert.equal(platform.connected, true);
	assert.deepEqual(warnings, ["telegram: Telegram cannot be reached (getMe: ECONNREFUSED). It is tried again until it can.", "telegram: it works again."]);
});

test("an outage in between, with closed sockets and gateways that answer in HTML, ends nothing", async () => {
	await using opened = await startTelegram();
	const { fake, platform, door, warnings } = opened;
	await fake.say(11, "before");
	const said = fake.say(11, "while it is down");
	await fake.down();
	await eventually(() => !platform.connected, "it is noticed");
	fake.fail("getUpdates", { status: 502, body: "<html>" }, { status: 500, body: { ok: false, error_code: 500, description: "Internal Server Error" } }, { status: 200, body: { ok: true, result: "none" } });
	await fake.up();
	await said;
	await eventually(() => platform.connected, "it is back");
	assert.equal(door.messages.at(-1)!.text, "while it is down");
	assert.equal(warnings.length, 2);
	assert.match(warnings[0]!, /^telegram: Telegram cannot be reached \(getUpdates: .+\)\. It is tried again until it can\.$/);
	assert.ok(!warnings.join().includes(fake.token));
});

test("a peer that takes requests and never answers is noticed", async () => {
	await using opened = await startTelegram({ times: { pollSeconds: 1, patienceMs: 300, pauseMs: () => 10 } });
	const { fake, platform, warnings } = opened;
	fake.silent = true;
	await eventually(() => !platform.connected, "it is noticed");
	fake.silent = false;
	await fake.say(11, "x");
	assert.equal(platform.connected, true);
	assert.ok(warnings.some((warning) => /^telegram: Telegram cannot be reached \(getUpdates: no answer within \d s\)/.test(warning)));
});

test("an hour of silence at the start keeps nobody from stopping", async () => {
	await using opened = await openTelegram({ times: { patienceMs: 200, pauseMs: () => 3_600_000 } });
	opened.fake.silent = true;
	await opened.platform.start(new RealDoor());
	assert.deepEqual(opened.warnings, ["telegram: Telegram cannot be reached (getMe: no answer within 1 s). It is tried again until it can."]);
});

test("Telegram that wants to be left alone for a while is", async () => {
	await using opened = await startTelegram();
	const { fake, platform, warnings } = opened;
	const answer = { status: 429, body: { ok: false, error_code: 429, description: "Too Many Requests: retry after 3600", parameters: { retry_after: 3600 } } };
	fake.fail("getUpdates", answer, answer, answer);
	void fake.say(11, "x");
	await eventually(() => warnings.length === 1, "it is told to wait");
	for (let i = 0; i < 50; i++) await platform.send(outbound("other calls go on"), signal);
	assert.equal(fake.failing.get("getUpdates")!.length, 2, "it asked once");
});

test("a token that is taken back is said once, and not asked about all the time", async () => {
	await using opened = await startTelegram();
	const { fake, platform, warnings } = opened;
	const answer = { status: 401, body: { ok: false, error_code: 401, description: "Unauthorized" } };
	fake.fail("getUpdates", answer, answer, answer);
	void fake.say(11, "x");
	await eventually(() => warnings.length === 1, "it is said");
	assert.equal(warnings[0], "telegram: Telegram does not take the bot's token any more (getUpdates: Unauthorized (401)). Give gateway.telegram the one BotFather shows now, and start the gateway again.");
	assert.equal(platform.connected, false);
	for (let i = 0; i < 50; i++) await platform.send(outbound("other calls go on"), signal);
	assert.equal(fake.failing.get("getUpdates")!.length, 2, "it asked once");
});

test("another process with the same bot is said once, and both go on trying", async () => {
	await using opened = await startTelegram();
	const { fake, warnings } = opened;
	const other = new Telegram({ token: fake.token, baseUrl: fake.url, commands: [], times: { pauseMs: () => 20 }, warn: (message) => warnings.push(`other ${message}`) });
	await other.start(new RealDoor());
	await eventually(() => warnings.length === 2, "both say so");
	const conflict = "telegram: another process takes the messages of this bot (getUpdates: Conflict: terminated by other getUpdates request; make sure that only one bot instance is running (409)). End it: a bot serves one at a time. It is tried again until then.";
	assert.deepEqual(warnings.toSorted(), [`other ${conflict}`, conflict]);
	await other.stop();
	await other.close();
	await fake.say(11, "to whoever is left");
	assert.equal(opened.door.messages.at(-1)!.text, "to whoever is left");
});

/** A webhook as the gateway's HTTP platform has it. */
async function withWebhook() {
	const serving: { platform?: Telegram } = {};
	const server = await listen(async (request) => (await serving.platform?.webhook?.(request)) ?? new Response(null, { status: 404 }));
	const opened = await openTelegram({ webhookUrl: `${server.address}/` });
	const { platform } = opened;
	serving.platform = platform;
	const door = new RealDoor();
	await platform.start(door);
	return {
		...opened,
		door,
		post: (body: string, secret?: string) => fetch(`${server.address}/platforms/telegram`, { method: "POST", headers: secret === undefined ? {} : { "X-Telegram-Bot-Api-Secret-Token": secret }, body }),
		async [Symbol.asyncDispose]() {
			await opened[Symbol.asyncDispose]();
			await server.close();
		},
	};
}

test("with an address of its own it is called there, and answers 200 only for what is kept", async () => {
	await using opened = await withWebhook();
	const { fake, door, platform } = opened;
	assert.equal(platform.connected, true);
	assert.match(fake.webhook!.url, /:\d+\/platforms\/telegram$/);
	assert.ok(!fake.webhook!.secret.includes(fake.token.split(":")[1]!));
	let failures = 2;
	door.answer = async () => {
		if (failures-- > 0) throw new Error("the disk is full");
		return { kind: "accepted" };
	};
	await fake.say(11, "kept in the end");
	assert.deepEqual(door.messages.map(({ text }) => text), ["kept in the end", "kept in the end", "kept in the end"]);
	const kept = Promise.withResolvers<Accepted>();
	door.answer = () => kept.promise;
	let told = false;
	const said = fake.say(11, "slow").then(() => (told = true));
	await eventually(() => door.messages.length === 4, "it comes in");
	assert.equal(told, false);
	kept.resolve({ kind: "accepted" });
	await said;
	assert.equal(fake.called("getUpdates").length, 0);
});

test("a request without the secret is nobody's, whatever stands in it", async () => {
	await using opened = await withWebhook();
	const { door, fake, post, platform, warnings } = opened;
	const update = JSON.stringify({ update_id: 1, message: { message_id: 1, date: 1, chat: { id: 11, type: "private" }, from: { id: 11, is_bot: false }, text: "forged" } });
	for (const secret of [undefined, "", "x", `${fake.webhook!.secret}x`, fake.webhook!.secret.slice(1)]) assert.equal((await post(update, secret)).status, 401);
	assert.equal((await post("{", "x")).status, 401);
	assert.deepEqual([door.messages, warnings], [[], []]);
	assert.equal((await post("{", fake.webhook!.secret)).status, 200, "it would come again for ever");
	assert.equal(warnings.length, 1);
	assert.equal((await post(update, fake.webhook!.secret)).status, 200);
	assert.equal(door.messages.length, 1);
	await platform.stop();
	assert.equal((await post(update, fake.webhook!.secret)).status, 503);
	assert.equal(door.messages.length, 1);
});

test("an address that Telegram refuses is one line", async () => {
	await using fake = await TelegramFake.start();
	const platform = new Telegram({ token: fake.token, baseUrl: fake.url, webhookUrl: "http://example.com", commands: [], warn: () => {} });
	await assert.rejects(platform.start(new RealDoor()), { message: "Telegram refuses this: setWebhook: Bad Request: bad webhook: An HTTPS URL must be provided for webhook (400). Correct gateway.telegram." });
});

test("without an address of its own, one that was set before is taken back", async () => {
	await using opened = await openTelegram();
	opened.fake.webhook = { url: "http://127.0.0.1:1/", secret: "x" };
	await opened.platform.start(new RealDoor());
	assert.equal(opened.platform.webhook, undefined);
	await opened.fake.say(11, "x");
});
