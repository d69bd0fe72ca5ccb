// Every Python block of the specification that registers a hook or a handler, and a real turn through it.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { open, type Opened } from "../agent/open.ts";
import { callTerminal, fileWritten, jsonLines } from "../cli/program.ts";
import { facts } from "../engine.ts";
import { Hermes, type Kind, put, Receiver } from "./printed.ts";

interface Case {
	readonly block: string;
	readonly kind: Kind;
	readonly given?: string;
	readonly drive: (place: Hermes) => Promise<void>;
}

const cases: readonly Case[] = [
	{
		block: "01-my-hook",
		kind: "hooks",
		async drive(place) {
			await place.turn("SAY hello");
			const events = jsonLines(readFileSync(join(place.hermes, "hooks/my-hook/activity.log"), "utf8"));
			assert.deepEqual(events.map(({ event, platform, iteration, response }) => [event, platform, iteration, response]), [["agent:start", "cli", undefined, undefined], ["agent:step", "cli", 1, undefined], ["agent:end", "cli", undefined, "hello"]]);
		},
	},
	{
		block: "02-long-task-alert",
		kind: "hooks",
		async drive(place) {
			await place.turn('LOOP 12 terminal {"command":"true"}');
			const text = "⚠️ Agent has been running for 10 steps. Last tools: terminal";
			assert.deepEqual(place.receiver.posted, [{ url: "https://api.telegram.org/botT/sendMessage", json: { chat_id: "C", text } }]);
		},
	},
	{
		block: "03-command-logger",
		kind: "hooks",
		async drive(place) {
			await place.turn("/model rehearsal");
			const [{ ts: _, ...logged } = {}] = jsonLines(readFileSync(join(place.hermes, "logs/command_usage.jsonl"), "utf8"));
			assert.deepEqual(logged, { command: "model", args: "rehearsal", platform: "cli", user: "" });
		},
	},
	{
		block: "04-session-webhook",
		kind: "hooks",
		async drive(place) {
			await place.turn("/new");
			const { posted } = place.receiver;
			assert.deepEqual(posted.map(({ url, json }) => [url, json["event"], typeof json["session_id"]]).toSorted(), [
				["https://your-service.example.com/hermes-events", "session:reset", "string"],
				["https://your-service.example.com/hermes-events", "session:start", "string"],
				["https://your-service.example.com/hermes-events", "session:start", "string"],
			]);
		},
	},
	{
		block: "06-register",
		kind: "plugins",
		given: ["my_tool_observer", "my_tool_logger", "my_memory_callback", "my_sync_callback", "my_init_callback", "my_cleanup_callback"].map((name) => `def ${name}(**kwargs):\n    print("${name} was called")\n`).join("\n"),
		async drive(place) {
			const { stderr } = await place.turn(callTerminal("true"));
			assert.deepEqual([...stderr.matchAll(/(my_\w+) was called/g)].map(([, name]) => name).toSorted(), ["my_cleanup_callback", "my_init_callback", "my_memory_callback", "my_sync_callback", "my_tool_logger", "my_tool_observer"]);
		},
	},
	{ block: "07-audit-tool-call", kind: "plugins", drive: async (place) => assert.match((await place.turn(callTerminal("true"))).stderr, /TOOL_CALL session=\S+ tool=terminal args=\{"command": "true"/) },
	{ block: "08-warn-dangerous", kind: "plugins", drive: async (place) => assert.match((await place.turn(callTerminal("true"))).stderr, /⚠ Executing potentially dangerous tool: terminal/) },
	{ block: "09-track-metrics", kind: "plugins", drive: (place) => passes(place, callTerminal("false")) },
	{
		block: "10-recall",
		kind: "plugins",
		async drive(place) {
			const { stdout } = await place.turn("what do you know");
			assert.match(stdout, /Recalled context:\n- User likes Python\n- Working on hermes-agent/);
			const [{ url, json } = { url: "", json: {} }] = place.receiver.posted;
			assert.deepEqual([url, json["query"]], ["https://your-memory-api.example.com/recall", "what do you know"]);
		},
	},
	{ block: "11-guardrails", kind: "plugins", drive: async (place) => assert.match((await place.turn("hello")).stdout, /Never execute commands that delete files without explicit user confirmation\./) },
	{
		block: "12-sync-memory",
		kind: "plugins",
		async drive(place) {
			await place.turn("SAY stored");
			assert.deepEqual(place.receiver.posted.map(({ url, json: { user, assistant } }) => [url, user, assistant]), [["https://your-memory-api.example.com/store", "SAY stored", "stored"]]);
		},
	},
	{ block: "13-log-response-length", kind: "plugins", drive: async (place) => assert.match((await place.turn("SAY hello")).stderr, /RESPONSE session=\S+ model=rehearsal chars=5/) },
	{ block: "14-init-session", kind: "plugins", drive: (place) => passes(place, "SAY hello") },
	{ block: "15-cleanup-session", kind: "plugins", drive: (place) => passes(place, "SAY hello") },
	{ block: "16-session-duration", kind: "plugins", drive: async (place) => assert.match((await place.turn("SAY hello")).stderr, /SESSION_DURATION session=\S+ seconds=\d+\.\d completed=True interrupted=False/) },
	{
		block: "17-log-subagent",
		kind: "plugins",
		drive: async (place) => assert.match((await place.turn('CALL delegate_task {"tasks":[{"goal":"SAY hello"}]}')).stderr, /SUBAGENT parent=\S+ role=None status=completed duration_ms=\d+/),
	},
	{
		block: "20-notify-approval",
		kind: "plugins",
		async drive(place) {
			const program = join(place.folder, "bin/osascript");
			mkdirSync(dirname(program));
			writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$2" > ${join(place.folder, "shown")}\n`);
			chmodSync(program, 0o700);
			await place.turn(callTerminal("rm -rf /projects/one"));
			assert.match(await fileWritten(join(place.folder, "shown")), /^display notification ".+: rm -rf \/projects\/one" with title "Hermes needs approval"$/);
		},
	},
	{
		block: "21-log-decision",
		kind: "plugins",
		given: 'import logging\nlogger = logging.getLogger("approvals")\n',
		drive: async (place) => assert.match((await place.turn(callTerminal("rm -rf /projects/one"))).stderr, /approval deny: rm -rf \/projects\/one for session \S+/),
	},
	{
		block: "22-redact-secrets",
		kind: "plugins",
		async drive(place) {
			await place.turn(callTerminal("printf 'sk-%s' aaaaaaaaaabbbbbbbbbbccccccccccdd"));
			assert.equal((await place.turn("SEEN [REDACTED]", "--continue")).stdout, "1\n");
			assert.equal((await place.turn("SEEN sk-aaaaaaaaaabbbbbbbbbbcc", "--continue")).stdout, "0\n");
		},
	},
	{
		block: "23-summarize-find",
		kind: "plugins",
		async drive(place) {
			for (let i = 0; i < 600; i++) writeFileSync(join(place.work, `${"long".repeat(25)}${i}`), "");
			await place.turn(callTerminal("find ."));
			assert.equal((await place.turn("SEEN [summary: 601 paths total, showing first 40]", "--continue")).stdout, "1\n");
		},
	},
	{ block: "24-spongebob", kind: "plugins", drive: async (place) => assert.equal((await place.turn("SAY Ahoy!")).stdout, "Ahoy!! Tartar sauce!\n") },
	...["25-my-input-hook", "26-example-hook-handler"].map((block): Case => ({
		block,
		kind: "extensions",
		given: 'def is_implementation_request(text):\n    return text.startswith("fix")\n\ndef has_valid_plan():\n    return False\n',
		async drive(place) {
			assert.match((await place.turn("fix the bug")).stdout, /There is no command \/start-feature\./);
			assert.equal((await place.turn("SAY hello")).stdout, "hello\n");
		},
	})),
];

/** The hook says nothing that could be seen, but it ran, and it did not fail. */
async function passes(place: Hermes, prompt: string): Promise<void> {
	await place.turn(prompt);
	const ran = (await place.trace()).flatMap(({ hooks }) => hooks).filter(({ hook }) => hook.startsWith("plugins/"));
	assert.deepEqual(ran.map(({ decision }) => decision), ["told"]);
}

describe("a block of the specification, as it is printed", { concurrency: 2 }, () => {
	for (const { block, kind, given = "", drive } of cases) {
		test(block, { timeout: 120_000 }, async () => {
			await using place = new Hermes(await Receiver.open());
			put(place.hermes, kind, block, given, place.receiver.address);
			await drive(place);
			// Nobody has changed what the user put there.
			assert.ok(!existsSync(join(place.hermes, kind, block.slice(3), "__pycache__")));
		});
	}
});

/** An agent in this process, for events that only a gateway fires. */
async function inProcess(kind: Kind, block: string, given = ""): Promise<Opened> {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-spec-")));
	const home = join(folder, "home");
	for (const path of [home, join(folder, "work")]) mkdirSync(path);
	symlinkSync("home", join(folder, ".hermes"));
	put(home, kind, block, given, "");
	return open({ home, config: readFileSync(join(home, "config.yaml"), "utf8") });
}

test("05-boot-md: the checklist is worked off by a turn of its own when the gateway starts", { timeout: 120_000 }, async () => {
	await using agent = await inProcess("hooks", "05-boot-md");
	agent.runtime.engine.tell("gateway.started", { ...facts({ surface: "gateway" }), platforms: ["telegram"] } as never);
	const log = join(agent.home, "logs/hookline.log");
	const logged = () => (existsSync(log) ? readFileSync(log, "utf8") : "");
	await eventually(() => /boot-md (?:completed|agent failed)/.test(logged()), "it was worked off");
	assert.match(logged(), /Running BOOT\.md \(\d{3} chars\)/);
	// The model that rehearses repeats what it was told, the word that asks for silence included.
	assert.match(logged(), /boot-md completed \(nothing to report\)/);
	const [turn] = await agent.heard("turn.ended");
	assert.match(turn?.input ?? "", /^You are running a startup boot checklist\.[\s\S]+# Startup Checklist/);
	assert.deepEqual([turn?.surface, turn?.completed], ["gateway", true]);
});

const message = (text: string, more: object) => ({ ...facts({ surface: "gateway", platform: "telegram", ...more }), text, messageId: "1" });

test("18-deny-unauthorized-dms: a message of a stranger goes no further", { timeout: 120_000 }, async () => {
	await using agent = await inProcess("plugins", "18-deny-unauthorized-dms", 'def _is_approved_user(user_id):\n    return user_id == "friend"\n');
	const { engine } = agent.runtime;
	assert.equal((await engine.dispatch("message.receiving", message("hello", { chatType: "dm", userId: "friend", chatId: "1" }))).kind, "go");
	const outcome = await engine.dispatch("message.receiving", message("hello", { chatType: "dm", userId: "stranger", chatId: "1" }));
	assert.ok(outcome.kind === "blocked");
	assert.match(outcome.reason, /unauthorized-dm/);
});

test("19-buffer-or-rewrite: what was said before the agent was named comes along when it is", { timeout: 120_000 }, async () => {
	await using agent = await inProcess("plugins", "19-buffer-or-rewrite", 'def _bot_mentioned(text):\n    return "@bot" in text\n');
	const { engine } = agent.runtime;
	const sent = (text: string) => engine.dispatch("message.receiving", message(text, { chatType: "group", userId: "a", chatId: "1" }));
	assert.equal((await sent("it is broken")).kind, "blocked");
	const outcome = await sent("@bot fix it");
	assert.ok(outcome.kind === "go");
	assert.equal(outcome.payload.text, "it is broken\n@bot fix it");
});
