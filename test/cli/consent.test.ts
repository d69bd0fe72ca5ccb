// `hookline hooks allow|revoke|doctor|new`, and what a shell hook does before and after somebody said yes to it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { Check } from "../../src/cli/doctor/check.ts";
import type { Ended } from "./program.ts";
import { quiet, ShellHookPlace } from "./shell-hook-place.ts";

let place: ShellHookPlace;
beforeEach(() => void (place = new ShellHookPlace()));
afterEach(() => place[Symbol.asyncDispose]());

const hooks = (...args: readonly string[]): Promise<Ended> => place.run(["hooks", ...args]);

async function hashOf(id: string): Promise<string> {
	const [shown] = JSON.parse((await hooks("allow", id, "--show", "--json")).stdout) as { hash: string }[];
	return shown!.hash;
}

async function allowAsItIs(id: string): Promise<void> {
	const { code, stderr } = await hooks("allow", id, "--hash", await hashOf(id));
	assert.equal(code, 0, stderr);
}

async function doctor(): Promise<{ code: Ended["code"]; checks: readonly Check[] }> {
	const { code, stdout, stderr } = await hooks("doctor", "--json");
	assert.equal(stderr, "");
	return { code, checks: JSON.parse(stdout) as Check[] };
}

const approvalsNow = () => (JSON.parse(readFileSync(place.allowList, "utf8")) as { approvals: Record<string, unknown>[] }).approvals;

