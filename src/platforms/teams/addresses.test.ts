import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesOf } from "./addresses.ts";

test("only Microsoft's own addresses get the bot's token", () => {
	const { trusts } = addressesOf("t", undefined);
	const own = ["https://smba.trafficmanager.net/emea/", "https://smba.trafficmanager.net/teams", "https://smba.infra.gcc.teams.microsoft.com/gcc", "https://webchat.botframework.com/"];
	const foreign = [
		"http://smba.trafficmanager.net/emea/",
		"https://evil.trafficmanager.net/",
		"https://smba.trafficmanager.net.evil.example/",
		"https://smba.trafficmanager.net:8443/",
		"https://smba.trafficmanager.net@evil.example/",
		"https://x:y@smba.trafficmanager.net/",
		"https://evilbotframework.com/",
		"https://evil.example/.botframework.com",
		"https://evil.example#.botframework.com",
		"https://evil.example\\.botframework.com",
		"https://teams.microsoft.com.evil.example/",
		"javascript:alert(1)",
		"smba.trafficmanager.net",
		"",
	];
	assert.deepEqual([own.filter((url) => !trusts(url)), foreign.filter(trusts)], [[], []]);
});

test("with a server of one's own no other gets it, not even Microsoft", () => {
	const { trusts, token, metadata, connector } = addressesOf(undefined, "http://127.0.0.1:9/x/");
	assert.deepEqual(["http://127.0.0.1:9/emea", "http://127.0.0.1:8/", "https://127.0.0.1:9/", "https://smba.trafficmanager.net/teams"].map(trusts), [true, false, false, false]);
	assert.deepEqual([token, metadata, connector], ["http://127.0.0.1:9/x/botframework.com/oauth2/v2.0/token", "http://127.0.0.1:9/x/v1/.well-known/openidconfiguration", "http://127.0.0.1:9/x"]);
});

test("a bot logs in where it belongs", () => {
	assert.equal(addressesOf("contoso/../x", undefined).token, "https://login.microsoftonline.com/contoso%2F..%2Fx/oauth2/v2.0/token");
});
