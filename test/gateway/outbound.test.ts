// `hooks.outbound` of a gateway: events of chats are told, a receiver that was down hears them later, and a kill loses none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Receiver, status } from "../outbound-receiver.ts";
import { Place } from "../cli/program.ts";
import { Served } from "./served.ts";

const config = (receiver: Receiver, events: string) => `gateway: {http: {port: 0}}\nhooks:\n  outbound:\n    - {url: "${receiver.url}", name: chats, events: [${events}], secret_env: HOOK_SECRET}`;
const env = { HOOK_SECRET: "not told to anybody" };

test("a gateway tells of its chats under the names of gateway hooks, with who and where", { timeout: 60_000 }, async () => {
	await using place = new Place();
	await using receiver = await Receiver.open();
	const served = await Served.start(place, config(receiver, '"gateway:startup", "agent:end", message.sent, "command:*"'), env);
	await served.ask("SAY hello");
	await served.ask("/status");
	await receiver.hears(5);
	assert.equal(await served.stop(), 0);
	assert.deepEqual(receiver.events.filter((event) => event !== "message.sent"), ["gateway:startup", "agent:end", "command:status"]);
	const { body } = receiver.heard.find(({ body }) => body["hook_event_name"] === "agent:end")!;
	assert.deepEqual([body["platform"], body["chat_id"], body["surface"]], ["http", "a", "gateway"]);
	assert.equal((body["extra"] as { readonly assistant_response: string }).assistant_response, "hello");
});

test("what a gateway that is killed could not deliver is delivered by the next one, in its order", { timeout: 60_000 }, async () => {
	await using place = new Place();
	await using receiver = await Receiver.open(status(503));
	const settings = config(receiver, '"agent:end"');
	const served = await Served.start(place, settings, env);
	for (const word of ["one", "two", "three"]) await served.ask(`SAY ${word}`);
	await receiver.hears(1);
	await served.kill();
	receiver.answer = status(200);
	receiver.heard.length = 0;
	const next = await Served.start(place, settings, env);
	await receiver.hears(3);
	assert.deepEqual(receiver.heard.map(({ body }) => (body["extra"] as { readonly assistant_response: string }).assistant_response), ["one", "two", "three"]);
	await next.stop();
});

test("a reload takes up another receiver and leaves nothing of the first behind", { timeout: 60_000 }, async () => {
	await using place = new Place();
	await using first = await Receiver.open();
	await using second = await Receiver.open();
	const served = await Served.start(place, config(first, '"agent:end"'), env);
	await served.ask("SAY one");
	await first.hears(1);
	place.config(config(second, '"agent:end"').replace("chats", "others"));
	assert.equal((await place.run(["gateway", "reload"])).code, 0);
	await served.ask("SAY two");
	await second.hears(1);
	assert.equal(first.heard.length, 1);
	const listed = JSON.parse((await place.run(["hooks", "list", "--json"])).stdout) as { readonly outbound: readonly { readonly id: string; readonly signed: boolean }[] };
	assert.deepEqual(listed.outbound.map(({ id, signed }) => [id, signed]), [["others", true]]);
	await served.stop();
});
