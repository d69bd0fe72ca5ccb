// How the Slack platform begins, stays connected and ends.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import { Slack } from "../../src/platforms/slack/slack.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { RealDoor } from "../contracts/platform.ts";
import { Place } from "../cli/program.ts";
import { Served } from "./served.ts";
import { appToken, bot, botToken, FakeSlack, visible } from "./slack-fake.ts";
import { openSlack, outbound, started } from "./slack-opened.ts";

const yaml = (fake: FakeSlack) => `
gateway:
  http: {port: 0}
  access: {owners: ["slack:U1"]}
  slack: {bot_token_env: SLACK_BOT_TOKEN, app_token_env: SLACK_APP_TOKEN, base_url: "${fake.baseUrl}"}
`;
const signal = new AbortController().signal;

describe("the connection with Slack", { timeout: 60_000 }, () => {
	for (const [what, options, setting] of [
		["a wrong bot token", { botToken: "xoxb-wrong" }, "bot_token"],
		["a wrong app-level token", { appToken: "xapp-wrong" }, "app_token"],
		["tokens in each other's place", { botToken: appToken, appToken: botToken }, "bot_token"],
	] as const) {
		test(`${what} is said in one line that names the setting and not the token`, async () => {
			await using slack = await openSlack(options);
			await assert.rejects(slack.platform.start(new RealDoor()), (error: Error) => {
				assert.match(error.message, new RegExp(`^Slack does not take [^\n]*gateway\\.slack\\.${setting}_env or ${setting}_file[^\n]*$`));
				assert.doesNotMatch(error.message, /xoxb-\w|xapp-\w/);
				return true;
			});
			assert.deepEqual([slack.platform.connected, slack.fake.sockets.size, slack.warnings], [false, 0, []]);
		});
	}

	test("when Slack is down at the start it is said once, and once when it is there", async () => {
		const gone = await FakeSlack.start();
		const { port } = gone;
		await gone[Symbol.asyncDispose]();
		const warnings: string[] = [];
		const platform = new Slack({ botToken, appToken, baseUrl: `http://127.0.0.1:${port}/api/`, warn: (message) => warnings.push(message), pauseMs: () => 20 });
		const door = new RealDoor();
		await platform.start(door);
		assert.equal(platform.connected, false);
		await using fake = await FakeSlack.start(port);
		await eventually(() => platform.connected, "it connects");
		await fake.event({ type: "message", channel: "D1", user: "U1", text: "hello", ts: "1.1" });
		assert.equal(door.messages.length, 1);
		assert.match(warnings.join("\n"), /^slack: Slack cannot be reached \(ECONNREFUSED\)\. It is tried again until it works\.\nslack: connected again\.$/);
		await platform.stop();
		await platform.close();
	});

	test("Slack asks for another connection: it is there before the old one is gone, and nothing is lost or said", async () => {
		await using slack = await started();
		const [old] = slack.fake.sockets;
		slack.fake.disconnect("refresh_requested", 10_000);
		await eventually(() => slack.fake.sockets.size === 2, "another connection is opened");
		assert.equal(slack.platform.connected, true);
		old!.close();
		await slack.fake.event(slack.message("D1", "hello"));
		assert.deepEqual([slack.door.messages.length, slack.warnings], [1, []]);
	});

	test("a connection that is cut comes back, and what was not acknowledged comes again with its number", async () => {
		await using slack = await started();
		const kept = Promise.withResolvers<{ kind: "accepted" }>();
		slack.door.answer = () => kept.promise;
		const event = slack.message("D1", "hello");
		const told = slack.fake.event(event);
		await eventually(() => slack.door.messages.length === 1, "the message comes in");
		for (const socket of slack.fake.sockets) socket.terminate();
		await eventually(() => slack.fake.sockets.size === 1 && slack.platform.connected, "it is connected again");
		kept.resolve({ kind: "accepted" });
		await told;
		assert.deepEqual([...new Set(slack.door.messages.map(({ messageId }) => messageId))], [event.ts]);
		assert.deepEqual(slack.warnings, []);
	});

	test("a peer that answers nothing any more is noticed, and another connection takes its place", async () => {
		await using slack = await started();
		const [silent] = slack.fake.sockets;
		silent!.pause();
		await eventually(() => [...slack.fake.sockets].some((socket) => socket !== silent), "another connection is opened");
		silent!.terminate();
		await slack.fake.event(slack.message("D1", "hello"));
		assert.equal(slack.door.messages.length, 1);
	});

	test("it ends at once while a connection is being opened that nobody answers", async () => {
		await using slack = await openSlack();
		slack.fake.upgrades = false;
		const starting = slack.platform.start(new RealDoor());
		await eventually(() => slack.fake.upgradesAsked === 1, "a WebSocket is asked for");
		await slack.platform.stop();
		await starting;
		assert.equal(slack.platform.connected, false);
	});

	test("it starts, in a few seconds, while Slack takes connections and says nothing", async () => {
		await using slack = await openSlack();
		slack.fake.speaks = false;
		await slack.platform.start(new RealDoor());
		assert.equal(slack.platform.connected, false);
	});

	test("a token that is taken back later is said once, and not tried in a loop", async () => {
		await using slack = await started();
		const opened = () => slack.fake.calls.filter(({ method }) => method === "apps.connections.open").length;
		slack.fake.refuse = (method) => (method === "apps.connections.open" ? { body: '{"ok":false,"error":"account_inactive"}' } : undefined);
		for (const socket of slack.fake.sockets) socket.close();
		await eventually(() => slack.warnings.length > 0, "it is said");
		for (let i = 0; i < 20; i++) await slack.platform.send(outbound("D1", `meanwhile ${i}`), signal);
		assert.deepEqual([slack.warnings.length, opened(), slack.platform.connected], [1, 2, false]);
		assert.match(slack.warnings[0]!, /^slack: Slack does not take the app-level token .*account_inactive.*gateway\.slack\.app_token_env/);
	});

	test("answers of 5xx and 429 do not end it", async () => {
		await using slack = await started();
		let failures = 0;
		slack.fake.refuse = (method) => (method === "apps.connections.open" && ++failures <= 4 ? { status: failures % 2 ? 503 : 429, headers: { "Retry-After": "0" } } : undefined);
		for (const socket of slack.fake.sockets) socket.close();
		await eventually(() => slack.platform.connected && failures > 4, "it is connected again");
		assert.deepEqual(slack.warnings, ["slack: Slack answers apps.connections.open with status 503. It is tried again until it works.", "slack: connected again."]);
	});

	test("socket mode that is switched off is said, with what to do", async () => {
		await using slack = await started();
		slack.fake.refuse = (method) => (method === "apps.connections.open" ? { body: '{"ok":false,"error":"internal_error"}' } : undefined);
		slack.fake.disconnect("link_disabled");
		await eventually(() => slack.warnings.length > 0, "it is said");
		assert.match(slack.warnings[0]!, /^slack: socket mode was switched off/);
	});

	test("another program that is connected as the same app is told of, once", async () => {
		await using slack = await openSlack();
		slack.fake.connections = 3;
		await slack.platform.start(new RealDoor());
		for (const socket of slack.fake.sockets) socket.close();
		await eventually(() => slack.fake.upgradesAsked === 2 && slack.platform.connected, "it is connected again");
		assert.equal(slack.warnings.length, 1);
		assert.match(slack.warnings[0]!, /another program is connected as this app too \(3 connections\)/);
	});

	for (const [state, program] of [
		["connected", "await platform.start(door);"],
		["being connected", "fake.upgrades = false; void platform.start(door); while (fake.upgradesAsked === 0) await new Promise(setImmediate);"],
		["waiting for the next try", 'fake.refuse = () => ({ status: 503 }); await platform.start(door);'],
	] as const) {
		test(`stopped while it is ${state}, it keeps no process from ending`, async () => {
			const from = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
			const code = `
				import { RealDoor } from ${from("../contracts/platform.ts")};
				import { openSlack } from ${from("./slack-opened.ts")};
				const { platform, fake } = await openSlack({ pauseMs: () => 60_000 });
				const door = new RealDoor();
				${program}
				await platform.stop();
				await platform.close();
				await fake[Symbol.asyncDispose]();
			`;
			// Without the limit it would be the 30 s of the library's own timer, or the pause.
			const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", code], { stdio: ["ignore", "inherit", "inherit"], timeout: 25_000 });
			assert.deepEqual(await once(child, "exit"), [0, null]);
		});
	}

	test("what is being taken when it is stopped is acknowledged", async () => {
		await using slack = await started();
		const kept = Promise.withResolvers<{ kind: "accepted" }>();
		slack.door.answer = () => kept.promise;
		const told = slack.fake.event(slack.message("D1", "last"));
		await eventually(() => slack.door.messages.length === 1, "the message comes in");
		const stopped = slack.platform.stop();
		kept.resolve({ kind: "accepted" });
		await Promise.all([told, stopped]);
		await eventually(() => slack.fake.sockets.size === 0, "the connection is closed");
	});

	test("a thousand messages at once are all taken, in order", async () => {
		await using slack = await started();
		slack.fake.ackMs = 20_000;
		await Promise.all(Array.from({ length: 1_000 }, (_, i) => slack.fake.event(slack.message(i % 2 ? "D1" : "D2", `m${i}`))));
		const of = (chat: string) => slack.door.messages.filter(({ chatId }) => chatId === chat).map(({ text }) => Number(text.slice(1)));
		assert.deepEqual([...of("D1"), ...of("D2")].length, 1_000);
		assert.deepEqual(of("D1"), of("D1").toSorted((a, b) => a - b));
	});
});

