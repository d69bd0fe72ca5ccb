// Settings that are saved while the gateway runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { Place } from "../cli/program.ts";
import { Served } from "./served.ts";

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
