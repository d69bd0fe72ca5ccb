// Jobs in a gateway that runs: added in a chat and on the command line, and killed about the time they are due.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { Place } from "../cli/program.ts";
import { Served, texts } from "./served.ts";

const config = `gateway: {http: {port: 0}, home_chat: "http:home"}`;

test("a job that was added in a chat answers there, one of the command line in the home chat, and both have a history", { timeout: 60_000 }, async () => {
	await using place = new Place();
	const gateway = await Served.start(place, config);
	const [added = ""] = (await gateway.ask('/cron add soon "in 1s" SAY it is time')).messages ?? [];
	assert.match(added, /soon/);
	await eventually(async () => texts(await gateway.events()).includes("it is time"), "the job answers in its chat");
	const { code, stderr } = await place.run(["cron", "add", "nightly", "0 3 * * *", "SAY the night was quiet"]);
	assert.equal(code, 0, stderr);
	assert.equal((await place.run(["cron", "run", "nightly"])).code, 0);
	await eventually(async () => texts(await gateway.events("home")).includes("the night was quiet"), "the job answers in the home chat");
	const [history = ""] = (await gateway.ask("/cron history nightly")).messages ?? [];
	assert.match(history, /the night was quiet/);
	const [refused = ""] = (await gateway.ask("/cron list", { user: "7", chat: "b" })).messages ?? [];
	assert.doesNotMatch(refused, /nightly/);
	assert.equal(await gateway.stop(), 0);
});

test("a gateway that is killed about the time a job is due runs it once: in time, or as soon as it is back", { timeout: 60_000 }, async () => {
	await using place = new Place();
	let gateway = await Served.start(place, config);
	for (let i = 0; i < 4; i++) await gateway.ask(`/cron add j${i} "in ${1 + i}s" CALL terminal {"command":"echo j${i} >> ran"}`);
	for (let i = 0; i < 3; i++) {
		await eventually(() => place.made("ran") && place.read("ran").includes(`j${i}`), `job ${i} runs`);
		await gateway.kill();
		gateway = await Served.start(place, config);
	}
	await eventually(() => place.read("ran").includes("j3"), "the last job runs");
	await eventually(async () => /DONE/.test(((await gateway.ask("/cron history j3")).messages ?? []).join()), "it is done");
	assert.deepEqual(place.read("ran").trim().split("\n").toSorted(), ["j0", "j1", "j2", "j3"]);
	assert.equal(await gateway.stop(), 0);
});
