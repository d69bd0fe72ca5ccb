// Approvals from the outside: the question at a terminal, what is kept of the answer, and taking it back.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { callTerminal, extension, Place } from "./program.ts";

const skip = spawnSync("python3", ["-c", "import pty"]).status === 0 ? false : "there is no python3 to make a pseudo-terminal with";
const question = /The agent wants to call terminal with\n {4}\{\n {4} {2}"command": "rm -rf docs"\n {4}\}\nhookline\/approvals asks: deletes-folder: it deletes folders with all that is in them \(rm -rf docs\)\.\nAllow this\? \[y = yes, once \/ s = for this session \/ a = always \/ n = no, or n REASON\] /;

test("a dangerous command at a terminal: the question says what and why; always is kept, listed and taken back", { skip }, async () => {
	await using place = new Place();
	const docs = () => mkdirSync(join(place.work, "docs"));
	docs();
	const running = place.onTerminal(["run", callTerminal("rm -rf docs")]);
	await running.shows("Allow this?");
	assert.match(stripVTControlCharacters(running.stdout).replaceAll("\r", ""), question);
	running.write("x\r");
	await running.shows("Please answer y, s, a or n.");
	assert.ok(place.made("docs"), "only a clear yes is one");
	running.write("a\r");
	assert.equal((await running.ended).code, 0);
	assert.ok(!place.made("docs"));

	docs();
	assert.equal((await place.run(["run", callTerminal("rm -rf 'docs'")])).code, 0);
	assert.ok(!place.made("docs"), "nobody is there to ask, and nobody need be");
	const [kept] = JSON.parse((await place.run(["approvals", "list", "--json"])).stdout) as [{ id: string; rule: string; command: string; folder: string }];
	assert.deepEqual([kept.rule, kept.command, kept.folder], ["deletes-folder", "rm -rf docs", place.work]);
	assert.match((await place.run(["approvals", "list"])).stdout, new RegExp(`^${kept.id}\t\\d{4}-\\d\\d-\\d\\d\tdeletes-folder\t${place.work}\trm -rf docs\n$`));
	assert.equal(statSync(join(place.home, "approvals.json")).mode & 0o777, 0o600);

	assert.match((await place.run(["approvals", "revoke", kept.id])).stderr, /^You are asked about 'rm -rf docs' \(deletes-folder\) in .* again\.\n$/);
	docs();
	await place.run(["run", callTerminal("rm -rf docs")]);
	assert.ok(place.made("docs"));
	assert.equal((await place.run(["approvals", "list"])).stderr, "Nothing is always approved. Answer a question with 'a' to approve a command for good.\n");
});

test("a question of a user's own guard has no answer that lasts", { skip }, async () => {
	await using place = new Place();
	place.extension("gate.ts", extension(`hooks.guard("tool.calling", () => ask("Mine."));`));
	const running = place.onTerminal(["run", callTerminal("touch made")]);
	await running.shows("Allow this? [y = yes, once / n = no, or n REASON]");
	running.write("a\r");
	await running.shows("Please answer y or n.");
	running.write("n\r");
	await running.ended;
	assert.ok(!place.made("made"));
});

test("without a terminal a dangerous command does not run, and the model is told why", async () => {
	await using place = new Place();
	mkdirSync(join(place.work, "docs"));
	await place.run(["run", callTerminal("rm -rf docs")]);
	assert.ok(place.made("docs"));
	assert.equal((await place.run(["run", "--continue", "SEEN deletes-folder: it deletes folders with all that is in them (rm -rf docs).), and nobody is there to give it"])).stdout, "1\n");
	const [record] = await place.trace("--event", "tool.calling");
	assert.deepEqual([record?.outcome, record?.by], ["blocked", "nobody-there"]);
});

test("the agent cannot give itself more leave, with no hooks at all either", async () => {
	await using place = new Place();
	const file = place.config("approvals:\n  mode: ask\n");
	for (const command of ["hookline config set approvals.mode off", `echo 'approvals: {mode: off}' > ${file}`, "rm -rf ~", "touch $HOOKLINE_HOME/approvals.json"]) {
		await place.run(["run", "--no-hooks", callTerminal(command)]);
		const [record] = await place.trace("--event", "tool.calling", "--limit", "1");
		assert.deepEqual([record?.outcome, record?.by], ["blocked", "hookline/approvals"], command);
	}
	assert.equal(readFileSync(file, "utf8"), "approvals:\n  mode: ask\n");
});

test("revoke without or with a wrong id says what to do", async () => {
	await using place = new Place();
	const none = await place.run(["approvals", "revoke"]);
	assert.deepEqual([none.code, none.stderr], [2, "hookline: Name what to take back by its id, or give --all. 'hookline approvals list' shows the ids.\n"]);
	const wrong = await place.run(["approvals", "revoke", "p_x"]);
	assert.deepEqual([wrong.code, wrong.stderr], [1, "hookline: There is no approval 'p_x'. 'hookline approvals list' shows those there are.\n"]);
});