describe("hookline gateway run, with Slack", { timeout: 60_000 }, () => {
	const words = async (fake: FakeSlack, chat: string) => {
		const texts = () => fake.chat(chat).filter(({ user }) => user === bot.userId);
		await eventually(() => texts().length > 0, "it is answered");
		return texts();
	};
	const say = (fake: FakeSlack, channel: string, user: string, text: string) => {
		const ts = fake.nextTs();
		fake.chat(channel).push({ ts, user, text, blocks: [], files: [] });
		return fake.event({ type: "message", channel, user, text, ts, event_ts: ts });
	};

	test("an owner is answered in a direct message, and in a channel in the thread of the question; a stranger gets a code", async () => {
		await using fake = await FakeSlack.start();
		await using place = new Place();
		const served = await Served.start(place, yaml(fake), { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken });
		await say(fake, "D1", "U1", "hello");
		assert.match(visible((await words(fake, "D1"))[0]!), /hello/);
		await say(fake, "C1", "U1", `<@${bot.userId}> hello there`);
		const [answer] = await words(fake, "C1");
		assert.equal(answer!.thread, fake.chat("C1")[0]!.ts);
		await say(fake, "D2", "U2", "who are you?");
		assert.match(visible((await words(fake, "D2"))[0]!), /pair/);
		assert.equal(await served.stop(), 0);
		assert.equal(fake.sockets.size, 0);
		const { stdout, stderr } = await served.running.ended;
		assert.doesNotMatch(stdout + stderr, /xoxb-|xapp-/);
	});

	test("a wrong token is one line, and the rest of the gateway runs", async () => {
		await using fake = await FakeSlack.start();
		await using place = new Place();
		const served = await Served.start(place, yaml(fake), { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: "xapp-wrong" });
		assert.equal((await served.ask("hello")).status, "answered");
		assert.equal(await served.stop(), 0);
		const { stderr } = await served.running.ended;
		assert.equal(stderr.split("\n").filter((line) => /gateway\.slack\.app_token_env/.test(line)).length, 1);
		assert.doesNotMatch(stderr, /xapp-wrong/);
	});
});
