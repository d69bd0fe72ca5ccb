// HOOKLINE_HOME=~/.hermes: beside Hermes Agent in its own home, whose files are read and never written to.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { callTerminal, Place } from "./program.ts";

const settings = `# Written by Hermes.
_config_version: 31
model:
  default: some/model
  provider: openrouter
toolsets: [hermes-cli]
terminal: {backend: local, timeout: 180}
approvals: {mode: smart, timeout: 60}
plugins:
  enabled: [notes]
  scan_on_install: true
  entries: {notes: {settings: {word: secret-plan}, allow_gateway_injection: true}}
hooks:
  pre_tool_call:
    - matcher: terminal
      command: "~/.hermes/agent-hooks/guard.sh"
`;
const files: Readonly<Record<string, string>> = {
	"config.yaml": settings,
	".env": "OPENROUTER_API_KEY=not-yours\n",
	"SOUL.md": "Be kind.\n",
	"state.db": "SQLite format 3\0 of somebody else",
	"shell-hooks-allowlist.json": '{"approvals": [{"event": "pre_tool_call", "command": "~/.hermes/agent-hooks/guard.sh", "approved_at": "2026-01-01T00:00:00Z"}]}\n',
	"agent-hooks/guard.sh": `#!/bin/sh\ncase $(cat) in\n*from-shell*) echo '{"decision": "block", "reason": "the script said no"}' ;;\nesac\n`,
	"hooks/watch/HOOK.yaml": "name: watch\nevents: ['command:*']\n",
	"hooks/watch/handler.py": "async def handle(event_type, context):\n    print('heard', event_type)\n",
	"extensions/rules/__init__.py": 'from agent.extension_hooks import HookResult, register_hook\n\n@register_hook("intercept_tool_call")\ndef rule(tool_name, tool_args, **kwargs):\n    if "from-extension" in tool_args.get("command", ""):\n        return HookResult("block", "the extension said no")\n',
	"plugins/notes/plugin.yaml": 'name: notes\nversion: "1.0"\n',
	"plugins/notes/__init__.py": "def register(ctx):\n    def guard(tool_name, args, **kwargs):\n        if ctx.get_config('word') in args.get('command', ''):\n            return {'action': 'block', 'message': 'the plugin said no'}\n    ctx.register_hook('pre_tool_call', guard)\n",
};

let place: Place;
let hermes: string;
beforeEach(() => {
	place = new Place();
	hermes = join(place.folder, ".hermes");
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(hermes, path)), { recursive: true });
		writeFileSync(join(hermes, path), text, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
	}
});
afterEach(() => place[Symbol.asyncDispose]());

const env = () => ({ HOOKLINE_HOME: "~/.hermes", HOME: place.folder });
/** What is theirs: all but our folder. */
const theirs = () =>
	readdirSync(hermes, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => !path.startsWith(join(hermes, "hookline/")))
		.toSorted()
		.map((path) => [path.slice(hermes.length + 1), readFileSync(path, "utf8"), statSync(path).mtimeMs]);

test("its hooks, plugins and extensions run, and not one of its files is written to", { timeout: 120_000 }, async () => {
	const before = theirs();
	const unapproved = await place.run(["hooks", "list"], { env: env() });
	assert.match(unapproved.stdout, /shell\/1/);
	assert.match(unapproved.stderr, /not.*approved|no.*hash|approve/i);
	const allowed = await place.run(["hooks", "allow", "shell/1", "--yes"], { env: env() });
	const again = allowed.code === 0 ? allowed : await place.run(["run", "--accept-hooks", "SAY hello"], { env: env() });
	assert.equal(again.code, 0, again.stderr);
	for (const [word, by] of [["from-shell", "the script said no"], ["from-extension", "the extension said no"], ["secret-plan", "the plugin said no"]]) {
		await place.run(["run", callTerminal(`touch ${word}`)], { env: env() });
		assert.equal(place.made(word!), false, `${word} was made`);
		const { stdout } = await place.run(["hooks", "trace", "--event", "tool.calling", "--limit", "1", "--json"], { env: env() });
		assert.match(stdout, new RegExp(by!));
	}
	await place.run(["run", callTerminal("touch fine")], { env: env() });
	assert.equal(place.made("fine"), true);
	await place.run(["run", "/help"], { env: env() });
	assert.match(readFileSync(join(hermes, "hookline/logs", readdirSync(join(hermes, "hookline/logs"))[0]!), "utf8"), /heard command:help/);
	assert.deepEqual(theirs(), before);
});

test("an extension of ours and one of its own with the same name: ours runs, and the other is said to be left out", { timeout: 60_000 }, async () => {
	mkdirSync(join(hermes, "hookline/extensions"), { recursive: true });
	writeFileSync(join(hermes, "hookline/extensions/rules.ts"), 'import { block, defineExtension } from "hookline";\nexport default defineExtension((hooks) => hooks.guard("tool.calling", { name: "own" }, () => block("ours")));\n');
	const { stdout, stderr, code } = await place.run(["hooks", "list"], { env: env() });
	assert.equal(code, 1);
	assert.match(stderr, /The extension 'rules' is not loaded, .*there is another extension of that name, .*rules\.ts; only that one is loaded\. Rename one of them\./);
	assert.deepEqual([/rules\/own/.test(stdout), /rules\/rule\b/.test(stdout)], [true, false]);
});

test("our own settings lie beside it and come before its own", { timeout: 60_000 }, async () => {
	const before = theirs();
	const set = await place.run(["config", "set", "agent.max_steps", "7"], { env: env() });
	assert.equal(set.code, 0, set.stderr);
	assert.match(readFileSync(join(hermes, "hookline/config.yaml"), "utf8"), /max_steps: 7/);
	writeFileSync(join(hermes, "hookline/config.yaml"), "plugins: {enabled: []}\n");
	const { stdout } = await place.run(["hooks", "list"], { env: env() });
	assert.doesNotMatch(stdout, /plugins\/notes/);
	assert.match(stdout, /rules\//);
	assert.deepEqual(theirs(), before);
});

test("no tool of the agent may write to what runs from there", { timeout: 60_000 }, async () => {
	for (const path of ["hooks/watch/handler.py", "plugins/new/__init__.py", "config.yaml", "hookline/trust.json"]) {
		await place.run(["run", `CALL write_file ${JSON.stringify({ path: join(hermes, path), content: "x" })}`], { env: env() });
		const { stdout } = await place.run(["hooks", "trace", "--event", "tool.calling", "--limit", "1", "--json"], { env: env() });
		assert.match(stdout, /"by":"hookline\/approvals"/, path);
	}
});

test("a guard in its config.yaml that cannot be read stops the start, and says where", { timeout: 60_000 }, async () => {
	writeFileSync(join(hermes, "config.yaml"), settings.replace("pre_tool_call", "pre_tool_cal"));
	const { code, stderr } = await place.run(["run", "SAY hello"], { env: env() });
	assert.equal(code, 1);
	assert.match(stderr, /\.hermes\/config\.yaml:14:3: there is no event 'pre_tool_cal'\. Did you mean 'pre_tool_call'\?/);
	writeFileSync(join(hermes, "config.yaml"), "_config_version: 31\nhooks: [\n");
	const broken = await place.run(["run", "SAY hello"], { env: env() });
	assert.equal(broken.code, 1);
	assert.match(broken.stderr, /\.hermes\/config\.yaml:\d+:\d+: this is not YAML/);
});
