// The whole program with Telegram, as people run it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { Place } from "../cli/program.ts";
import { Served } from "./served.ts";
import { TelegramFake } from "./telegram-fake.ts";

const settings = (fake: TelegramFake, more = "") => `gateway: {http: {port: 0}, telegram: {token_env: BOT_WORD, base_url: "${fake.url}"${more}}, access: {owners: ["telegram:11"]}}`;

test("a known person is answered in their chat and their topic, a stranger gets a code, and nothing shows the token", async () => {
	await using fake = await TelegramFake.start();
	await using place = new Place();
	const served = await Served.start(place, settings(fake), { BOT_WORD: fake.token });
	await fake.say(11, "hello");
	await fake.say(-1001, "/whoami", { from: { id: 11, is_bot: false, first_name: "x" }, message_thread_id: 7, is_topic_message: true, entities: [{ type: "bot_command", offset: 0, length: 7 }] });
	await fake.say(12, "let me in");
	const last = (chat: number) => fake.shown.findLast((one) => one.chat === chat);
	await eventually(() => [11, 12, -1001].every((chat) => last(chat) !== undefined), "all are answered");
	assert.match(last(12)!.text, /hookline gateway pair/);
	assert.equal(last(-1001)!.thread, 7);
	assert.match(last(-1001)!.text, /^telegram:11, owner, in chat -1001/);
	const menu = (fake.called("setMyCommands")[0]!["commands"] as readonly { readonly command: string }[]).map(({ command }) => command);
	assert.ok(menu.includes("help") && menu.includes("stop") && !menu.includes("model"), "what everybody may run");
	await fake.down();
	await served.running.shows("Telegram cannot be reached");
	assert.equal(await served.stop(), 0);
	const { stdout, stderr } = await served.running.ended;
	assert.ok(!`${stdout}${stderr}`.includes(fake.token.slice(12)));
});

test("messages that wait while the gateway does not run are answered once it does", async () => {
	await using fake = await TelegramFake.start();
	await using place = new Place();
	const said = fake.say(11, "are you there?");
	const first = await Served.start(place, settings(fake), { BOT_WORD: fake.token });
	await said;
	await first.kill();
	const again = await Served.start(place, settings(fake), { BOT_WORD: fake.token });
	await eventually(() => fake.shown.length > 0, "it is answered, or its sender told that it was interrupted");
	assert.equal(await again.stop(), 0);
});

test("with an address of its own, the gateway's own server takes what Telegram sends", async () => {
	await using fake = await TelegramFake.start();
	await using place = new Place();
	const served = await Served.start(place, settings(fake, `, webhook_url: "http://127.0.0.1:1"`), { BOT_WORD: fake.token });
	assert.equal(fake.webhook!.url, "http://127.0.0.1:1/platforms/telegram");
	assert.equal((await fetch(`${served.address}/platforms/telegram`, { method: "POST", body: "{}" })).status, 401);
	fake.webhook = { ...fake.webhook!, url: `${served.address}/platforms/telegram` };
	await fake.say(11, "hello");
	await eventually(() => fake.shown.length > 0, "it is answered");
	assert.equal(await served.stop(), 0);
});

test("a wrong token is one line, and the rest of the gateway runs", async () => {
	await using fake = await TelegramFake.start();
	await using place = new Place();
	const served = await Served.start(place, settings(fake), { BOT_WORD: "4200000009:AAnot-this-one" });
	await served.running.shows("telegram was not started: Telegram does not know this token (401).");
	assert.equal((await served.ask("hello")).status, "answered");
	assert.equal(await served.stop(), 0);
});
