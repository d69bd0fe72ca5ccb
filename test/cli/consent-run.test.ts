// A conversation with shell hooks: what runs, what blocks and what is asked, before and after somebody said yes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import type { Check } from "../../src/cli/doctor/check.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { callTerminal, type Running } from "./program.ts";
import { quiet, refusing, ShellHookPlace } from "./shell-hook-place.ts";

let place: ShellHookPlace;
beforeEach(() => void (place = new ShellHookPlace()));
afterEach(() => place[Symbol.asyncDispose]());

const touch: readonly string[] = ["run", callTerminal("touch made")];
const closed = "fail_closed: true";
const last = async () => (await place.trace("--event", "tool.calling")).at(-1);

test("without a terminal and without a yes: an open hook is left out, and a warning names the three ways", async () => {
	place.hook(place.script("guard.sh", refusing("no")));
	const { code, stderr } = await place.run(touch);
	assert.equal(code, 0);
	assert.ok(place.made("made"));
	assert.match(stderr, /The hook shell\/1 \(.*guard\.sh\) is not approved: nobody has said yes to it\. 'hookline hooks allow shell\/1' shows it and asks\. It is left out\. .*--accept-hooks, HOOKLINE_ACCEPT_HOOKS=1, or hooks_auto_accept: true/);
	assert.ok(!existsSync(place.allowList));
});

test("without a terminal and without a yes: a closed guard blocks what it guards, and the model and the user are told why", async () => {
	place.hook(place.script("guard.sh", quiet), closed);
	const { stderr } = await place.run(touch);
	assert.ok(!place.made("made"));
	assert.match(stderr, /is not approved: .* It is a guard that is closed when it fails, so it blocks every pre_tool_call it is for\./);
	const record = await last();
	assert.deepEqual([record?.outcome, record?.by], ["blocked", "shell/1"]);
	assert.match(record?.reason ?? "", /is not approved: nobody has said yes/);
	const [session] = await place.sessions();
	const shown = await place.run(["sessions", "show", session!.id]);
	assert.match(shown.stdout, /is not approved: nobody has said yes/);
});

for (const [what, args, env, config] of [
	["--accept-hooks before run", ["--accept-hooks", ...touch], {}, ""],
	["--accept-hooks behind run", ["run", "--accept-hooks", ...touch.slice(1)], {}, ""],
	["HOOKLINE_ACCEPT_HOOKS", touch, { HOOKLINE_ACCEPT_HOOKS: "Yes" }, ""],
	["hooks_auto_accept", touch, {}, "hooks_auto_accept: true\n"],
] as const) {
	test(`${what} approves without a question, and for good`, async () => {
		place.hook(place.script("guard.sh", refusing("not that")));
		const file = join(place.home, "config.yaml");
		const text = readFileSync(file, "utf8");
		writeFileSync(file, `${text}${config}`);
		const { stderr } = await place.run(args, { env });
		assert.match(stderr, /: the shell hook shell\/1 is approved without a question, as it is now/);
		assert.equal((await last())?.reason, "not that");
		writeFileSync(file, text);
		const again = await place.run(touch);
		assert.ok(!/approved/.test(again.stderr), again.stderr);
		assert.ok(!place.made("made"));
	});
}

test("what is no yes in the environment approves nothing", async () => {
	place.hook(place.script("guard.sh", refusing("no")));
	for (const value of ["0", "no"]) await place.run(touch, { env: { HOOKLINE_ACCEPT_HOOKS: value } });
	assert.ok(!existsSync(place.allowList));
});

