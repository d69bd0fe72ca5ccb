// Microsoft Teams: what becomes of texts, and of the gateway, when Microsoft does not take them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RetryLaterError, UndeliverableError } from "../../src/gateway/platform.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { RealDoor } from "../contracts/platform.ts";
import { openTeams, outbound, signal } from "./teams-opened.ts";

test("what Teams says about a text decides whether it is tried again", async () => {
	await using opened = await openTeams();
	const { platform, fake, warnings } = opened;
	await platform.start(new RealDoor());
	const posts = /^POST .*\/activities/;
	const error = (code: string) => ({ error: { code, message: "Because." } });
	fake.fail(posts, { status: 429, headers: { "Retry-After": "7" } });
	await assert.rejects(platform.send(outbound("x"), signal), (thrown) => thrown instanceof RetryLaterError && thrown.afterMs === 7000);
	fake.fail(posts, { status: 429 });
	await assert.rejects(platform.send(outbound("x"), signal), (thrown) => thrown instanceof RetryLaterError && thrown.afterMs === 5000);
	fake.fail(posts, { status: 403, body: error("BotNotInConversationRoster") });
	await assert.rejects(platform.send(outbound("x"), signal), (thrown) => thrown instanceof UndeliverableError && thrown.message === "The bot may not write there (403 BotNotInConversationRoster: Because.): it was removed or blocked, or an administrator does not allow it. Add it to the chat again");
	await assert.rejects(platform.send(outbound("x", "a:none"), signal), (thrown) => thrown instanceof UndeliverableError && thrown.message.includes("404 ConversationNotFound"));
	await assert.rejects(platform.edit("none", outbound("x"), signal), UndeliverableError);
	assert.deepEqual([platform.connected, warnings], [true, []]);
	for (const status of [412, 502, 504]) {
		fake.fail(posts, { status });
		await assert.rejects(platform.send(outbound("x"), signal), (thrown) => !(thrown instanceof UndeliverableError) && !(thrown instanceof RetryLaterError));
	}
	assert.equal(platform.connected, false);
	await platform.send(outbound("at last"), signal);
	assert.deepEqual([platform.connected, fake.sees("a:1")], [true, ["at last"]]);
	assert.deepEqual(warnings, ["teams: Teams fails (502). It is tried again until it works.", "teams: Microsoft can be reached again."]);
});

test("a token that ended is renewed once, also before its time", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	await platform.start(new RealDoor());
	await platform.send(outbound("one"), signal);
	fake.endTokens();
	await platform.send(outbound("two"), signal);
	assert.deepEqual([fake.sees("a:1"), fake.count(/oauth2/)], [["one", "two"], 2]);
	fake.fail(/activities/, { status: 401 }, 2);
	await assert.rejects(platform.send(outbound("three"), signal), /Teams does not take the bot's token \(401\)/);
});

test("a text that Teams does not take as markup goes out plain, and is given up only then", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	await platform.start(new RealDoor());
	// Each of these is four characters as markup, and then it is too long.
	const text = "<".repeat(platform.maxText);
	await platform.send(outbound(text), signal);
	assert.deepEqual([fake.sees("a:1"), fake.shown("a:1")[0]!.body["textFormat"]], [[text], "plain"]);
	fake.fail(/activities/, { status: 413 }, 2);
	await assert.rejects(platform.send(outbound("x"), signal), UndeliverableError);
});

test("a wrong secret ends the start with a line that says what to do, and does not say the secret", async () => {
	await using opened = await openTeams({ given: "not-the-secret" });
	const { platform, warnings } = opened;
	await assert.rejects(platform.start(new RealDoor()), (error: Error) => {
		assert.equal(error.message, "Microsoft does not take the bot's id or secret (401 invalid_client: AADSTS7000215: Invalid client secret provided.). Look at client_id, tenant_id and client_secret of gateway.teams; a secret that has run out is replaced in the Entra admin center.");
		return true;
	});
	assert.deepEqual([warnings, platform.connected], [[], false]);
});

test("a secret that is taken back later is told once, and Microsoft is not asked with each text", async () => {
	await using opened = await openTeams();
	const { platform, fake, warnings } = opened;
	await platform.start(new RealDoor());
	fake.secret = "another";
	fake.endTokens();
	for (let i = 0; i < 10; i++) await assert.rejects(platform.send(outbound("x"), signal), /does not take the bot's id or secret/);
	assert.deepEqual([fake.count(/oauth2/), warnings.length, platform.connected], [2, 1, false]);
});

test("when Microsoft is down at the start, it is said once, tried again, and said when it is back", async () => {
	await using opened = await openTeams();
	const { platform, fake, warnings } = opened;
	fake.fail(/oauth2/, { status: 503 });
	await platform.start(new RealDoor());
	assert.deepEqual([platform.connected, warnings], [false, ["teams: Microsoft's login service gives no token now (503). It is tried again until it works."]]);
	await eventually(() => platform.connected, "it is reached");
	assert.deepEqual(warnings.slice(1), ["teams: Microsoft can be reached again."]);
});

test("a login service that never answers does not hold up the start, nor the end", async () => {
	await using opened = await openTeams();
	const { platform, fake, warnings } = opened;
	fake.fail(/oauth2/, "hold", 9);
	await platform.start(new RealDoor());
	assert.deepEqual([platform.connected, warnings], [false, ["teams: Microsoft's login service does not answer. It is tried again until it works."]]);
});

test("a connector that never answers is left when the gateway stops waiting", async () => {
	await using opened = await openTeams();
	const { platform, fake } = opened;
	await platform.start(new RealDoor());
	fake.fail(/activities/, "hold");
	const stop = new AbortController();
	const sent = platform.send(outbound("x"), stop.signal);
	await eventually(() => fake.count(/activities/) === 1, "it is asked");
	stop.abort();
	await assert.rejects(sent, { name: "AbortError" });
});

test("it ends at once, whatever is under way", async () => {
	const opened = await openTeams();
	const { platform, fake } = opened;
	await platform.start(new RealDoor());
	fake.fail(/activities/, "hold", 9);
	platform.show({ chatId: "a:1" }, { kind: "typing" });
	const sent = platform.send(outbound("x"), signal);
	await eventually(() => fake.count(/activities/) === 2, "both are under way");
	const rejected = assert.rejects(sent, { name: "AbortError" });
	await opened[Symbol.asyncDispose]();
	await rejected;
});
