// `hookline import hermes`: a home of Hermes Agent as people have it, imported by the real program, and what then runs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { type Report, rules, sections } from "../../src/extensions/import-hermes/report.ts";
import { HermesPlace } from "./hermes-place.ts";
import { callTerminal } from "./program.ts";

let place: HermesPlace;
beforeEach(() => void (place = new HermesPlace()));
afterEach(() => place[Symbol.asyncDispose]());

const guard = `#!/bin/sh\ncase $(cat) in\n*touch*) echo '{"decision": "block", "reason": "nothing is touched"}' ;;\n*) echo '{}' ;;\nesac\n`;
const config = `# mine
hooks:
  pre_tool_call:
    - matcher: terminal
      command: "~/.hermes/agent-hooks/guard.sh --strict"
      timeout: 20
      fail_closed: yes
`;

/** Everything a person may have: a shell hook, a gateway hook, an extension and a plugin. */
function wholeHome(): void {
	place.theirs("config.yaml", config);
	place.theirs("agent-hooks/guard.sh", guard, 0o755);
	place.theirs("hooks/watch/HOOK.yaml", "name: watch\nevents: [agent:start]\n");
	place.theirs("hooks/watch/handler.py", 'async def handle(event_type, context):\n    print("heard", event_type)\n');
	place.theirs("extensions/rules/__init__.py", 'from agent.extension_hooks import HookResult, register_hook\n\n@register_hook("intercept_tool_call")\ndef no_rm(tool_name, tool_args, **kwargs):\n    if "rm " in tool_args.get("command", ""):\n        return HookResult("block", "nothing is removed")\n');
	place.theirs("plugins/notes/plugin.yaml", 'name: notes\nversion: "1.0"\n');
	place.theirs("plugins/notes/__init__.py", 'def no_dates(tool_name, args, **kwargs):\n    if "date" in args.get("command", ""):\n        return {"action": "block", "message": "no dates"}\n\ndef register(ctx):\n    ctx.register_hook("pre_tool_call", no_dates)\n');
}

/** Everything below a folder, with what is in it. */
const tree = (folder: string): readonly string[] =>
	readdirSync(folder, { recursive: true, encoding: "utf8" })
		.toSorted()
		.map((path) => `${path} ${lstatSync(join(folder, path)).isFile() ? readFileSync(join(folder, path), "utf8") : ""}`);

test("what was imported is listed, and an imported guard blocks once it was allowed", { timeout: 120_000 }, async () => {
	wholeHome();
	place.theirs("config.yaml", `${config}plugins: {enabled: [notes]}\n`);
	const { code, copied, problems, next } = await place.import();
	assert.deepEqual([code, problems], [0, []]);
	assert.deepEqual(
		copied.map(({ kind, name }) => `${kind} ${name}`),
		["script agent-hooks/guard.sh", "gateway hook hooks/watch", "plugin plugins/notes", "extension extensions/rules", "shell hook pre_tool_call: ~/.hermes/agent-hooks/guard.sh --strict", "setting plugins.enabled"],
	);
	assert.match(next[0]!, /hookline hooks allow shell\/1$/);
	const { stdout } = await place.run(["hooks", "list"]);
	for (const hook of ["shell/1", "hooks/watch/agent.start", "rules/no_rm", "plugins/notes/pre_tool_call.no_dates"]) assert.match(stdout, new RegExp(`^${hook}\\t`, "m"));

	const command = "~/home/agent-hooks/guard.sh --strict";
	const [shown] = JSON.parse((await place.run(["hooks", "allow", command, "--show", "--json"])).stdout) as { hash: string; state: string }[];
	assert.equal((await place.run(["hooks", "allow", command, "--hash", shown!.hash])).code, 0);
	await place.run(["run", callTerminal("touch made")]);
	assert.equal(place.made("made"), false);
	const [touched] = await place.trace("--event", "tool.calling");
	assert.deepEqual([touched?.outcome, touched?.by, touched?.hooks.find(({ hook }) => hook === "shell/1")?.decision], ["blocked", "shell/1", "block"]);
	await place.run(["run", callTerminal("rm -f x")]);
	const removed = (await place.trace("--event", "tool.calling")).at(-1);
	assert.deepEqual([removed?.outcome, removed?.by], ["blocked", "rules/no_rm"]);
	await place.run(["run", callTerminal("date")]);
	const dated = (await place.trace("--event", "tool.calling")).at(-1);
	assert.deepEqual([dated?.outcome, dated?.by], ["blocked", "plugins/notes/pre_tool_call.no_dates"]);
	assert.equal((await place.run(["run", callTerminal("echo fine > made")])).code, 0);
	assert.equal(place.made("made"), true);
});