for (const [what, spoil, says] of [
	["an edited script", () => void place.script("guard.sh", `${quiet}# edited\n`), /the script .*guard\.sh has changed/],
	["a script that is gone", () => place.hook(join(place.home, "agent-hooks/none.sh"), closed), /There is no .*none\.sh/],
	["a missing interpreter", () => void place.script("guard.sh", "#!/nowhere/sh\n"), /The interpreter that the first line of .*guard\.sh names is missing/],
	["another time-out", () => place.hook(join(place.home, "agent-hooks/guard.sh"), closed, "timeout: 5"), /time-out was 60000 and is 5000/],
] as const) {
	test(`${what}: a closed guard that was approved blocks, and says what is another now`, async () => {
		place.hook(place.script("guard.sh", quiet), closed);
		await place.approve();
		assert.equal((await place.run(touch)).stderr, "");
		assert.ok(place.made("made"));
		spoil();
		const { stderr } = await place.run(["run", callTerminal("touch more")]);
		assert.ok(!place.made("more"));
		assert.match(stderr, says);
		assert.match((await last())?.reason ?? "", says);
	});
}

/** A conversation that takes prompts from a pipe. */
async function conversation(): Promise<{ readonly running: Running; prompt(text: string): Promise<void> }> {
	const running = place.start([]);
	let turns = 0;
	return {
		running,
		async prompt(text) {
			running.write(`${text}\nSAY turn-${++turns}\n`);
			await running.shows(`turn-${turns}`);
		},
	};
}

test("in a process that runs: an edit and a revocation count from the next call on, and so does the next yes", async () => {
	const file = place.script("guard.sh", quiet);
	place.hook(file, closed);
	await place.approve();
	const { running, prompt } = await conversation();
	await prompt(callTerminal("touch one"));
	assert.ok(place.made("one"));
	place.script("guard.sh", `${quiet}# edited\n`);
	await prompt(callTerminal("touch two"));
	assert.ok(!place.made("two"));
	await place.approve();
	await prompt(callTerminal("touch three"));
	assert.ok(place.made("three"));
	const revoked = await place.run(["hooks", "revoke", file]);
	assert.match(revoked.stderr, /nor in the processes that have it \(\d+\), from its next call on/);
	await prompt(callTerminal("touch four"));
	assert.ok(!place.made("four"));
	running.write("/quit\n");
	await running.ended;
});

test("in a process that runs: a closed guard that nobody had approved at its start blocks until somebody has", async () => {
	place.hook(place.script("guard.sh", quiet), closed);
	const { running, prompt } = await conversation();
	await prompt(callTerminal("touch one"));
	assert.ok(!place.made("one"));
	await place.approve();
	await prompt(callTerminal("touch two"));
	assert.ok(place.made("two"));
	running.write("/quit\n");
	await running.ended;
});

test("in a process that runs: an open hook that was edited is left out, with one warning; the trace has it each time", async () => {
	place.hook(place.script("guard.sh", refusing("no")));
	await place.approve();
	const { running, prompt } = await conversation();
	await prompt("SAY here");
	place.script("guard.sh", `${refusing("no")}# edited\n`);
	for (const name of ["one", "two", "three"]) {
		await prompt(callTerminal(`touch ${name}`));
		assert.ok(place.made(name));
	}
	running.write("/quit\n");
	const { stderr } = await running.ended;
	assert.equal(stderr.split("is not what was approved").length - 1, 1, stderr);
	const records = await place.trace("--event", "tool.calling");
	assert.deepEqual(records.map(({ hooks: [record] }) => [record?.decision, record?.reason?.includes("has changed")]), [["failed", true], ["failed", true], ["failed", true]]);
});

test("doctor reports the processes that run: as config.yaml has the hooks, and where they differ", async () => {
	const file = place.script("guard.sh", quiet);
	place.hook(file, closed);
	await place.approve();
	const { running, prompt } = await conversation();
	await prompt("SAY here");
	const processes = async () => (JSON.parse((await place.run(["hooks", "doctor", "--json"])).stdout) as Check[]).filter(({ name }) => name.startsWith("process "));
	const [one] = await processes();
	assert.equal(one?.state, "ok");
	assert.match(one.message, /^terminal in .*work, since .*, hook set [0-9a-f]{12}: 1 shell hook is live, as config\.yaml has them now\.$/);
	place.hook(file, "timeout: 9");
	await place.approve();
	const [other] = await processes();
	assert.equal(other?.state, "problem");
	assert.match(other.message, /It differs from config\.yaml: shell\/1 is not loaded there; '.*guard\.sh' is still loaded there\./);
	running.write("/quit\n");
	await running.ended;
	assert.deepEqual(await processes(), []);
});

