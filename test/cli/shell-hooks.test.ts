// Shell hooks from config.yaml to what they do, through the program. The first four are the examples that Hermes Agent's documentation prints, moved to our home.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { callTerminal, Place, type StartOptions } from "./program.ts";

/** A home in which hooks were agreed to by whoever started the program. */
class HookedPlace extends Place {
	/** Writes a script to where the examples have theirs; gives its path as config.yaml has it. */
	script(name: string, text: string): string {
		const path = join(this.folder, ".hookline", "agent-hooks", name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
		chmodSync(path, 0o755);
		return `~/.hookline/agent-hooks/${name}`;
	}

	/** `words` begins with options of `run`, where there are any. */
	say(words: string | readonly string[], options: StartOptions = {}) {
		return this.run(["run", ...(typeof words === "string" ? [words] : words)], { ...options, env: { HOOKLINE_ACCEPT_HOOKS: "1", ...options.env } });
	}
}

function isThere(t: TestContext, ...programs: readonly string[]): boolean {
	const missing = programs.find((program) => spawnSync(program, ["--version"]).error !== undefined);
	if (missing !== undefined) t.skip(`this example needs ${missing}, which is not here`);
	return missing === undefined;
}

test("example 1: Python files are formatted after each write", async (t) => {
	if (!isThere(t, "jq", "bash")) return;
	await using place = new HookedPlace();
	place.script(
		"auto-format.sh",
		`#!/usr/bin/env bash
# ~/.hookline/agent-hooks/auto-format.sh
payload="$(cat -)"
path=$(echo "$payload" | jq -r '.tool_input.path // empty')
[[ "$path" == *.py ]] && command -v black >/dev/null && black "$path" 2>/dev/null
printf '{}\\n'
`,
	);
	place.config(`hooks:
  post_tool_call:
    - matcher: "write_file|patch"
      command: "~/.hookline/agent-hooks/auto-format.sh"
`);
	// A formatter to be found on PATH, whatever this machine has.
	const bin = join(place.folder, "bin");
	mkdirSync(bin);
	writeFileSync(join(bin, "black"), '#!/bin/sh\nprintf "# formatted\\n" >> "$1"\n');
	chmodSync(join(bin, "black"), 0o755);
	const env = { PATH: `${bin}${delimiter}${process.env["PATH"]}` };
	await place.say('SEQ\nCALL write_file {"path":"a.py","content":"x=1\\n"}\nCALL write_file {"path":"a.txt","content":"x\\n"}', { env });
	assert.equal(place.read("a.py"), "x=1\n# formatted\n");
	assert.equal(place.read("a.txt"), "x\n");
});

test("example 2: a destructive command is blocked, and the model is told why", async (t) => {
	if (!isThere(t, "jq", "bash")) return;
	await using place = new HookedPlace();
	place.script(
		"block-rm-rf.sh",
		`#!/usr/bin/env bash
# ~/.hookline/agent-hooks/block-rm-rf.sh
payload="$(cat -)"
cmd=$(echo "$payload" | jq -r '.tool_input.command // empty')
if echo "$cmd" | grep -qE 'rm[[:space:]]+-rf?[[:space:]]+/'; then
  printf '{"decision": "block", "reason": "blocked: rm -rf / is not permitted"}\\n'
else
  printf '{}\\n'
fi
`,
	);
	place.config(`hooks:
  pre_tool_call:
    - matcher: "terminal"
      command: "~/.hookline/agent-hooks/block-rm-rf.sh"
      timeout: 5
`);
	const folder = join(place.folder, "precious");
	mkdirSync(folder);
	const blocked = await place.say(callTerminal(`rm -rf ${folder}`));
	assert.equal(blocked.code, 0);
	assert.ok(existsSync(folder));
	assert.equal((await place.say(["--continue", "SEEN [Blocked by shell/1] blocked: rm -rf / is not permitted"])).stdout, "1\n");
	const [record] = await place.trace("--event", "tool.calling");
	assert.deepEqual([record?.outcome, record?.by, record?.reason], ["blocked", "shell/1", "blocked: rm -rf / is not permitted"]);
	await place.say(callTerminal("echo fine > made"));
	assert.equal(place.read("made"), "fine\n");
});

test("example 3: git status is added to what the model reads", async (t) => {
	if (!isThere(t, "jq", "bash", "git")) return;
	await using place = new HookedPlace();
	place.script(
		"inject-cwd-context.sh",
		`#!/usr/bin/env bash
# ~/.hookline/agent-hooks/inject-cwd-context.sh
cat - >/dev/null   # discard stdin payload
if status=$(git status --porcelain 2>/dev/null) && [[ -n "$status" ]]; then
  jq --null-input --arg s "$status" \\
     '{context: ("Uncommitted changes in cwd:\\n" + $s)}'
else
  printf '{}\\n'
fi
`,
	);
	place.config(`hooks:
  pre_llm_call:
    - command: "~/.hookline/agent-hooks/inject-cwd-context.sh"
`);
	assert.equal((await place.say("What is new?")).stdout, "ECHO: What is new?\n");
	spawnSync("git", ["init", "-q", place.work]);
	writeFileSync(join(place.work, "new-file"), "");
	const { stdout } = await place.say("What is new?");
	assert.match(stdout, /Uncommitted changes in cwd:\n\?\? new-file/);
});

test("example 4: each subagent that is done is in the log", async (t) => {
	if (!isThere(t, "jq", "bash")) return;
	await using place = new HookedPlace();
	mkdirSync(join(place.folder, ".hookline", "logs"), { recursive: true });
	place.script(
		"log-orchestration.sh",
		`#!/usr/bin/env bash
# ~/.hookline/agent-hooks/log-orchestration.sh
log=~/.hookline/logs/orchestration.log
jq -c '{ts: now, parent: .session_id, extra: .extra}' < /dev/stdin >> "$log"
printf '{}\\n'
`,
	);
	place.config(`hooks:
  subagent_stop:
    - command: "~/.hookline/agent-hooks/log-orchestration.sh"
`);
	await place.say('CALL delegate_task {"tasks":[{"goal":"SAY one"},{"goal":"SAY two"}]}');
	const lines = readFileSync(join(place.folder, ".hookline/logs/orchestration.log"), "utf8").trim().split("\n").map((line) => JSON.parse(line) as { parent: string; extra: Record<string, unknown> });
	assert.deepEqual(lines.map(({ extra }) => extra["child_summary"]).toSorted(), ["one", "two"]);
	for (const { parent, extra } of lines) {
		assert.equal(parent, extra["parent_session_id"]);
		assert.equal(extra["child_status"], "completed");
	}
});

test("scripts rewrite what is typed, what tools give and what is answered", async (t) => {
	if (!isThere(t, "jq")) return;
	await using place = new HookedPlace();
	place.config(`hooks:
  transform_user_input:
    - command: ${place.script("typed.sh", "#!/bin/sh\njq -c '{text: (.extra.user_message | sub(\"^please \"; \"\"))}'\n")}
  transform_terminal_output:
    - command: ${place.script("output.sh", "#!/bin/sh\njq -c '{output: (.extra.output | ascii_upcase)}'\n")}
  transform_tool_result:
    - command: ${place.script("result.sh", "#!/bin/sh\njq -c '{result: (.extra.result + \" (checked)\")}'\n")}
  transform_llm_output:
    - command: ${place.script("answer.sh", "#!/bin/sh\njq -c '{text: (.extra.response_text + \"!\")}'\n")}
`);
	assert.equal((await place.say(`please ${callTerminal("echo hello")}`)).stdout, "DONE!\n");
	assert.match((await place.say(["--continue", "SEEN (checked)"])).stdout, /^1!\n$/);
	assert.match((await place.say(["--continue", "SEEN HELLO"])).stdout, /^1!\n$/);
});

test("a script blocks a turn, adds to the system prompt, and reads the conversation so far", async (t) => {
	if (!isThere(t, "jq")) return;
	await using place = new HookedPlace();
	place.config(`hooks:
  pre_llm_call:
    - command: ${place.script("turn.sh", "#!/bin/sh\np=$(cat)\ncase \"$p\" in *forbidden*) echo '{\"decision\":\"block\",\"reason\":\"Not today.\"}' ;; *) echo \"$p\" | jq -r .transcript_path > transcript; echo '{\"system\":\"The moon is full.\"}' ;; esac\n")}
`);
	assert.equal((await place.say("SYSTEM The moon is full.")).stdout, "YES\n");
	assert.notEqual(place.read("transcript"), "null\n");
	const blocked = await place.say("something forbidden");
	assert.match(blocked.stdout + blocked.stderr, /Not today\./);
	assert.equal(blocked.code, 1);
});

test("a mistake in the hooks stops the start, and 'config check' shows it at its place", async () => {
	await using place = new HookedPlace();
	const file = place.config("agent: {max_steps: 5}\nhooks:\n  pre_tool_cal:\n    - command: ~/check.sh\n");
	const sentence = `${file}:3:3: there is no event 'pre_tool_cal'. Did you mean 'pre_tool_call'?`;
	const run = await place.say("hello");
	assert.equal(run.code, 1);
	assert.match(run.stderr, new RegExp(RegExp.escape(sentence)));
	const check = await place.run(["config", "check"]);
	assert.deepEqual([check.code, check.stdout], [1, `${sentence}\n`]);
	place.config("hooks:\n  - event: pre_tool_call\n    command: ~/check.sh\n");
	assert.match((await place.run(["config", "check"])).stdout, /:1:1: 'hooks' must be a map from events to lists of hooks, and is a list: write it as\n {2}hooks:\n/);
});
