// Another agent, other settings and other platforms, while the gateway runs.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { transform } from "../engine.ts";
import { everybody, OpenedGateway, Square } from "./square.ts";

test("a platform that comes is started, one that goes is ended, one that stays is left alone; what cannot start is said", async () => {
	const [stays, goes, comes, fails] = [new Square(), new Square({ name: "circle" }), new Square({ name: "line" }), new Square({ name: "point" })];
	fails.refusesToStart = "the token is wrong";
	await using opened = await OpenedGateway.open([stays, goes]);
	const { gateway } = opened;
	const failures = await gateway.renew(async () => ({ ...(await opened.parts(everybody)), platforms: [stays, comes, fails] }));
	assert.deepEqual(failures, ["point was not started: the token is wrong"]);
	assert.deepEqual([stays, goes, comes, fails].map(({ events }) => events.join(" ")), ["start", "start stop close", "start", "start"]);
	assert.deepEqual(gateway.status.platforms.map(({ name, started }) => [name, started]), [["square", true], ["line", true], ["point", false]]);
	assert.deepEqual(await stays.ask("SAY here"), ["here"]);
});

test("a text that a platform did not take goes out through the one with the new settings, and none is given up in between", async () => {
	const old = new Square();
	const mended = new Square();
	old.before = () => {
		throw new Error("401");
	};
	const closing = Promise.withResolvers<void>();
	old.close = () => closing.promise;
	await using opened = await OpenedGateway.open([old]);
	const { gateway } = opened;
	await old.say("SAY first");
	await eventually(() => opened.warnings.some((warning) => warning.includes("does not take a text now")), "it was tried");
	const renewing = gateway.renew(async () => ({ ...(await opened.parts(everybody)), platforms: [mended] }));
	await eventually(() => mended.texts().includes("first"), "it arrives while the old one is still being closed");
	closing.resolve();
	assert.deepEqual(await renewing, []);
	assert.ok(!opened.warnings.some((warning) => warning.includes("cannot be delivered")));
});

test("when the new agent cannot be had all goes on as before", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square]);
	const { gateway } = opened;
	await assert.rejects(gateway.renew(() => Promise.reject(new Error("no model"))), /no model/);
	assert.deepEqual(await square.ask("SAY still here"), ["still here"]);
	assert.deepEqual(square.events, ["start"]);
});

test("a platform that cannot be closed keeps nobody from theirs", async () => {
	const stuck = new Square();
	stuck.stop = () => Promise.reject(new Error("it hangs"));
	const square = new Square();
	await using opened = await OpenedGateway.open([stuck]);
	await opened.gateway.renew(async () => ({ ...(await opened.parts(everybody)), platforms: [square] }));
	assert.deepEqual(await square.ask("SAY here"), ["here"]);
	assert.ok(opened.warnings.includes("square was not stopped: it hangs"));
});

test("it resolves when nothing uses the agent that was there before: a message in the middle of its hooks ends first", async () => {
	const square = new Square();
	const hook = Promise.withResolvers<void>();
	await using opened = await OpenedGateway.open([square], everybody, [transform("message.receiving", () => hook.promise)]);
	const said = square.say("SAY slowly");
	let isRenewed = false;
	const line = new Square({ name: "line" });
	const renewing = opened.gateway.renew(async () => ({ ...(await opened.parts(everybody)), platforms: [square, line] })).then(() => (isRenewed = true));
	await eventually(() => line.connected, "the new agent is there");
	assert.deepEqual(await square.ask("SAY at once", { chatId: "b" }), ["at once"]);
	assert.equal(isRenewed, false);
	hook.resolve();
	assert.equal((await said).kind, "accepted");
	await renewing;
});

test("a gateway that is stopped while it waits to take up settings stops in its time, and begins nothing more", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square]);
	await square.say(`SLOW 50 ${"and so on ".repeat(500)}`);
	await eventually(() => opened.gateway.status.running === 1, "a turn runs");
	const renewing = opened.gateway.renew(() => assert.fail("nobody asks for another agent any more"));
	const began = performance.now();
	await Promise.all([assert.rejects(renewing, /The gateway is stopping\./), opened.gateway.stop(50, "test")]);
	assert.ok(performance.now() - began < 10_000);
	// Nobody serves: what comes waits for the next start.
	await opened.gateway.begin({ session: "cron/late", id: "1", text: "SAY late", surface: "cron" });
	await pause(300);
	assert.deepEqual(await opened.gateway.runs("cron/late"), []);
});