test("a dry run writes nothing and says the same, and a second run has nothing to do", async () => {
	wholeHome();
	const before = tree(place.home);
	const dry = await place.import("--dry-run");
	assert.deepEqual(tree(place.home), before);
	const unmade = join(place.folder, "unmade");
	assert.equal((await place.run(["import", "hermes", "--dry-run"], { env: { HOOKLINE_HOME: unmade } })).code, 0);
	assert.equal(existsSync(unmade), false);
	const real = await place.import();
	assert.deepEqual({ ...dry, dryRun: false }, real);
	const written = tree(place.home);
	const second = await place.import();
	assert.deepEqual([second.code, second.copied, second.problems, second.next], [0, [], [], []]);
	assert.equal(second.present.length, real.copied.length);
	assert.deepEqual(tree(place.home), written);
	assert.match((await place.run(["import", "hermes"])).stdout, /There is nothing to do: everything is here already\./);
});

test("nothing is overwritten: what differs is named, stays, and makes the exit code 1", async () => {
	wholeHome();
	const mine = place.extension("rules/__init__.py", "# mine\n");
	mkdirSync(join(place.home, "agent-hooks"));
	writeFileSync(join(place.home, "agent-hooks/guard.sh"), "# mine too\n");
	const { code, problems, copied } = await place.import();
	assert.equal(code, 1);
	assert.deepEqual(problems.map(({ kind, name }) => `${kind} ${name}`), ["script agent-hooks/guard.sh", "shell hook pre_tool_call: ~/.hermes/agent-hooks/guard.sh --strict", "extension extensions/rules"]);
	assert.match(problems[2]!.message, /rules is there and __init__\.py differs, so it was left as it is\./);
	assert.deepEqual([readFileSync(mine, "utf8"), place.ours("agent-hooks/guard.sh")], ["# mine\n", "# mine too\n"]);
	assert.deepEqual(copied.map(({ name }) => name), ["hooks/watch", "plugins/notes"]);
	// A hook never comes to run another script than the one that was meant.
	assert.equal(existsSync(join(place.home, "config.yaml")), false);
});

test("entries are added behind mine, and my comments stay", async () => {
	wholeHome();
	place.config("# settings of mine\nhooks:\n  pre_tool_call:\n    - command: /bin/true # harmless\n      name: own\n  # the end\nredact: on\n");
	assert.equal((await place.import()).code, 0);
	assert.equal(
		place.ours("config.yaml"),
		"# settings of mine\nhooks:\n  pre_tool_call:\n    - command: /bin/true # harmless\n      name: own\n    - matcher: terminal\n      command: ~/home/agent-hooks/guard.sh --strict\n      timeout: 20\n      fail_closed: true\n  # the end\nredact: on\n",
	);
});

test("the list of approvals comes without trust: also an entry that claims a digest is asked about again", async () => {
	wholeHome();
	const digest = "a".repeat(64);
	place.theirs("shell-hooks-allowlist.json", JSON.stringify({ approvals: [{ event: "pre_tool_call", command: "~/.hermes/agent-hooks/guard.sh --strict", approved_at: "2026-01-01T00:00:00Z", digest, definition: {}, files: [], copy: digest }, { event: "pre_llm_call", command: "gone" }] }));
	const { leftOut } = await place.import();
	assert.match(leftOut.join("\n"), /1 of 2 approvals were not taken over/);
	assert.deepEqual(JSON.parse(place.ours("shell-hooks-allowlist.json")), { approvals: [{ event: "pre_tool_call", command: "~/home/agent-hooks/guard.sh --strict", approved_at: "2026-01-01T00:00:00Z" }] });
	const { stdout } = await place.run(["hooks", "doctor"]);
	assert.match(stdout, /was approved by its name alone, without its content/);
	// Until then what it guards is blocked, as it is closed.
	await place.run(["run", callTerminal("touch made")]);
	assert.equal(place.made("made"), false);
	const [record] = await place.trace("--event", "tool.calling");
	assert.deepEqual([record?.outcome, record?.by], ["blocked", "shell/1"]);
});