test("/hooks in the chat shows the shell hooks, those left out included", async () => {
	place.config(`hooks:\n  pre_tool_call:\n    - {command: ${place.script("a.sh", quiet)}, fail_closed: true}\n    - {command: ${place.script("b.sh", quiet)}}\n`);
	const { stdout } = await place.run([], { stdin: "/hooks\n" });
	assert.match(stdout, /shell\/1 {2}transform tool\.calling {2}shell \(strict, NOT APPROVED: blocks\) {2}\(if it fails, /);
	assert.match(stdout, /shell\/2 {2}LEFT OUT of tool\.calling: The hook shell\/2 .* is not approved/);
});

test("hooks test starts only what is approved, by the names of Hermes Agent too", async () => {
	const mark = join(place.folder, "ran");
	place.hook(place.script("guard.sh", `#!/bin/sh\ntee '${mark}' >/dev/null\necho '{"decision":"block","reason":"not in a test"}'\n`), closed);
	const file = join(place.folder, "payload.json");
	writeFileSync(file, JSON.stringify({ tool_name: "terminal", tool_input: { command: "make" } }));
	const args = ["hooks", "test", "pre_tool_call", "--for-tool", "terminal", "--payload-file", file];
	const before = await place.run(args);
	assert.match(before.stdout, /Outcome: blocked by shell\/1: .*is not approved/);
	assert.ok(!existsSync(mark));
	await place.approve();
	assert.match((await place.run(args)).stdout, /Outcome: blocked by shell\/1: not in a test/);
	assert.deepEqual((JSON.parse(readFileSync(mark, "utf8")) as { tool_input: unknown }).tool_input, { command: "make" });
});

const noTerminal = spawnSync("python3", ["-c", "import pty"]).status === 0 ? false : "there is no python3 to make a pseudo-terminal with";
const words = ({ stdout }: Pick<Running, "stdout">) => stripVTControlCharacters(stdout).replaceAll("\r", "");
const question = "May exactly this run, with your rights?";

test("hooks test shows where the other mode would have made something else of the answer, and is silent where not", async () => {
	place.hook(place.script("guard.sh", `#!/bin/sh\ncase $(cat) in *"ls"*) echo '{"decision":"block","reason":"no"}' ;; *) echo '{"decision":"deny","reason":"no"}' ;; esac\n`));
	await place.approve();
	const test = (command: string, ...more: readonly string[]) => place.run(["hooks", "test", "pre_tool_call", "--for-tool", "terminal", "--payload", JSON.stringify({ args: { command } }), ...more]);
	assert.match((await test("date")).stdout, /^shell\/1: strict blocks: "no"; with mode: faithful it decides nothing\.$/m);
	assert.deepEqual((JSON.parse((await test("date", "--json")).stdout) as { modes: object[] }).modes, [{ hook: "shell/1", mode: "strict", does: 'blocks: "no"', other: "faithful", would: "decides nothing" }]);
	assert.doesNotMatch((await test("ls")).stdout, /faithful/);
});

test("what only looks approves nothing, whoever says yes to all", async () => {
	place.hook(place.script("guard.sh", `#!/bin/sh\ntouch ${place.work}/ran\n`));
	const env = { HOOKLINE_ACCEPT_HOOKS: "1" };
	for (const words of [["hooks", "list"], ["hooks", "doctor"], ["doctor"], ["hooks", "show", "shell/1"], ["hooks", "test", "pre_tool_call", "--for-tool", "terminal"], ["hooks", "explain", "shell/1"]]) {
		const { stderr } = await place.run(words, { env });
		if (words[1] === "list") assert.match(stderr, /shell\/1 .* is not approved.* It is left out\. HOOKLINE_ACCEPT_HOOKS approves it when a conversation starts/);
		assert.ok(!existsSync(place.allowList), words.join(" "));
	}
	assert.ok(!place.made("ran"));
	await place.run(touch, { env });
	assert.ok(existsSync(place.allowList) && place.made("ran"));
});

test("on a terminal the person is shown exactly what would run, all of it if they want; only yes is a yes, and it stays", { skip: noTerminal }, async () => {
	const long = `${refusing("not that")}${"# \u001b[31mline\n".repeat(20)}`;
	const file = place.script("guard.sh", long);
	place.hook(file, "timeout: 7");
	const running = place.onTerminal(touch);
	await running.shows(question);
	assert.ok(words(running).includes(`    command     ${file}\n`), words(running));
	assert.ok(words(running).includes("    time-out    7 s\n    if it fails goes on without it\n"));
	assert.ok(words(running).includes(`${file}:\n    #!/bin/sh\n    case $(cat) in\n`));
	assert.ok(words(running).includes("    # \\u{1b}[31mline\n    … 13 more lines\n"), words(running));
	for (const answer of ["t", "Y E S", "s"]) {
		const shown = running.stdout.length;
		running.write(`${answer}\r`);
		await eventually(() => running.stdout.slice(shown).includes(question), "it asks again");
	}
	assert.equal(words(running).split("[31mline").length - 1, 7 + 20);
	running.write("yes\r");
	assert.equal((await running.ended).code, 0);
	assert.ok(!place.made("made"));
	assert.equal((await last())?.reason, "not that");
	const next = place.onTerminal(touch);
	await next.ended;
	assert.ok(!next.stdout.includes(question));
	place.script("guard.sh", quiet);
	const changed = place.onTerminal(touch);
	await changed.shows(question);
	assert.match(words(changed), /is not what was approved: the script .*guard\.sh has changed/);
	changed.write("\r");
	await changed.ended;
});

test("nothing, an end of the input and Ctrl-C are no yes; what was typed before the question is no answer to it", { skip: noTerminal }, async () => {
	place.hook(place.script("guard.sh", refusing("no")));
	for (const [keys, code] of [["\r", 0], ["\u0004", 0], ["\u0003", 130]] as const) {
		const running = place.onTerminal(["run", "SAY hi"]);
		await running.shows(question);
		running.write(keys);
		assert.equal((await running.ended).code, code);
	}
	const waiting = `import{existsSync}from"node:fs";while(!existsSync("typed"))await(new(Promise)(r=>setTimeout(r,10)));`;
	const running = place.onTerminal(touch, { env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(waiting)}` } });
	running.write("y\ry");
	await running.shows(/y\r?\ny/);
	writeFileSync(join(place.work, "typed"), "");
	await running.shows(question);
	running.write("\r");
	await running.ended;
	assert.ok(!existsSync(place.allowList));
	const without = place.onTerminal(["--no-hooks", "run", "SAY hi"]);
	await without.ended;
	assert.ok(!without.stdout.includes(question));
});

test("hooks allow asks on a terminal, about each hook the command stands for", { skip: noTerminal }, async () => {
	const file = place.script("guard.sh", quiet);
	place.config(`hooks:\n  pre_tool_call:\n    - command: ${file}\n  post_tool_call:\n    - command: ${file}\n`);
	const running = place.onTerminal(["hooks", "allow", file]);
	await running.shows(question);
	running.write("y\r");
	await running.shows(/shell\/1 is approved, as it is now\.[\s\S]*May exactly this run/);
	running.write("n\r");
	assert.equal((await running.ended).code, 1);
	const { approvals } = JSON.parse(readFileSync(place.allowList, "utf8")) as { approvals: { event: string }[] };
	assert.deepEqual(approvals.map(({ event }) => event), ["pre_tool_call"]);
});
