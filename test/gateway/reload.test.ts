// Settings that are saved while the gateway runs.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { Place } from "../cli/program.ts";
import { Served } from "./served.ts";
import { TelegramFake } from "./telegram-fake.ts";

const settings = (more = "") => `agent: {retry_base_ms: 1}\ngateway: {http: {port: 0}${more}}\n`;

test("who may talk, and which hooks there are, counts as soon as it is saved; the address stays, and so does the conversation", { timeout: 60_000 }, async () => {
	await using place = new Place();
	const gateway = await Served.start(place, "gateway: {http: {port: 0}}");
	assert.match((await gateway.ask("hello", { user: "7" })).error ?? "", /does not know you/);
	await gateway.ask("SAY remember the heron");
	place.extension("shout.ts", 'import { defineExtension, rewrite } from "hookline";\nexport default defineExtension((hooks) => hooks.transform("message.sending", ({ text }) => rewrite(text.toUpperCase())));\n');
	place.config(settings(", access: {users: ['http:7']}"));
	await gateway.running.shows("The changed configuration counts now.");
	assert.deepEqual((await gateway.ask("SAY welcome", { user: "7", chat: "b" })).messages, ["WELCOME"]);
	assert.deepEqual((await gateway.ask("SEEN heron")).messages, ["2"]);
	assert.equal(await gateway.stop(), 0);
});

test("settings with a mistake change nothing, and that is said with its line", { timeout: 60_000 }, async () => {
	await using place = new Place();
	const gateway = await Served.start(place, "gateway: {http: {port: 0}, access: {users: ['http:7']}}");
	place.config("gateway:\n  groups: sometimes\n");
	await gateway.running.shows(/was not taken up, and everything goes on as before: .*config\.yaml:2:\d+/);
	assert.deepEqual((await gateway.ask("SAY still here", { user: "7" })).messages, ["still here"]);
	assert.equal(await gateway.stop(), 0);
});

test("messages that come while it waits for a turn to end are answered afterwards", { timeout: 60_000 }, async () => {
	await using place = new Place();
	const gateway = await Served.start(place, "gateway: {http: {port: 0}}");
	const slow = gateway.ask("SLOW 100 a b c d e f g h i j", { chat: "slow" });
	await gateway.say("hello", { chat: "slow", id: "x" }).catch(() => undefined);
	place.config(settings(", max_turns: 4"));
	await gateway.running.shows("The configuration has changed (gateway.max_turns)");
	assert.deepEqual((await gateway.ask("SAY after", { chat: "other" })).messages, ["after"]);
	assert.equal((await slow).status, "answered");
	await eventually(() => gateway.running.stderr.includes("counts now"), "it was taken up");
	assert.equal(await gateway.stop(), 0);
});

test("another port counts at once; one that is taken is told, and tried again with the next settings", { timeout: 60_000 }, async () => {
	await using place = new Place();
	const gateway = await Served.start(place, "gateway: {http: {port: 0}}");
	const taken = createServer().listen(0, "127.0.0.1");
	await once(taken, "listening");
	const { port } = taken.address() as AddressInfo;
	place.config(`gateway: {http: {port: ${port}}}\n`);
	await gateway.running.shows(`http was not started: port ${port} of 127.0.0.1 is taken by another program.`);
	taken.close();
	await once(taken, "close");
	// The settings are the same: it is tried again all the same.
	place.config(`gateway: {http: {port: ${port}}, max_turns: 3}\n`);
	const isThere = () => fetch(`http://127.0.0.1:${port}/v1/ready`).then(({ ok }) => ok, () => false);
	await eventually(isThere, "it answers there");
	assert.equal(await gateway.stop(), 0);
});

test("a platform is added, changed and taken away by saving the settings; one without its token is told, and the others run", { timeout: 60_000 }, async () => {
	await using place = new Place();
	await using fake = await TelegramFake.start();
	const gateway = await Served.start(place, "gateway: {http: {port: 0}}", { BOT: fake.token });
	const telegram = `, telegram: {token_env: BOT, base_url: "${fake.url}"}`;
	const connected = async () => ((await place.run(["gateway", "status", "--json"])).stdout.match(/"name":\s*"telegram",\s*"started":\s*\w+,\s*"connected":\s*\w+/)?.[0] ?? "").replaceAll(/\s/g, "");
	place.config(settings(telegram));
	await eventually(async () => (await connected()) === '"name":"telegram","started":true,"connected":true', "it is connected");
	place.config(settings(telegram.replace("BOT", "NOBOT")));
	await gateway.running.shows(/telegram was not started: .*NOBOT/);
	assert.equal(await connected(), "");
	assert.deepEqual((await gateway.ask("SAY here")).messages, ["here"]);
	place.config(settings(telegram));
	await eventually(async () => (await connected()).endsWith('"connected":true'), "it is connected again");
	place.config(settings(", telegram: {enabled: false}"));
	await eventually(async () => (await connected()) === "", "it is gone");
	assert.equal(await gateway.stop(), 0);
});

test("a question that was open when settings were taken up is answered after it, and the call runs once", { timeout: 60_000 }, async () => {
	await using place = new Place();
	const gateway = await Served.start(place, "gateway: {http: {port: 0}}");
	place.config(settings(", max_turns: 4"));
	assert.equal((await gateway.ask('CALL terminal {"command":"mkdir x; rm -rf x; echo ran >> ran"}')).status, "waits");
	place.config(settings(", max_turns: 5"));
	await eventually(() => gateway.running.stderr.includes("counts now"), "it was taken up");
	assert.equal((await gateway.ask("/approve")).status, "answered");
	assert.equal(place.read("ran"), "ran\n");
	assert.equal(await gateway.stop(), 0);
});

test("two who ask to take up settings at the same time both get an answer; one that waits for a turn does not hold up a stop", { timeout: 60_000 }, async () => {
	await using place = new Place();
	const gateway = await Served.start(place, "gateway: {http: {port: 0}}");
	const reload = () => new Promise<string>((resolve, reject) => {
		const request = httpRequest({ socketPath: join(place.home, "gateway-control/gateway.sock"), path: "/reload", method: "POST" }, (response) => {
			let text = "";
			response.setEncoding("utf8").on("data", (piece: string) => (text += piece)).on("end", () => resolve(text));
		});
		request.on("error", reject).end();
	});
	assert.deepEqual(await Promise.all([reload(), reload()]), ["[]\n", "[]\n"]);
	await gateway.say(`SLOW 100 ${"and so on ".repeat(1000)}`);
	const runs = async () => (await (await gateway.fetch("/metrics")).text()).includes("hookline_turns_running 1");
	await eventually(runs, "a turn runs");
	place.config(settings(", max_turns: 4"));
	await gateway.running.shows("is taken up as soon as no turn runs");
	gateway.running.signal("SIGTERM");
	await eventually(async () => !(await gateway.fetch("/v1/ready")).ok, "it takes no more messages");
	assert.ok(await runs(), "while the turn may still end");
	gateway.running.signal("SIGTERM");
	assert.equal((await gateway.running.ended).code, 143);
});
