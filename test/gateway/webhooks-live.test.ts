// Requests of other programs, to a gateway that runs: signed ones become a turn whose answer reaches a chat.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { eventually } from "../../src/system/test-waiting.ts";
import { Place } from "../cli/program.ts";
import { Served, texts } from "./served.ts";

const secret = `whsec_${Buffer.from("a secret of the tests, long enough").toString("base64")}`;
const config = `gateway:
  http: {port: 0}
  home_chat: "http:home"
  webhooks:
    deploys: {secret_env: DEPLOYS_SECRET, prompt: "SAY {{body.service}} was deployed"}
`;

function signed(id: string, body: string, at = new Date()): RequestInit {
	return { method: "POST", body, headers: { "content-type": "application/json", "webhook-id": id, "webhook-timestamp": String(Math.floor(at.getTime() / 1000)), "webhook-signature": new Webhook(secret).sign(id, at, body) } };
}

test("a signed request becomes a turn once, also when it comes twice and the gateway is killed in between; a forged one nothing", { timeout: 60_000 }, async () => {
	await using place = new Place();
	const env = { DEPLOYS_SECRET: secret };
	let gateway = await Served.start(place, config, env);
	const post = (init: RequestInit) => fetch(`${gateway.address}/hooks/deploys`, init);
	const body = JSON.stringify({ service: "api" });
	assert.equal((await post({ ...signed("1", body), body: JSON.stringify({ service: "evil" }) })).status, 401);
	assert.equal((await post(signed("2", body, new Date(Date.now() - 3600_000)))).status, 401);
	const taken = await post(signed("3", body));
	assert.deepEqual([taken.status, await taken.json()], [202, { id: "3", status: "accepted" }]);
	await gateway.kill();
	gateway = await Served.start(place, config, env);
	assert.deepEqual(await (await post(signed("3", body))).json(), { id: "3", status: "duplicate" });
	await eventually(async () => (await gateway.events("home")).length > 0, "the answer comes");
	assert.equal((await post(signed("4", JSON.stringify({ service: "shop" })))).status, 202);
	await eventually(async () => texts(await gateway.events("home")).some((text) => text.includes("shop")), "the next answer comes");
	const [first = "", ...others] = texts(await gateway.events("home"));
	assert.match(first, /api|was interrupted/);
	assert.equal(others.length, 1);
	assert.equal(await gateway.stop(), 0);
});

test("a webhook without its secret is not served, in a line that says what is missing; all else is", { timeout: 60_000 }, async () => {
	await using place = new Place();
	const gateway = await Served.start(place, config);
	assert.match(gateway.running.stderr, /The webhook deploys is not served: There is nothing in the environment variable DEPLOYS_SECRET \(gateway\.webhooks\.deploys\.secret_env\)/);
	assert.equal((await fetch(`${gateway.address}/hooks/deploys`, signed("1", "{}"))).status, 404);
	assert.deepEqual((await gateway.ask("SAY here")).messages, ["here"]);
	assert.equal(await gateway.stop(), 0);
});
