// `hookline cron` as people type it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteCronStore } from "../../src/stores/sqlite/cron.ts";
import { Place } from "./program.ts";

const limit = { timeout: 60_000 };

test("a job is added, listed, paused, resumed, asked for and removed", limit, async () => {
	await using place = new Place();
	const cron = (...args: readonly string[]) => place.run(["cron", ...args]);
	assert.deepEqual(await cron(), { code: 0, stdout: "", stderr: 'There are no jobs. Add one with: hookline cron add NAME "0 9 * * *" "what to do"\n' });
	const added = await cron("add", "report", "0 9 * * 1-5", "sum", "up", "--zone", "Europe/Berlin", "--chat", "telegram:5#7", "--catch-up");
	assert.equal(added.code, 0);
	assert.match(added.stderr, /^The job report runs next at \d{4}-\d\d-\d\d 09:00 \(Europe\/Berlin\); its answers go to telegram:5#7\.\nNo gateway runs for this home now, and jobs run only while one does\. Start it with: hookline gateway run\n$/);
	assert.match((await cron("add", "tea", "in 4m", "the tea is ready")).stderr, /its answers go to gateway\.home_chat\./);
	assert.match((await cron("list")).stdout, /^report\t0 9 \* \* 1-5\tEurope\/Berlin\t\d{4}-\d\d-\d\d 09:00\t-\ttelegram:5#7\tsum up\ntea\tin 4m\t.+\t-\thome\tthe tea is ready\n$/);
	const [report] = JSON.parse((await cron("list", "--json")).stdout) as readonly Record<string, unknown>[];
	assert.deepEqual([report!["name"], report!["chat"], report!["catchUp"], typeof report!["next"]], ["report", "telegram:5#7", true, "number"]);
	assert.equal((await cron("pause", "report")).stderr, "The job report is paused.\n");
	assert.match((await cron()).stdout, /^report\t.*\tpaused\t/);
	assert.match((await cron("resume", "report")).stderr, /^The job report runs next at .* 09:00 \(Europe\/Berlin\)\.\n$/);
	assert.equal((await cron("history", "report")).stderr, "The job report was not due yet.\n");
	assert.match((await cron("run", "report")).stderr, /^The job report is to run now\. 'hookline cron history report' shows how it comes out\.\nNo gateway runs/);
	assert.match((await cron("history", "report")).stdout, /^\d{4}-\d\d-\d\d .*\tplanned\t-\t-\t\n$/);
	assert.deepEqual((JSON.parse((await cron("history", "report", "--json")).stdout) as readonly { readonly state: string }[]).map(({ state }) => state), ["planned"]);
	assert.equal((await cron("remove", "report")).stderr, "The job report and its history are removed. The conversations it had are kept: 'hookline sessions'.\n");
	assert.match((await cron()).stdout, /^tea\t/);
});

test("what cannot be is said in a line, with exit code 1, or 2 when the command line is wrong", limit, async () => {
	await using place = new Place();
	const cron = async (...args: readonly string[]) => {
		const { code, stderr } = await place.run(["cron", ...args]);
		return `${code} ${stderr}`;
	};
	assert.match(await cron("add", "a", "@daily", "x", "--zone", "Europe/Berln"), /^1 hookline: There is no time zone 'Europe\/Berln'\. Did you mean 'Europe\/Berlin'\? Zones are called like Europe\/Berlin, or UTC\.\n$/);
	assert.match(await cron("add", "a", "0 0 30 2 *", "x"), /^1 hookline: '0 0 30 2 \*' never comes\.\n$/);
	assert.match(await cron("add", "a", "at 2020-01-01T00:00", "x", "--zone", "UTC"), /^1 hookline: 'at 2020-01-01T00:00' \(UTC\) has gone by\.\n$/);
	assert.match(await cron("add", "a", "noon", "x"), /^1 hookline: 'noon' is no schedule\. Write /);
	assert.match(await cron("add", "a", "@daily", "x", "--chat", "kitchen"), /^1 hookline: 'kitchen' is no chat\./);
	assert.match(await cron("remove", "a"), /^1 hookline: There is no job 'a'\. There are none at all\.\n$/);
	assert.match(await cron("add", "a"), /^2 /);
	assert.match(await cron("lst"), /^2 hookline: There is no command 'cron lst'\. Did you mean 'list'\?/);
	assert.match(await cron("history", "a", "--limit", "none"), /^2 hookline: --limit must be a whole number from 1/);
});

test("a database that cannot be used is left as it is, and said so", limit, async () => {
	await using place = new Place();
	const file = join(place.home, "hookline.db");
	writeFileSync(file, "no database at all, but long enough to be looked at as one");
	const { code, stderr } = await place.run(["cron", "add", "a", "@daily", "x"]);
	assert.deepEqual([code, /is damaged or is no database/.test(stderr), readFileSync(file, "utf8").slice(0, 11)], [1, true, "no database"]);
});

test("jobs survive what the home's database is used for besides", limit, async () => {
	await using place = new Place();
	await place.run(["cron", "add", "a", "@daily", "x"]);
	await place.run(["run", "hello", "--model", "rehearsal"]);
	using store = openSqliteCronStore(join(place.home, "hookline.db"));
	assert.deepEqual(store.jobs().map(({ name }) => name), ["a"]);
});