test("secrets stay where they are, and are not shown either", async () => {
	wholeHome();
	const key = `sk-${"a1b2".repeat(6)}`;
	place.theirs(".env", `OPENAI_API_KEY=${key}\n`);
	place.theirs("hooks/watch/.env.local", `TOKEN=${key}\n`);
	place.theirs("config.yaml", `${config}    - command: "curl -H 'Authorization: Bearer ${key}' http://127.0.0.1:9/"\nmodel: {default: some, provider: custom, base_url: "http://127.0.0.1:9/v1", api_key: ${key}}\nextensions:\n  rules: {api_token: ${key}, colour: red, nested: {botToken: ${key}, deep: [1, two]}}\n`);
	const { stdout } = await place.run(["import", "hermes", "--json"]);
	assert.doesNotMatch(stdout, new RegExp(key));
	assert.doesNotMatch(tree(place.home).join("\n"), new RegExp(key));
	const { leftOut, problems } = JSON.parse(stdout) as Report;
	for (const told of [/^No key and no token in \.env was copied/, /hooks\/watch: \.env\.local left behind, as it may hold secrets/, /extensions\.rules\.api_token looks like a secret/, /extensions\.rules\.nested\.botToken looks like a secret/, /model\.api_key is a secret/]) assert.ok(leftOut.some((line) => told.test(line)), `${told}\n${leftOut.join("\n")}`);
	assert.match(problems[0]!.message, /Its command holds what looks like a secret/);
	assert.match(place.ours("config.yaml"), /config:\n\s+colour: red\n\s+nested:\n\s+deep:\n\s+- 1\n\s+- two\n/);
	assert.match(place.ours("config.yaml"), /provider: openai-compatible\n\s+name: some\n\s+base_url: http:\/\/127\.0\.0\.1:9\/v1/);
});

test("a folder with a file that cannot be read, or with too many, is left out as a whole", async () => {
	wholeHome();
	// A name that is no UTF-8 cannot be said, so its file cannot be opened, whoever asks.
	writeFileSync(Buffer.concat([Buffer.from(join(place.hermes, "plugins/notes/a")), Buffer.from([0xff])]), "x");
	for (let i = 0; i <= 2_000; i++) place.theirs(`extensions/rules/${i}.txt`, "");
	const { code, problems } = await place.import();
	assert.equal(code, 1);
	assert.deepEqual(problems.map(({ name }) => name), ["plugins/notes", "extensions/rules"]);
	assert.match(problems[0]!.message, /^It was not copied: .*plugins\/notes\/a.* cannot be read: /);
	assert.match(problems[1]!.message, /it holds more than 2000 files and folders/);
	assert.deepEqual([existsSync(join(place.home, "plugins")), readdirSync(join(place.home, "extensions"))], [false, []]);
});

