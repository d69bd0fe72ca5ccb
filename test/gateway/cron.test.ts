// Jobs by a clock that the test moves, with the real store and the real engine.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { addJob, askForRun, enableJob, removeJob, type WantedJob } from "../../src/gateway/cron/change.ts";
import { type Clock, Cron } from "../../src/gateway/cron/cron.ts";
import type { CronStore } from "../../src/stores/cron.ts";
import { openSqliteCronStore } from "../../src/stores/sqlite/cron.ts";
import { Home, minute, MovedClock } from "./cron-home.ts";

const limit = { timeout: 60_000 };
const hour = 60 * minute;

test("a job is begun when it is due, with its prompt, for its chat, and each time once", limit, async () => {
	await using home = new Home();
	home.add("report", "0 * * * *", { chat: "http:a#t" });
	await home.serve();
	await home.start();
	await home.clock.pass(hour - 1);
	assert.deepEqual(home.begun, []);
	await home.clock.pass(1);
	assert.deepEqual(home.begun, [{ session: "cron/report", id: "report at 2026-11-22T11:00:00.000Z", text: "do report", surface: "cron", to: { platform: "http", chatId: "a", threadId: "t" } }]);
	await home.over("report");
	await home.clock.pass(hour);
	assert.deepEqual(home.times, ["report 2026-11-22T11:00:00.000Z", "report 2026-11-22T12:00:00.000Z"]);
	await home.over("report");
	assert.deepEqual(await home.history("report"), ["11-22T12:00 done: all well", "11-22T11:00 done: all well"]);
	assert.deepEqual([home.told, home.warnings], [[], []]);
});

test("without a chat of its own its answers go home, and nowhere without a home", limit, async () => {
	await using home = new Home();
	home.add("a", "in 1m");
	const first = await home.start();
	await home.clock.pass(minute);
	await first.stop();
	home.add("b", "in 1m");
	await home.start("");
	await home.clock.pass(minute);
	assert.deepEqual(home.begun.map(({ to }) => to), [{ platform: "http", chatId: "home" }, undefined]);
});

test("what another process adds, pauses, resumes, removes or asks for counts at once", limit, async () => {
	await using home = new Home();
	await home.start();
	using other = openSqliteCronStore(join(home.folder, "home.db"));
	addJob(other, { name: "a", schedule: "every 1m", prompt: "do a", zone: "UTC" }, home.clock.now());
	await home.serve();
	await home.clock.pass(minute);
	await home.over("a");
	assert.equal(home.begun.length, 1);
	enableJob(other, "a", false, home.clock.now());
	await home.clock.pass(3 * minute);
	assert.equal(home.begun.length, 1);
	askForRun(other, "a", home.clock.now());
	await home.clock.pass(500);
	assert.equal(home.begun.length, 2, "a paused one runs when somebody asks for it");
	await home.over("a");
	enableJob(other, "a", true, home.clock.now());
	await home.clock.pass(minute);
	assert.equal(home.begun.length, 3);
	removeJob(other, "a");
	assert.deepEqual(other.times("a", 9), [], "its times went with it");
	await home.clock.pass(3 * minute);
	assert.deepEqual([home.begun.length, home.told], [3, []], "what passed while it was paused was not missed");
	assert.equal(home.clock.longestWait, 500);
});

test("times at which the gateway was off are told in one message for each chat, and not run", limit, async () => {
	await using home = new Home();
	home.add("report", "0 * * * *", { zone: "Europe/Berlin" });
	home.add("tea", "in 5m");
	home.add("other", "30 10 * * *", { chat: "http:kitchen" });
	await (await home.start()).stop();
	await home.clock.set(Date.parse("2026-11-22T13:30:00Z"));
	await home.start();
	assert.deepEqual(home.begun, []);
	const words = "Jobs were due while the gateway was off, the machine asleep, or its clock set forward, and did not run:";
	assert.deepEqual(home.told.toSorted(), [
		`http:home: ${words}\n- report: 3 times from 2026-11-22 12:00 to 2026-11-22 14:00 (Europe/Berlin)\n- tea: 2026-11-22 10:05 (UTC)`,
		`http:kitchen: ${words.replace("Jobs were", "A job was")}\n- other: 2026-11-22 10:30 (UTC)`,
	]);
	assert.deepEqual(await home.history("report"), ["11-22T13:00 missed: 3 times from 2026-11-22 12:00 to 2026-11-22 14:00 (Europe/Berlin)"]);
	await home.clock.pass(30 * minute);
	assert.deepEqual(home.times, ["report 2026-11-22T14:00:00.000Z"], "it goes on from its next time");
	assert.equal(home.told.length, 2);
});

