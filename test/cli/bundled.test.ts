// The extensions that come with Hookline, turned on in config.yaml and used through the real program.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { callTerminal, extension, Place } from "./program.ts";

const on = (...names: readonly string[]) => `extensions:\n${names.map((name) => `  ${name}: { enabled: true }\n`).join("")}`;

test("the audit log goes on from one start to the next, and 'run' says by its exit code whether it is whole", async () => {
	await using place = new Place();
	place.config(on("audit-log"));
	assert.equal((await place.run(["run", callTerminal("echo one")])).code, 0);
	const whole = await place.run(["run", "/audit verify"]);
	assert.equal(whole.code, 0, whole.stderr);
	assert.match(whole.stdout, /^The audit log is whole: \d+ records in [12] files of /);
	const folder = join(place.home, "audit");
	const [first] = readdirSync(folder).toSorted();
	const written = readFileSync(join(folder, first!), "utf8").trimEnd().split("\n").map((line) => (JSON.parse(line) as { what: string }).what);
	// Observers of a session hear of it a moment later.
	assert.deepEqual(written.filter((what) => what !== "session.started"), ["opened", "tool.calling", "tool.called", "session.ended", "closed"]);
	appendFileSync(join(folder, first!), "{}\n");
	const changed = await place.run(["run", "/audit verify"]);
	assert.equal(changed.code, 1);
	assert.match(changed.stdout + changed.stderr, new RegExp(`${first}:7: is no record: it was changed\\.`));
});

test("a mistake in the settings of one that is enabled lets nothing start, and says what to mend", async () => {
	await using place = new Place();
	place.config("extensions:\n  safety-gate: { enabled: true, config: { path: {} } }\n");
	const { code, stderr } = await place.run(["run", callTerminal("touch made")]);
	assert.equal(code, 1);
	assert.match(stderr, /The extension 'safety-gate' is required .*did not load: its settings \(extensions\.safety-gate\.config in .*config\.yaml\) are not as it wants them: .*path/);
	assert.ok(!place.made("made"));
});

test("all of them together let ordinary work be, and their commands are there", async () => {
	await using place = new Place();
	place.config(on("audit-log", "git-checkpoint", "safety-gate", "workflow-guard"));
	spawnSync("git", ["init", "-q"], { cwd: place.work });
	const { code, stderr } = await place.run(["run", `CALL write_file ${JSON.stringify({ path: "plans/active/plan.md", content: "- [ ] one\n" })}`]);
	assert.equal(code, 0, stderr);
	assert.ok(place.made("plans/active/plan.md"));
	assert.match((await place.run(["run", "/help"])).stdout, /\/audit .*\n\/checkpoints .*\n\/undo /);
	const { stdout } = await place.run(["hooks", "list"]);
	for (const hook of ["audit-log/record", "git-checkpoint/keep", "safety-gate/policy", "workflow-guard/only-plans-without-a-plan"]) assert.ok(stdout.includes(hook), hook);
});

test("without a word in config.yaml none of them is there, and an own one of the same name wins, which is said", async () => {
	await using place = new Place();
	assert.doesNotMatch((await place.run(["hooks", "list"])).stdout, /audit-log/);
	place.extension("audit-log.ts", extension('hooks.guard("tool.calling", () => block("mine"));'));
	place.config(on("audit-log"));
	const { stderr } = await place.run(["run", callTerminal("true")]);
	assert.match(stderr, /The extension 'audit-log' is your own; the one of that name that comes with Hookline is not loaded\./);
	assert.throws(() => readdirSync(join(place.home, "audit")), /ENOENT/);
});