test("links, pipes, and what is made anew are not copied", async () => {
	wholeHome();
	const outside = join(place.folder, "outside");
	mkdirSync(outside);
	writeFileSync(join(outside, "evil.sh"), guard, { mode: 0o755 });
	symlinkSync(outside, join(place.hermes, "plugins/linked"));
	symlinkSync(join(outside, "evil.sh"), join(place.hermes, "hooks/watch/evil.sh"));
	symlinkSync(join(outside, "evil.sh"), join(place.hermes, "agent-hooks/evil.sh"));
	appendFileSync(join(place.hermes, "config.yaml"), "    - command: ~/.hermes/agent-hooks/evil.sh\n");
	assert.equal(spawnSync("mkfifo", [join(place.hermes, "hooks/watch/pipe"), join(place.hermes, "BOOT.md")]).status, 0);
	place.theirs("plugins/notes/.git/config", "x");
	place.theirs("plugins/notes/env/pyvenv.cfg", "x");
	place.theirs("plugins/notes/data/table.csv", "1,2\n");
	symlinkSync("HOOK.yaml", join(place.hermes, "extensions/rules/self"));
	place.theirs("hooks/lost/HOOK.yaml", "events: [agent:start]\n");
	symlinkSync(join(outside, "evil.sh"), join(place.hermes, "hooks/lost/handler.py"));
	const { code, problems, leftOut } = await place.import();
	assert.equal(code, 1);
	const told = problems.map(({ name, message }) => `${name}: ${message}`).join("\n");
	for (const one of [/^plugins\/linked: It is a link/m, /^agent-hooks\/evil\.sh: .*a link out of Hermes's home/m, /^BOOT\.md: .*no regular file/m, /^hooks\/lost: .*its handler\.py is a link or no plain file/m]) assert.match(told, one);
	for (const one of [/hooks\/watch: evil\.sh left behind, as links are not followed/, /hooks\/watch: pipe left behind, as it is neither/, /plugins\/notes: \.git, env left behind, as it is made anew/]) assert.match(leftOut.join("\n"), one);
	assert.deepEqual(readdirSync(join(place.home, "hooks/watch")).toSorted(), ["HOOK.yaml", "handler.py"]);
	assert.deepEqual(readdirSync(join(place.home, "plugins/notes"), { recursive: true }).toSorted(), ["__init__.py", "data", "data/table.csv", "plugin.yaml"]);
	assert.doesNotMatch(place.ours("config.yaml"), /evil/);
	const modes = ["agent-hooks", "agent-hooks/guard.sh", "hooks/watch", "hooks/watch/handler.py"].map((path) => (statSync(join(place.home, path)).mode & 0o777).toString(8));
	assert.deepEqual(modes, ["700", "700", "700", "600"]);
});

test("what Hermes passes over does not begin to count, and what cannot be read here stays out of config.yaml", async () => {
	place.theirs("agent-hooks/guard.sh", guard, 0o755);
	place.theirs(
		"config.yaml",
		"hooks:\n  pre_tool_call:\n    - {command: ~/.hermes/agent-hooks/guard.sh, priority: 1, env: [X], mode: faithful, async: true, timeout: 900}\n    - {command: ~/.hermes/agent-hooks/guard.sh, matcher: '(?>a)'}\n  on_session_start:\n    - {command: /bin/true, matcher: terminal}\n  pre_tool_cal:\n    - command: /bin/true\n  kanban_task_claimed:\n    - command: /bin/true\n  outbound: [{url: x}]\nhooks_auto_accept: yes\napprovals: {mode: manual, timeout: 60, deny: ['git push*', 'rm [ab]'], cron_mode: deny}\n",
	);
	const { code, leftOut, problems } = await place.import();
	assert.equal(code, 1);
	assert.match(problems.map(({ message }) => message).join("\n"), /config\.yaml:4:\d+: 'matcher' of this hook of pre_tool_call/);
	for (const one of [/'priority' of a hook of pre_tool_call was left out/, /'env' of/, /'mode' of/, /at most 300 s are waited/, /'matcher' of this hook of on_session_start was left out/, /no event 'pre_tool_cal'\. Did you mean 'pre_tool_call'\?/, /'kanban_task_claimed' is an event of Hermes Agent/, /entry 1 of hooks\.outbound: its 'url' is no address/, /hooks_auto_accept was not taken over/, /'rm \[ab\]' was not taken over/, /approvals\.cron_mode was not/]) assert.match(leftOut.join("\n"), one);
	assert.equal(place.ours("config.yaml").replace(/^#.*\n+/gm, ""), "hooks:\n  pre_tool_call:\n    - command: ~/home/agent-hooks/guard.sh\n      timeout: 300\n  on_session_start:\n    - command: /bin/true\napprovals:\n  mode: ask\n  timeout: 60\n  deny:\n    - git push*\n");
	const checked = await place.run(["config", "check"]);
	assert.deepEqual([checked.code, checked.stderr], [0, ""]);
});

test("a script's variables, its neighbours and the folder of Hermes in it are told of", async () => {
	wholeHome();
	place.theirs("agent-hooks/guard.sh", `#!/bin/bash\n# in ~/.hermes/agent-hooks\nMINE=1\n. "$(dirname "$0")/words.sh"\ncurl "$ALERT_URL" -d "$MINE$HOME" >> ~/.hermes/guard.txt\n`, 0o755);
	place.theirs("agent-hooks/words.sh", "x=1\n");
	const { changes } = await place.import();
	const told = changes.map(({ message }) => message).join("\n");
	for (const one of [/guard\.sh reads ALERT_URL: a shell hook gets only the variables it names/, /guard\.sh seems to use words\.sh beside it/, /guard\.sh:5: the folder of Hermes is named/]) assert.match(told, one);
});

test("every change of meaning names a section there is", () => {
	for (const see of [...Object.values(rules).map(([, section]) => section), ...Object.values(sections)]) {
		const [file, anchor] = see.split("#");
		const headings = readFileSync(join(import.meta.dirname, "../..", file!), "utf8").matchAll(/^#+ (.*)$/gm);
		assert.ok([...headings].some(([, heading]) => heading!.toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-") === anchor), see);
	}
});

test("BOOT.md comes along, and approvals that ask nobody are told of", async () => {
	place.theirs("BOOT.md", "Say hello.\n");
	place.theirs("config.yaml", "approvals: {mode: off}\n");
	const { copied, changes } = await place.import();
	assert.deepEqual(copied.map(({ kind, name, to }) => [kind, name, to.replace(place.home, "")]), [["file", "BOOT.md", "/BOOT.md"], ["setting", "approvals.mode", "approvals.mode"]]);
	assert.deepEqual(changes.map(({ see }) => see), [rules.boot[1], sections.settings]);
	assert.equal((await place.run(["config", "get", "approvals.mode"])).stdout, "off\n");
});

test("without a home of Hermes there is one clear message, and nothing is made", async () => {
	const { code, stdout, stderr } = await place.run(["import", "hermes"], { env: { HOOKLINE_HOME: join(place.folder, "new") } });
	assert.deepEqual([code, stdout], [1, ""]);
	assert.match(stderr, /^hookline: There is no Hermes home .*\/\.hermes, so nothing was imported\. Where it is elsewhere, say so: hookline import hermes --from DIR\n$/);
	assert.equal(existsSync(join(place.folder, "new")), false);
	const same = await place.run(["import", "hermes", "--from", place.home]);
	assert.deepEqual([same.code, /is the home of Hookline as well/.test(same.stderr)], [1, true]);
	assert.equal((await place.run(["import", "hermes", "--form", "x"])).code, 2);
	mkdirSync(place.hermes);
	assert.match((await place.run(["import", "hermes"])).stdout, /There is nothing in it that could be imported\./);
});

test("settings of plugins and lists come behind mine, what I have set stays, and no grant comes along", async () => {
	wholeHome();
	place.theirs("plugins/tools/deep/plugin.yaml", "name: deep-name\nkind: backend\n");
	place.theirs("plugins/tools/deep/__init__.py", "def register(ctx):\n    pass\n");
	place.theirs("plugins/skills/plugin.json", "{}");
	place.theirs("config.yaml", "plugins:\n  enabled: [notes, langfuse, deep-name]\n  disabled: [gone]\n  hook_callback_timeout: 20\n  entries:\n    notes: {settings: {colour: red}, granted_capabilities: [tools.override]}\napprovals: {timeout: 60, deny: ['b*']}\nextensions: {enabled: false, project_local: true}\n");
	place.config("approvals:\n  timeout: 10\n  deny: ['a*']\nplugins:\n  enabled: [mine]\n");
	const { code, leftOut, changes } = await place.import();
	assert.equal(code, 0);
	for (const one of [/plugins\.enabled: 'langfuse' does not lie/, /plugins\/skills is a portable plugin/, /notes: granted_capabilities was not taken over/, /approvals\.timeout: approvals\.timeout is set in .*, to something else/, /extensions\.project_local are not there/]) assert.match(leftOut.join("\n"), one);
	assert.match(changes.map(({ message }) => message).join("\n"), /plugins\/tools\/deep is a plugin of the kind 'backend'/);
	const settings = JSON.parse((await place.run(["config", "get", "--json"])).stdout) as unknown;
	assert.deepEqual(settings, { approvals: { timeout: 10, deny: ["a*", "b*"] }, plugins: { enabled: ["mine", "notes", "deep-name"], hook_callback_timeout: 20, entries: { notes: { settings: { colour: "red" } } } }, extensions: { rules: { enabled: false } } });
});

test("a home that came from another machine is read where it lies now", async () => {
	wholeHome();
	const elsewhere = join(place.folder, "backup");
	spawnSync("mv", [place.hermes, elsewhere]);
	const { copied } = await place.import("--from", elsewhere);
	assert.equal(copied[0]?.name, "agent-hooks/guard.sh");
	assert.match(place.ours("config.yaml"), /~\/home\/agent-hooks\/guard\.sh --strict/);
	const again = await place.run(["import", "hermes"], { env: { HERMES_HOME: elsewhere } });
	assert.match(again.stdout, /^From .*\/backup to .*\n\nThere is nothing to do/);
	assert.equal((await place.run(["import", "hermes", "--from", ""])).code, 2);
});

test("a config.yaml of theirs that is no YAML costs its hooks and settings alone, and one of ours with mistakes stops everything", async () => {
	wholeHome();
	place.theirs("config.yaml", "hooks: [\n");
	const { code, problems, copied } = await place.import();
	assert.equal(code, 1);
	assert.match(problems[0]!.message, /config\.yaml is not YAML: .*None of its hooks and settings were taken over/);
	assert.deepEqual(copied.map(({ name }) => name), ["hooks/watch", "plugins/notes", "extensions/rules"]);
	place.config("hook: 1\n");
	const mine = await place.run(["import", "hermes"]);
	assert.deepEqual([mine.code, mine.stdout], [1, ""]);
	assert.match(mine.stderr, /config\.yaml has mistakes, so nothing was imported/);
});

test("paths with blanks and quotes are written so that they are read as they are meant", async () => {
	place.theirs("agent-hooks/it's a guard.sh", guard, 0o755);
	place.theirs("rules/deny list.json", "{}");
	const script = `${place.hermes}/agent-hooks/it's a guard.sh`;
	place.theirs("config.yaml", `hooks:\n  pre_tool_call:\n    - command: |-\n        '${script.replace("'", `'\\''`)}'\n    - command: python3 "${script}" "${place.hermes}/rules/deny list.json" --level=3 'a b'\n`);
	const { code, problems } = await place.import();
	assert.deepEqual([code, problems], [0, []]);
	const [first, second] = JSON.parse((await place.run(["config", "get", "hooks.pre_tool_call", "--json"])).stdout) as { command: string }[];
	for (const { command } of [first!, second!]) assert.equal(spawnSync("sh", ["-c", `printf '%s\\n' ${command} | grep -c "^${place.home}/agent-hooks/it's a guard.sh$"`], { encoding: "utf8" }).stdout, "1\n", command);
	assert.match(second!.command, /^python3 .* '.*\/agent-hooks\/rules\/deny list\.json' --level=3 'a b'$/);
	assert.deepEqual((await place.import()).copied, []);
});

test("what a command names and cannot be copied stays what it is, and is told of", async () => {
	place.theirs("venv/pyvenv.cfg", "");
	const python = place.theirs("venv/bin/python", "#!/bin/sh\n", 0o755);
	place.theirs("agent-hooks/x.py", "import os\nprint(os.environ['TEAM'])\n");
	const gone = join(place.hermes, "agent-hooks/gone.sh");
	const beside = join(place.folder, "scripts/alert.sh");
	place.theirs("config.yaml", `hooks:\n  pre_llm_call:\n    - command: ${python} ${place.hermes}/agent-hooks/x.py\n    - command: ${gone}\n    - command: ${beside}\n    - command: python3 ~/.hermes/agent-hooks/x.py\n`);
	const { copied, changes } = await place.import();
	assert.deepEqual(copied.filter(({ kind }) => kind === "script").map(({ name }) => name), ["agent-hooks/x.py"]);
	const commands = (JSON.parse((await place.run(["config", "get", "hooks.pre_llm_call", "--json"])).stdout) as { command: string }[]).map(({ command }) => command);
	assert.deepEqual(commands, [`${python} ${place.home}/agent-hooks/x.py`.replace(place.folder, "~"), gone, beside, "python3 ~/.hermes/agent-hooks/x.py"]);
	const told = changes.map(({ message }) => message).join("\n");
	for (const one of [/venv\/bin\/python' still names the folder of Hermes/, /gone\.sh' still names the folder/, /alert\.sh is outside of Hermes's home and stays where it is/, /only the one a command begins with is your home folder/, /x\.py reads TEAM/]) assert.match(told, one);
});
