// Jobs from a chat: `/cron`, and the tool of the model.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { CronPlace } from "../../src/gateway/cron/actions.ts";
import { cronTool } from "../../src/gateway/cron/tool.ts";
import { cronCommand } from "../../src/gateway/cron-commands.ts";
import { openSqliteCronStore } from "../../src/stores/sqlite/cron.ts";
import { openSqliteSessionEngine } from "../../src/stores/sqlite/session-engine.ts";
import { type Brings, Chatting, Kept } from "./chatting.ts";

interface Opened extends CronPlace, AsyncDisposable {
	readonly chat: Chatting;
}

async function open(brings: Brings = { chat: "telegram:5#7" }, deliverer = new Kept()): Promise<Opened> {
	const folder = mkdtempSync(join(tmpdir(), "hookline-cron-chat-"));
	const place = { store: openSqliteCronStore(join(folder, "home.db")), sessions: openSqliteSessionEngine(join(folder, "home.db")), deliverer };
	const chat = await Chatting.open({ ...brings, tools: [cronTool(place)], commands: [cronCommand(place)] });
	return {
		...place,
		chat,
		async [Symbol.asyncDispose]() {
			await chat[Symbol.asyncDispose]();
			await place.sessions.close();
			place.store[Symbol.dispose]();
			rmSync(folder, { recursive: true });
		},
	};
}

test("/cron adds a job for this chat, lists, pauses, resumes, runs and removes it", async () => {
	await using at = await open();
	const { chat, store } = at;
	assert.equal(await chat.type("/cron"), "There are no jobs.");
	assert.match(await chat.type('/cron add report "0 9 * * 1-5" sum up\nwhat is "new"'), /^The job report runs next at \d{4}-\d\d-\d\d 09:00 \(.+\); its answers go to telegram:5#7\.$/);
	const { prompt, chat: to, enabled } = store.job("report")!;
	assert.deepEqual([prompt, to, enabled], ['sum up\nwhat is "new"', "telegram:5#7", true]);
	assert.match(await chat.type("/cron add tea “in 4m” the tea is ready"), /^The job tea runs next at/);
	assert.match(await chat.type("/cron add night @daily tidy up"), /^The job night runs next at/);
	assert.match(await chat.type("/cron list"), /^night: @daily .*\nreport: 0 9 \* \* 1-5 \(.+\), next .+ 09:00, to telegram:5#7: sum up what is "new"\ntea: in 4m/);
	assert.equal(await chat.type("/cron pause report"), "The job report is paused.");
	assert.match(await chat.type("/cron list"), /report: .*, next paused,/);
	assert.match(await chat.type("/cron resume report"), /^The job report runs next at/);
	assert.equal(await chat.type("/cron history report"), "The job report was not due yet.");
	assert.equal(await chat.type("/cron run report"), "The job report is run now.");
	assert.match(await chat.type("/cron history report"), /^\d{4}-\d\d-\d\d .* planned$/);
	assert.equal(await chat.type("/cron remove report"), "The job report and its history are removed.");
	assert.deepEqual(store.jobs().map(({ name }) => name), ["night", "tea"]);
});

test("/cron says how it is written, and what is wrong", async () => {
	await using at = await open();
	const { chat } = at;
	assert.match(await chat.type("/cron add report every day sum up"), /^That is not how a job is added\. Type \/cron add NAME "SCHEDULE" WHAT TO DO/);
	assert.match(await chat.type("/cron lst"), /^There is no '\/cron lst'\. Did you mean 'list'\? Type \/cron list,/);
	assert.match(await chat.type("/cron remove"), /^Type \/cron remove and the name of one job/);
	assert.match(await chat.type("/cron remove report"), /^There is no job 'report'\. There are none at all\.$/);
	assert.match(await chat.type('/cron add report "every 2 moons" sum up'), /'moons' is no unit of time/);
});

test("the model makes itself jobs, here, at home or elsewhere", async () => {
	await using at = await open();
	const { chat, store } = at;
	const add = (more: object) => chat.call("cron", { action: "add", schedule: "in 20m", prompt: "say so", ...more });
	assert.match(await add({ name: "a" }), /^The job a runs next at .*; its answers go to telegram:5#7\.$/);
	assert.match(await add({ name: "b", to: "home", catch_up: true }), /its answers go to home\. There is no home chat, so its answers go to the history only: set gateway\.home_chat\.$/);
	await add({ name: "c", to: "http:kitchen", zone: "Europe/Berlin" });
	assert.deepEqual(store.jobs().map((job) => [job.name, job.chat, job.catchUp]), [["a", "telegram:5#7", false], ["b", undefined, true], ["c", "http:kitchen", false]]);
	assert.equal(store.job("c")?.zone, "Europe/Berlin");
	assert.match(await chat.call("cron", { action: "list" }), /^a: in 20m .*\nb: .*makes up for missed times: say so\nc: /);
	assert.equal(await chat.call("cron", { action: "remove", name: "a" }), "The job a and its history are removed.");
	assert.match(await add({ name: "d", to: "slack:C1" }), /^There is no platform 'slack' here\./);
	assert.match(await chat.call("cron", { action: "add", name: "d" }), /^'schedule' is missing: 'add' needs it\.$/);
	assert.match(await chat.call("cron", { action: "run" }), /^'name' is missing: 'run' needs the name of a job\.$/);
	assert.match(await chat.call("cron", { action: "run", name: "d" }), /^There is no job 'd'\./);
});

test("the model makes none for somebody who is no owner, and in no chat they go home", async () => {
	await using theirs = await open({ chat: "telegram:5", role: "user" });
	assert.match(await theirs.chat.call("cron", { action: "list" }), /^Jobs are the business of the owner of this agent/);
	await using nowhere = await open({}, new Kept("http:home"));
	assert.match(await nowhere.chat.call("cron", { action: "add", name: "a", schedule: "@daily", prompt: "x" }), /its answers go to home\.$/);
});