test("without a terminal a hook is approved by the hash of exactly what it would run", async () => {
	const file = place.script("check.sh", quiet);
	place.hook(`${file} --strict`, "env: [TOKEN]", "fail_closed: true");
	const asked = await hooks("allow", `${file} --strict`);
	assert.equal(asked.code, 2);
	assert.match(asked.stderr, /There is no terminal to ask on\. Look at it with --show, then approve exactly that: --hash/);
	const shown = await hooks("allow", "shell/1", "--show");
	for (const line of [/event +pre_tool_call \(tool\.calling\), for tools that match terminal/, /interpreter +\/bin\/sh.*runs in its place/, /script +.*check\.sh \(35 bytes, a copy of it runs\)/, /if it fails +blocks/, /environment +TOKEN/, /time-out +60 s/, /^ {4}#!\/bin\/sh\n {4}cat/m]) assert.match(shown.stdout, line);
	const hash = await hashOf("shell/1");
	place.script("check.sh", quiet.replace("{}", `{"a":1}`));
	const late = await hooks("allow", "shell/1", "--hash", hash);
	assert.equal(late.code, 1);
	assert.match(late.stderr, /What this would run has another hash \([0-9a-f]{64}\), so nothing was approved/);
	await allowAsItIs("shell/1");
	assert.equal(statSync(place.allowList).mode & 0o777, 0o600);
	const [entry] = approvalsNow();
	assert.equal(entry!["event"], "pre_tool_call");
	assert.equal(entry!["command"], `${file} --strict`);
	for (const key of ["approved_at", "script_mtime_at_approval"]) assert.match(String(entry![key]), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
	assert.match((await hooks("allow", "shell/1")).stderr, /shell\/1 is approved, as it is now/);
});

test("a wrong command gets the nearest, and a hash that is none is refused", async () => {
	const file = place.script("check.sh", quiet);
	place.hook(file);
	const wrong = await hooks("allow", `${file}x`);
	assert.equal(wrong.code, 1);
	assert.match(wrong.stderr, /No shell hook in config\.yaml has the command '.*check\.shx'\. Did you mean '.*check\.sh'\?/);
	assert.equal((await hooks("allow", file, "--hash", "abc")).code, 2);
	assert.equal((await hooks("allow", file, "--json")).code, 2);
	assert.equal((await hooks("revoke", file)).code, 1);
});

test("what Hermes Agent approved is read, and asks again as it names no content; the rest of its file stays", async () => {
	const file = place.script("check.sh", quiet);
	place.hook(file);
	const other = { event: "on_session_start", command: "other.sh", approved_at: "2026-01-01T00:00:00Z", script_mtime_at_approval: null, note: "kept" };
	writeFileSync(place.allowList, `\ufeff${JSON.stringify({ approvals: [{ event: "pre_tool_call", command: file }, other] })}`, { mode: 0o600 });
	const { code, checks } = await doctor();
	assert.equal(code, 1);
	assert.match(checks[0]!.message, /was approved by its name alone, without its content, which is not enough\. 'hookline hooks allow shell\/1'/);
	await allowAsItIs("shell/1");
	const [kept, ours] = approvalsNow();
	assert.deepEqual(kept, other);
	assert.equal(ours!["command"], file);
	assert.equal(approvalsNow().length, 2);
});

for (const [what, text] of [["no JSON", "{"], ["without a list", `{"approvals":{}}`], ["with an entry that names nothing", `{"approvals":[1]}`]] as const) {
	test(`an allow list that is ${what} approves nothing, says so, and is kept beside the new one`, async () => {
		const file = place.script("check.sh", quiet);
		place.hook(file);
		writeFileSync(place.allowList, text, { mode: 0o600 });
		const { checks } = await doctor();
		assert.match(checks.find(({ name }) => name === "allow list")?.message ?? "", /shell-hooks-allowlist\.json cannot be relied on, so no shell hook is approved: /);
		assert.equal(readFileSync(place.allowList, "utf8"), text);
		const { stderr } = await hooks("allow", "shell/1", "--hash", await hashOf("shell/1"));
		assert.match(stderr, /could not be relied on and is now .*\.broken; a new one is begun/);
		assert.equal(readFileSync(`${place.allowList}.broken`, "utf8"), text);
		assert.equal(approvalsNow().length, 1);
	});
}

test("an allow list that others may write to is not the user's word", async () => {
	place.hook(place.script("check.sh", quiet));
	await place.approve();
	chmodSync(place.allowList, 0o666);
	const { code, checks } = await doctor();
	assert.equal(code, 1);
	assert.match(checks[0]!.message, /others may write to it/);
});

test("doctor runs an approved hook on a sample, and nothing that is not approved", async () => {
	const mark = join(place.folder, "ran");
	const file = place.script("check.sh", `#!/bin/sh\ntee '${mark}' >/dev/null\necho '{}'\n`);
	place.hook(file);
	const before = await doctor();
	assert.deepEqual([before.code, existsSync(mark)], [1, false]);
	assert.match(before.checks[0]!.message, /is not approved: nobody has said yes/);
	await place.approve();
	const { code, checks } = await doctor();
	assert.equal(code, 0);
	assert.deepEqual(checks.map(({ name, state }) => [name, state]), [["shell/1", "ok"]]);
	assert.match(checks[0]!.message, /is approved, and ran on a sample: exit code 0, .* ms of 60 s, and answered \{\}\./);
	const payload = JSON.parse(readFileSync(mark, "utf8")) as Record<string, unknown>;
	assert.deepEqual([payload["hook_event_name"], payload["tool_name"], payload["cwd"]], ["pre_tool_call", "terminal", place.work]);
	writeFileSync(file, quiet);
	rmSync(mark);
	const drifted = await doctor();
	assert.deepEqual([drifted.code, existsSync(mark)], [1, false]);
	assert.match(drifted.checks[0]!.message, /is not what was approved: the script .*check\.sh has changed/);
});

for (const [what, text, says] of [
	["answers no JSON", "#!/bin/sh\necho hello\n", /its answer is no JSON object: hello/],
	["fails", "#!/bin/sh\necho oops >&2\nexit 3\n", /exit code 3, .*\. oops/],
	["never ends", "#!/bin/sh\nexec sleep 60\n", /failed on a sample: .*1000 ms/],
] as const) {
	test(`doctor names a hook that ${what}`, async () => {
		place.hook(place.script("check.sh", text), "timeout: 1");
		await place.approve();
		const { code, checks } = await doctor();
		assert.equal(code, 1);
		assert.match(checks.find(({ state }) => state === "problem")?.message ?? "", says);
	});
}

test("doctor names what is missing, what is not executable, and a mistake in config.yaml with its place", async () => {
	const file = place.script("check.sh", quiet, 0o644);
	place.config(`hooks:\n  pre_tool_call:\n    - command: ${file}\n    - command: /nowhere/x.sh\n    - command: ${place.script("odd.py", "#!/nowhere/python\n")}\n`);
	const { code, checks } = await doctor();
	assert.equal(code, 1);
	const [notExecutable, missing, noInterpreter] = checks.map(({ message }) => message);
	assert.match(notExecutable!, /check\.sh is not executable\. Make it so: chmod \+x/);
	assert.match(missing!, /There is no \/nowhere\/x\.sh\./);
	assert.match(noInterpreter!, /The interpreter that the first line of .*odd\.py names is missing: There is no \/nowhere\/python\./);
	place.config("hooks:\n  pre_tool_cal:\n    - command: x\n");
	const wrong = await doctor();
	assert.equal(wrong.code, 1);
	assert.match(wrong.checks[0]!.message, /config\.yaml:2:3: there is no event 'pre_tool_cal'\. Did you mean 'pre_tool_call'\?/);
});

test("doctor names a command that runs twice for one call, two hooks that change the same, and a ~ nobody resolves", async () => {
	const rewrites = place.script("one.sh", `#!/bin/sh\ncat >/dev/null\necho '{"action":"modify","args":{"command":"ls"}}'\n`);
	const other = place.script("two.sh", `#!/bin/sh\ncat >/dev/null\necho '{"decision":"modify","tool_input":{"command":"ls"}}'\n`);
	place.config(`hooks:\n  pre_tool_call:\n    - {command: ${rewrites}, matcher: terminal}\n    - {command: ${rewrites}, matcher: terminal|patch}\n    - {command: ${other} ~/rules, matcher: terminal, priority: 50}\n`);
	await place.approve();
	const { code, checks } = await doctor();
	assert.equal(code, 0);
	const warnings = checks.filter(({ state }) => state === "warning").map(({ name, message }) => `${name}: ${message}`);
	assert.ok(warnings.some((text) => text.startsWith("shell/2: It runs the same command at pre_tool_call as shell/1 does, for terminal")), warnings.join("\n"));
	assert.ok(warnings.some((text) => text.startsWith("shell/1: It and shell/3 both change args at pre_tool_call, for terminal: shell/1 runs later")), warnings.join("\n"));
	assert.ok(warnings.some((text) => text.startsWith("shell/3: '~/rules' is handed on as it is written")), warnings.join("\n"));
});

test("revoke takes it back, also of a hook that is configured no more and with a config.yaml that has a mistake", async () => {
	const file = place.script("check.sh", quiet);
	place.hook(file);
	await place.approve();
	place.config("hooks: 1\n");
	const { code, stderr } = await hooks("revoke", file);
	assert.equal(code, 0, stderr);
	assert.match(stderr, /1 approval is taken back \(pre_tool_call\): it is not started any more\./);
	assert.deepEqual(approvalsNow(), []);
	assert.deepEqual(readdirSync(join(place.home, "approved")), []);
});

test("list has every shell hook, with its mode, what the user said of it, and what happens", async () => {
	place.config(`hooks:\n  pre_tool_call:\n    - {command: ${place.script("a.sh", quiet)}, fail_closed: true}\n    - {command: ${place.script("b.sh", quiet)}, mode: faithful}\n`);
	const { code, stdout } = await hooks("list");
	assert.equal(code, 1);
	const rows = stdout.trim().split("\n").map((line) => line.split("\t")).filter(([id]) => id?.startsWith("shell/"));
	assert.deepEqual(rows.map(([id, , event, , , how]) => [id, event, how]), [["shell/1", "tool.calling", "shell (strict, NOT APPROVED: blocks)"], ["shell/2", "tool.calling", "shell (faithful, NOT APPROVED: left out)"]]);
	const { shellHooks } = JSON.parse((await hooks("list", "--json")).stdout) as { shellHooks: Record<string, unknown>[] };
	assert.deepEqual(shellHooks.map(({ id, consent, effect }) => [id, consent, effect]), [["shell/1", "unapproved", "blocks"], ["shell/2", "unapproved", "left out"]]);
	const looked = await place.run(["doctor", "--json"]);
	const problems = (JSON.parse(looked.stdout) as Check[]).filter(({ name, state }) => name === "shell hooks" && state === "problem");
	assert.equal(looked.code, 1);
	assert.equal(problems.length, 2);
	assert.match(problems[0]!.message, /Until then it blocks every pre_tool_call it is for\./);
});

const noJq = spawnSync("jq", ["--version"]).status === 0 ? false : "there is no jq, which a script in sh needs";
const noPython = spawnSync("python3", ["--version"]).status === 0 ? false : "there is no python3";

for (const [lang, event, skip, main, tests] of [
	["sh", "pre_tool_call", noJq, "guard.sh", ["sh", "test.sh"]],
	["py", "pre_tool_call", noPython, "guard.py", ["python3", "-m", "unittest"]],
	["ts", "pre_tool_call", false, "guard.mts", [process.execPath, "--test", "guard.test.mts"]],
	["sh", "pre_llm_call", false, "guard.sh", ["sh", "test.sh"]],
	["py", "turn.starting", noPython, "guard.py", ["python3", "-m", "unittest"]],
	["ts", "tool.called", false, "guard.mts", [process.execPath, "--test", "guard.test.mts"]],
] as const) {
	test(`new ${event} in ${lang}: it works, its test passes, and its lines for config.yaml are right`, { skip }, async () => {
		const { code, stdout, stderr } = await hooks("new", event, "--lang", lang, "--name", "guard");
		assert.equal(code, 0, stderr);
		const folder = join(place.home, "hooks", "guard");
		assert.ok(stderr.includes(join(folder, main)), stderr);
		const [program, ...args] = tests;
		const tested = spawnSync(program, args, { cwd: folder, encoding: "utf8", env: { PATH: process.env["PATH"], HOME: place.folder } });
		assert.equal(tested.status, 0, `${tested.stdout}${tested.stderr}`);
		place.config(stdout);
		await place.approve();
		const { checks } = await doctor();
		assert.deepEqual(checks.map(({ state }) => state), ["ok"], checks.map(({ message }) => message).join("\n"));
		const again = await hooks("new", event, "--lang", lang, "--name", "guard");
		assert.equal(again.code, 1);
		assert.match(again.stderr, /hooks\/guard is there already, and is left as it is/);
	});
}

test("new refuses what there is not, with the nearest there is", async () => {
	for (const [args, says] of [[["pre_tool_cal"], /There is no event 'pre_tool_cal'\. Did you mean 'pre_tool_call'\?/], [["pre_tool_call", "--lang", "pyy"], /There is no language 'pyy'\. Did you mean 'py'\?/], [["pre_tool_call", "--name", "../x"], /--name must be/]] as const) {
		const { code, stderr } = await hooks("new", ...args);
		assert.equal(code, 2);
		assert.match(stderr, says);
	}
	assert.ok(!existsSync(join(place.home, "hooks")));
});