test("one that is to catch up runs once for all that it missed, and a minute is not late", limit, async () => {
	await using home = new Home();
	home.add("backup", "0 * * * *", { catchUp: true });
	home.add("tea", "in 210m");
	await (await home.start()).stop();
	await home.clock.set(Date.parse("2026-11-22T13:30:50Z"));
	await home.start();
	assert.deepEqual(home.times, ["backup 2026-11-22T13:00:00.000Z", "tea 2026-11-22T13:30:00.000Z"]);
	assert.match(home.told.join(), /- backup: 2 times from 2026-11-22 11:00 to 2026-11-22 12:00 \(UTC\); it is run once now$/);
});

test("a machine that slept is as a gateway that was off, and very many times are not counted one by one", limit, async () => {
	await using home = new Home();
	home.add("often", "* * * * *");
	await home.start();
	await home.clock.set(home.clock.now() + 300 * 24 * hour + 30_000);
	assert.match(home.told.join(), /- often: more than 99 times from 2026-11-22 10:01 to 2027-09-18 10:00 \(UTC\)/);
	assert.deepEqual(home.times, ["often 2027-09-18T10:00:00.000Z"]);
});

test("a clock that is set back runs nothing twice, and a wrong year does not hold a job up", limit, async () => {
	await using home = new Home();
	home.add("often", "*/10 * * * *");
	await home.serve();
	await home.start();
	await home.pass(30, "often");
	const before = home.times;
	assert.equal(before.length, 3);
	await home.clock.set(Date.parse("2026-11-22T09:55:00Z"));
	await home.pass(30, "often");
	assert.deepEqual(home.times.slice(3), ["often 2026-11-22T10:00:00.000Z"], "the one that had not been met");
	await home.clock.set(Date.parse("2026-11-22T10:35:00Z"));
	assert.deepEqual(home.told, [], "set right again, nothing was missed");
	await home.clock.set(Date.parse("2036-11-22T10:35:00Z"));
	await home.over("often");
	await home.clock.set(Date.parse("2026-11-22T10:35:00Z"));
	await home.clock.pass(5 * minute);
	assert.equal(home.times.at(-1), "often 2026-11-22T10:40:00.000Z");
	assert.equal(new Set(home.times).size, home.times.length);
});

test("a run that takes longer than its interval is not overlapped: the times in between are skipped, and said so", limit, async () => {
	await using home = new Home();
	home.add("slow", "*/10 * * * *");
	await home.start();
	// Nobody serves: it is not over.
	await home.clock.pass(30 * minute);
	assert.deepEqual(home.times, ["slow 2026-11-22T10:10:00.000Z"]);
	assert.deepEqual(await home.history("slow"), ["11-22T10:30 skipped: The run before it was not over.", "11-22T10:20 skipped: The run before it was not over.", "11-22T10:10 waiting"]);
	await home.serve();
	await home.over("slow");
	await home.clock.pass(10 * minute);
	assert.equal(home.times.at(-1), "slow 2026-11-22T10:40:00.000Z");
});

test("what is planned and not begun is begun by whoever comes next, once, however late", limit, async () => {
	await using home = new Home();
	home.add("a", "0 11 * * *");
	const first = await home.start();
	home.failure = new Error("the disk is full");
	await home.clock.pass(hour + minute);
	assert.deepEqual(home.warnings, ["The job a cannot be begun now, and is tried again: the disk is full"]);
	await first.stop();
	home.failure = undefined;
	await home.clock.set(home.clock.now() + 5 * hour);
	await home.start();
	assert.deepEqual([home.times, home.told], [["a 2026-11-22T11:00:00.000Z"], []]);
	// As after a crash between beginning it and noting that down.
	askForRun(home.store, "a", home.clock.now());
	const [asked] = home.store.planned();
	await home.sessions.append("cron/a", { id: asked!.id, kind: "job", body: {} });
	await home.clock.pass(minute);
	assert.deepEqual([home.begun.length, home.store.planned()], [1, []]);
});

test("a store that cannot be read is asked again and not at once", limit, async () => {
	await using home = new Home();
	home.add("a", "in 1m");
	let broken = false;
	const store: CronStore = new Proxy(home.store, {
		get(target, name: keyof CronStore) {
			if (broken && name === "settle") throw new Error("the disk is full");
			return target[name].bind(target);
		},
	});
	const waits: number[] = [];
	const clock: Clock = { now: () => home.clock.now(), setTimeout: (run, ms) => (waits.push(ms), home.clock.setTimeout(run, ms)) };
	const cron = new Cron({ store, jobs: home.jobs, sessions: home.sessions, deliverer: home.deliverer(undefined), warn: (message) => home.warnings.push(message), clock });
	await cron.start();
	broken = true;
	await home.clock.pass(minute);
	await home.clock.pass(1);
	assert.deepEqual([waits.slice(-2), home.warnings], [[500, 500], ["Jobs cannot be looked at now, and are looked at again: the disk is full"]]);
	broken = false;
	await home.clock.pass(500);
	await cron.stop();
	assert.deepEqual(home.times, ["a 2026-11-22T10:01:00.000Z"]);
});

