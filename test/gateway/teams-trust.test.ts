// Microsoft Teams: who is believed, and who gets the bot's token.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { UndeliverableError } from "../../src/gateway/platform.ts";
import { Kept } from "../../src/platforms/teams/kept.ts";
import { RealDoor } from "../contracts/platform.ts";
import { bot, keys, pemOf, type TeamsFake, tenantId, tokenOf } from "./teams-fake.ts";
import { openTeams, outbound, signal } from "./teams-opened.ts";

/** With no token at all where none is given. */
const fetchWith = (fake: TeamsFake, token: string | undefined) => fake.deliver(fake.activity("a:1", { text: "let me in" }), token ?? "");

test("nobody but Teams gets a message in, and nobody is told why not", async () => {
	await using opened = await openTeams();
	const { platform, fake, warnings } = opened;
	const door = new RealDoor();
	await platform.start(door);
	const now = Date.now() / 1000;
	const forged: Record<string, string | undefined> = {
		"no token": undefined,
		"no token at all": "x",
		unsigned: tokenOf(fake.claims(), { alg: "none" }).replace(/[^.]+$/, ""),
		"unsigned, with a signature": tokenOf(fake.claims(), { alg: "none" }),
		"unsigned, and says otherwise": tokenOf(fake.claims()).replace(/[^.]+$/, ""),
		"changed after it was signed": tokenOf(fake.claims()).replace(/\.[^.]+\./, () => `.${tokenOf(fake.claims({ nbf: 1 })).split(".")[1]}.`),
		"the public key as a password": tokenOf(fake.claims(), { alg: "HS256", key: pemOf(keys.teams) as string }),
		"a key of somebody else": tokenOf(fake.claims(), { key: keys.stranger }),
		"a key nobody has": tokenOf(fake.claims(), { kid: "stranger", key: keys.stranger }),
		"a key that is no RSA key": tokenOf(fake.claims(), { kid: "of another kind" }),
		"another issuer": tokenOf(fake.claims({ iss: `https://sts.windows.net/${tenantId}/` })),
		"another bot": tokenOf(fake.claims({ aud: "another" })),
		"too old": tokenOf(fake.claims({ exp: now - 301 })),
		"without an end": tokenOf(fake.claims({ exp: undefined })),
		"too early": tokenOf(fake.claims({ nbf: now + 400 })),
		"another address for answers": tokenOf(fake.claims({ serviceurl: "https://smba.trafficmanager.net/emea/" })),
		"no address for answers": tokenOf(fake.claims({ serviceurl: undefined })),
		"a key for another channel": tokenOf(fake.claims(), { kid: "webchat", key: keys.webchat }),
	};
	for (const [name, token] of Object.entries(forged)) {
		const response = await fetchWith(fake, token);
		assert.deepEqual([name, response.status, await response.text()], [name, 401, ""]);
	}
	// Where people choose who they are.
	assert.equal((await fake.deliver(fake.activity("a:1", { text: "x", channelId: "webchat" }), tokenOf(fake.claims(), { kid: "webchat", key: keys.webchat }))).status, 403);
	assert.deepEqual(door.messages, []);
	// Each reason is told once to whoever runs the gateway.
	const told = warnings.length;
	await fetchWith(fake, forged["another bot"]);
	assert.equal(warnings.length, told);
	assert.ok(warnings.includes("teams: a request was refused: its token is for another bot than gateway.teams.client_id. This is said once."));
	assert.equal(warnings.join().includes("eyJ"), false);
	await fake.say({ chat: "a:1", text: "hello" });
	assert.equal(door.messages.length, 1);
});

test("an address that is not Microsoft's gets neither an answer nor the bot's token, signed or not", async () => {
	await using opened = await openTeams();
	const { platform, fake, file } = opened;
	const asked: string[] = [];
	await using evil = createServer((request, response) => {
		asked.push(String(request.headers.authorization));
		response.end("{}");
	}).listen(0, "127.0.0.1");
	await once(evil, "listening");
	const serviceUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/emea`;
	const door = new RealDoor();
	await platform.start(door);
	assert.equal((await fake.deliver(fake.activity("a:1", { text: "x", serviceUrl }), tokenOf(fake.claims({ serviceurl: serviceUrl })))).status, 403);
	assert.equal(door.messages.length, 0);
	const kept = new Kept(file);
	kept.keepConversation("a:1", { serviceUrl, bot, isGroup: false });
	kept.close();
	await assert.rejects(platform.send(outbound("x"), signal), (error) => error instanceof UndeliverableError && error.message.includes("not an address of Microsoft"));
	await fake.say({ chat: "a:2", text: "look", more: { attachments: [{ contentType: "image/png", contentUrl: `${serviceUrl}/x.png` }] } });
	await assert.rejects(door.messages[0]!.files![0]!.read(signal), /its address is not one of Teams/);
	assert.deepEqual(asked, []);
});

test("keys are had once, new ones are found, and forged tokens do not make the gateway ask for more", async (t) => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	await platform.start(new RealDoor());
	t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
	for (let i = 0; i < 20; i++) await fetchWith(fake, tokenOf(fake.claims(), { kid: `none ${i}`, key: keys.stranger }));
	await fake.say({ chat: "a:1", text: "x" });
	assert.equal(fake.count(/well-known\/keys/), 1);
	fake.published = [{ kid: "new", key: keys.stranger, endorsements: ["msteams"] }];
	t.mock.timers.tick(61_000);
	assert.equal((await fetchWith(fake, tokenOf(fake.claims(), { kid: "new", key: keys.stranger }))).status, 200);
	assert.equal((await fetchWith(fake, tokenOf(fake.claims()))).status, 401);
});

test("while the keys cannot be had Teams is to send it again, and what it sends then is taken", async (t) => {
	await using opened = await openTeams();
	const { platform, fake, warnings } = opened;
	const door = new RealDoor();
	await platform.start(door);
	t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
	fake.fail(/openidconfiguration/, { status: 500 });
	const response = await fake.deliver(fake.activity("a:1", { text: "x" }));
	assert.deepEqual([response.status, response.headers.get("retry-after"), platform.connected], [503, "5", false]);
	assert.equal((await fake.deliver(fake.activity("a:1", { text: "x" }))).status, 503);
	assert.equal(fake.count(/openidconfiguration/), 1);
	t.mock.timers.tick(6_000);
	await fake.say({ chat: "a:1", text: "y" });
	assert.deepEqual([door.messages.length, platform.connected], [1, true]);
	assert.deepEqual(warnings, [`teams: the keys that Teams signs with cannot be had (${new URL(fake.address).host} answers 500). It is tried again until it works.`, "teams: Microsoft can be reached again."]);
});
