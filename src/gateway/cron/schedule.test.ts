import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scheduleIn } from "./schedule.ts";

const at = (text: string): number => Date.parse(text);
const said = (text: string, zone = "UTC", from = "2026-11-22T10:00:00Z") => scheduleIn(text, zone, at(from));
/** The next times, as UTC. */
function next(text: string, count: number, { zone = "UTC", from = "2026-11-22T10:00:00Z" } = {}): readonly string[] {
	const schedule = said(text, zone, from);
	const times: string[] = [];
	for (let time = schedule.after(at(from)); time !== undefined && times.length < count; time = schedule.after(time)) times.push(new Date(time).toISOString().slice(0, 19));
	return times;
}

describe("a schedule", () => {
	test("is a cron line of five fields, of six with seconds first, or a name for one", () => {
		assert.deepEqual(next("30 9 * * 1-5", 2), ["2026-11-23T09:30:00", "2026-11-24T09:30:00"]);
		assert.deepEqual(next("*/20 * * * * *", 2), ["2026-11-22T10:00:20", "2026-11-22T10:00:40"]);
		assert.deepEqual(next("@daily", 1), ["2026-11-23T00:00:00"]);
	});

	test("is an interval that counts from when it was written", () => {
		assert.deepEqual(next("every 2h", 2, { from: "2026-11-22T10:07:00Z" }), ["2026-11-22T12:07:00", "2026-11-22T14:07:00"]);
		assert.deepEqual(next("every day", 1), ["2026-11-23T10:00:00"]);
		assert.deepEqual(next("Every 90 seconds", 1), ["2026-11-22T10:01:30"]);
	});

	test("is one moment, from now on or by the clock of its zone", () => {
		assert.deepEqual(next("in 20m", 5), ["2026-11-22T10:20:00"]);
		assert.deepEqual(next("at 2026-12-01T09:00", 5, { zone: "Europe/Berlin" }), ["2026-12-01T08:00:00"]);
		assert.deepEqual(next("at 2026-12-01 09:00:30", 5), ["2026-12-01T09:00:30"]);
		assert.deepEqual(next("at 2026-12-01T09:00+05:30", 5, { zone: "Europe/Berlin" }), ["2026-12-01T03:30:00"]);
		assert.deepEqual(next("at 2020-01-01T00:00", 5), []);
	});

	test("at a time of day that a change of the clocks leaves out runs once, right after it; at one that comes twice, the first time", () => {
		assert.deepEqual(next("30 2 * * *", 3, { zone: "Europe/Berlin", from: "2027-03-27T00:00:00Z" }), ["2027-03-27T01:30:00", "2027-03-28T01:00:00", "2027-03-29T00:30:00"]);
		assert.deepEqual(next("30 2 * * *", 3, { zone: "Europe/Berlin", from: "2026-10-24T00:00:00Z" }), ["2026-10-24T00:30:00", "2026-10-25T00:30:00", "2026-10-26T01:30:00"]);
		assert.deepEqual(next("*/30 * * * *", 4, { zone: "Europe/Berlin", from: "2026-10-25T00:00:00Z" }), ["2026-10-25T00:30:00", "2026-10-25T01:00:00", "2026-10-25T01:30:00", "2026-10-25T02:00:00"]);
		assert.deepEqual(next("at 2027-03-28T02:30", 1, { zone: "Europe/Berlin" }), ["2027-03-28T01:30:00"]);
	});

	test("tells the last time that is over", () => {
		const last = (text: string, time: string) => new Date(said(text).last(at(time))).toISOString();
		assert.equal(last("*/5 * * * *", "2026-11-22T12:05:00Z"), "2026-11-22T12:05:00.000Z");
		assert.equal(last("*/5 * * * *", "2026-11-22T12:04:59.999Z"), "2026-11-22T12:00:00.000Z");
		assert.equal(last("every 2h", "2026-11-22T15:00:00Z"), "2026-11-22T14:00:00.000Z");
		assert.equal(last("in 20m", "2026-11-22T15:00:00Z"), "2026-11-22T10:20:00.000Z");
	});

	for (const [text, message] of [
		["noon", /^'noon' is no schedule\. Write 'every 2h', 'in 20m'/],
		["61 * * * *", /^'61 \* \* \* \*' is no schedule: Invalid value for minute: 61\. Write/],
		["0 0 1 1 * * 2027", /is no schedule/],
		["@fortnightly", /^'@fortnightly' is no schedule/],
		["@reboot", /stands in BOOT\.md/],
		["every 3 fortnights", /^'every 3 fortnights': 'fortnights' is no unit of time\. Take s, m, h, d or w\.$/],
		["every 3 constructor", /is no unit of time/],
		["every 0s", /must be a second at least, and ten years at most/],
		["in 9000w", /ten years at most/],
		["at noon", /^'at noon': 'noon' is no time\. Write it like 2026-12-01T09:00/],
		["at 2026-02-30T09:00", /is no time/],
		["at 2026-12-01T25:00", /is no time/],
	] as const) {
		test(`${text} is refused`, () => assert.throws(() => said(text), { name: "ScheduleError", message }));
	}

	test("needs a time zone that there is", () => {
		assert.throws(() => said("@daily", "Europe/Berln"), { message: "There is no time zone 'Europe/Berln'. Did you mean 'Europe/Berlin'? Zones are called like Europe/Berlin, or UTC." });
	});
});