test("two gateways on one home begin each time once", limit, async () => {
	await using home = new Home();
	home.add("a", "*/10 * * * *");
	await home.serve();
	await home.start();
	const { clock } = home;
	const second = new MovedClock("2026-11-22T10:00:00Z");
	using store = openSqliteCronStore(join(home.folder, "home.db"));
	const other = new Cron({ store, jobs: home.jobs, sessions: home.sessions, deliverer: home.deliverer(undefined), warn: (message) => home.warnings.push(message), clock: second });
	await other.start();
	for (const time of ["10:10", "10:20"]) {
		const at = Date.parse(`2026-11-22T${time}:00Z`);
		await Promise.all([clock.set(at), second.set(at)]);
		await home.over("a");
	}
	await other.stop();
	assert.deepEqual([home.times, home.warnings], [["a 2026-11-22T10:10:00.000Z", "a 2026-11-22T10:20:00.000Z"], []]);
});

test("on the day a time does not exist, and on the day it comes twice, a daily job runs once", limit, async () => {
	for (const [from, expected] of [
		["2027-03-28T00:00:00Z", "a 2027-03-28T01:00:00.000Z"],
		["2026-10-25T00:00:00Z", "a 2026-10-25T00:30:00.000Z"],
	] as const) {
		await using home = new Home(from);
		home.add("a", "30 2 * * *", { zone: "Europe/Berlin" });
		await home.serve();
		await home.start();
		await home.clock.pass(20 * hour);
		assert.deepEqual(home.times, [expected]);
	}
});

test("one that is over stays in the list for a month", limit, async () => {
	await using home = new Home();
	home.add("tea", "in 1m");
	await home.serve();
	await home.start();
	await home.clock.pass(minute);
	await home.clock.set(home.clock.now() + 29 * 24 * hour);
	home.add("b", "@daily");
	await home.clock.pass(minute);
	assert.ok(home.store.job("tea"));
	await home.clock.set(home.clock.now() + 2 * 24 * hour);
	home.add("c", "@daily");
	await home.clock.pass(minute);
	assert.equal(home.store.job("tea"), undefined);
});

test("a thousand jobs are begun in their minute, and told of together when they were missed", limit, async () => {
	await using home = new Home();
	for (let i = 0; i < 1_000; i++) home.add(`job-${i}`, `${i % 30} 11 * * *`);
	const first = await home.start();
	await home.clock.set(Date.parse("2026-11-22T11:00:00Z"));
	assert.equal(home.begun.length, 34);
	await first.stop();
	await home.clock.set(Date.parse("2026-11-22T12:00:00Z"));
	await home.start();
	assert.equal(home.told.length, 1);
	assert.match(home.told[0]!, /and 936 more jobs; 'hookline cron history NAME' tells of each$/);
});

test("a zone that is not known any more stops its own job, and says so once", limit, async () => {
	await using home = new Home();
	home.add("good", "every 1m");
	const job = home.store.job("good")!;
	home.store.add({ ...job, name: "bad", zone: "Mars/Olympus" });
	await home.start();
	await home.clock.pass(minute);
	home.add("more", "@daily");
	await home.clock.pass(minute);
	assert.equal(home.begun[0]?.session, "cron/good");
	assert.deepEqual(home.warnings, ["The job bad is not run: There is no time zone 'Mars/Olympus'. Zones are called like Europe/Berlin, or UTC."]);
});

test("a job has to have a good name, something to do, a schedule that comes, and a chat that can be", limit, async () => {
	await using home = new Home();
	const refused = (wanted: Partial<WantedJob>, message: RegExp) => assert.throws(() => addJob(home.store, { name: "a", schedule: "@daily", prompt: "x", zone: "UTC", ...wanted }, home.clock.now(), ["http", "telegram"]), { name: "CronError", message });
	refused({ name: "a b" }, /^A job cannot be called 'a b'\./);
	refused({ prompt: "  " }, /^There is nothing to do for the job a\./);
	refused({ schedule: "0 0 30 2 *" }, /^'0 0 30 2 \*' never comes\.$/);
	refused({ schedule: "at 2020-01-01T00:00" }, /has gone by/);
	refused({ zone: "Nowhere" }, /^There is no time zone 'Nowhere'/);
	refused({ chat: "kitchen" }, /^'kitchen' is no chat\. Write PLATFORM:CHAT/);
	refused({ chat: "telegramm:1" }, /^There is no platform 'telegramm' here\. Did you mean 'telegram'\? There is http, telegram\.$/);
	home.add("a", "@daily");
	refused({}, /^There is a job a already\./);
	assert.throws(() => removeJob(home.store, "backup"), { message: "There is no job 'backup'. 'cron list' shows them." });
});
