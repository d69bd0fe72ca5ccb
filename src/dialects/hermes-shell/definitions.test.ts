import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { commandOf, engineWith, inWords, observe, toolCall, toolCalled, transform } from "../../../test/engine.ts";
import { parseConfig } from "../../config/read.ts";
import { createEngine } from "../../engine/engine.ts";
import { rewrite } from "../../events/decision.ts";
import { eventNames } from "../../events/catalog.ts";
import { samplePayload } from "../../events/samples.ts";
import type { ShellEnded } from "../../hosts/shell/job.ts";
import { definitionsOf, type Start } from "./definitions.ts";
import { eventOf, knownNames } from "./events.ts";
import { payloadOf } from "./payload.ts";
import { readShellHooks } from "./settings.ts";

const hooksIn = async (yaml: string) => readShellHooks(await parseConfig(yaml), { file: "/config.yaml", userHome: "/home/me", toolNames: ["terminal", "patch"] }).hooks;
const hookIn = async (yaml: string) => (await hooksIn(yaml))[0]!;
const says = (stdout: string, more: Partial<ShellEnded> = {}): Start => async () => ({ exitCode: 0, signal: null, stdout, stderr: "", truncated: false, sandboxed: false, ms: 1, ...more });
const never: Start = async () => assert.fail("it was started");

test("a closed hook that nobody agreed to blocks with that reason, starts nothing and is never on hold", async () => {
	const engine = createEngine();
	engine.register(definitionsOf(await hookIn("hooks: {pre_tool_call: [{command: check, fail_closed: true}]}"), never, "Nobody has agreed to it; 'hookline hooks allow check' does."));
	for (let i = 0; i < 5; i++) {
		assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "blocked by shell/1 (failure): Hook shell/1 failed (cannot-start): Nobody has agreed to it; 'hookline hooks allow check' does. It is closed, so nothing goes on without its answer.");
	}
	assert.equal(engine.healthOf("shell/1")?.suspendedForMs, 0);
});

test("a closed hook that nobody agreed to blocks only what it is for", async () => {
	const engine = createEngine();
	engine.register(definitionsOf(await hookIn("hooks: {pre_tool_call: [{command: check, fail_closed: true, matcher: patch}]}"), never, "Nobody has agreed to it."));
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "go");
});

test("an open hook that nobody agreed to has nothing to register", async () => {
	assert.deepEqual(definitionsOf(await hookIn("hooks: {pre_tool_call: [{command: check}]}"), never, "Nobody has agreed to it."), []);
});

test("a hook comes after native ones of its priority, and before those of a higher number", async () => {
	const order: string[] = [];
	const engine = createEngine();
	const noted = (word: string) => () => void order.push(word);
	for (const hook of await hooksIn("hooks: {pre_tool_call: [{command: usual}, {command: early, priority: 5}]}")) engine.register(definitionsOf(hook, (async (...given) => (order.push(hook.command), says("")(...given))) as Start));
	engine.register([transform("tool.calling", noted("native")), transform("tool.calling", noted("late"), { priority: 200 })]);
	await engine.dispatch("tool.calling", toolCall());
	assert.deepEqual(order, ["early", "native", "usual", "late"]);
});

test("what changed after a hook answered is shown to it again, and its refusal counts then", async () => {
	const seen: string[] = [];
	const check: Start = async (document, signal) => {
		const { command } = (JSON.parse(document) as { tool_input: { command: string } }).tool_input;
		seen.push(command);
		return says(command.includes("sudo") ? '{"decision":"block","reason":"No sudo."}' : '{"decision":"allow"}')(document, signal);
	};
	const engine = engineWith([transform("tool.calling", (call) => rewrite({ command: `sudo ${String(call.args["command"])}` }), { priority: 200 })]);
	engine.register(definitionsOf(await hookIn("hooks: {pre_tool_call: [{command: check}]}"), check));
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "blocked by shell/1 (decision): No sudo.");
	assert.deepEqual(seen, ["ls", "sudo ls"]);
});

test("changes of several hooks build on each other", async () => {
	const engine = createEngine();
	for (const hook of await hooksIn("hooks: {pre_tool_call: [{command: a}, {command: b}]}")) {
		engine.register(definitionsOf(hook, async (document, signal) => says(JSON.stringify({ action: "modify", args: { command: `${(JSON.parse(document) as { tool_input: { command: string } }).tool_input.command} ${hook.command}` } }))(document, signal)));
	}
	assert.equal(commandOf(await engine.dispatch("tool.calling", toolCall({ command: "x" }))), "x a b");
});

test("an allow of a project's hook counts for nothing, and its refusal counts", async () => {
	const [hook] = readShellHooks(await parseConfig("hooks: {pre_tool_call: [{command: check}]}"), { file: "/config.yaml", userHome: "/home/me", toolNames: ["terminal"], trust: "project" }).hooks;
	assert.equal(hook?.sandbox, "auto");
	const outcome = async (stdout: string) => inWords(await engineWith(definitionsOf(hook!, says(stdout))).dispatch("tool.calling", toolCall()));
	assert.equal(await outcome('{"decision":"allow"}'), "go");
	assert.equal(await outcome('{"decision":"deny","reason":"no"}'), "blocked by project:shell/1 (decision): no");
});

test("a program that exits badly time and again is not put on hold: its next word may be a refusal", async () => {
	const engine = createEngine();
	let runs = 0;
	engine.register(definitionsOf(await hookIn("hooks: {pre_tool_call: [{command: check}]}"), async (...given) => says(++runs > 5 ? '{"decision":"block","reason":"now"}' : "", { exitCode: 1 })(...given)));
	for (let i = 0; i < 5; i++) assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "go");
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "blocked by shell/1 (decision): now");
});

test("a failing observer is told of as any hook", async () => {
	const told: string[] = [];
	const engine = engineWith([observe("hook.failed", ({ hook, message }) => void told.push(`${hook}: ${message}`))]);
	engine.register(definitionsOf(await hookIn("hooks: {post_tool_call: [{command: check}]}"), says("", { exitCode: 3, stderr: "disk full\n" })));
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.deepEqual(told, ["shell/1: exited with code 3: disk full"]);
});

test("every event has a document, its keys in one order, under each of its names", () => {
	const order = ["hook_event_name", "tool_name", "tool_input", "session_id", "cwd", "profile", "extra", "transcript_path", "turn_id", "surface", "platform", "user_id", "chat_id", "thread_id", "chat_type"];
	for (const name of knownNames) {
		const event = eventOf(name)!;
		const document = JSON.parse(payloadOf(name, event, samplePayload(event, { cwd: "/projects/one", at: 0, eventId: "e" }), "/t.jsonl")) as Record<string, unknown>;
		assert.deepEqual(Object.keys(document), order, name);
		assert.equal(document["hook_event_name"], name);
		assert.equal(document["transcript_path"], "/t.jsonl");
		for (const key of Object.keys(document["extra"] as object)) assert.match(key, /^[a-z_]+$/, `${name}: ${key}`);
	}
	assert.deepEqual(new Set(knownNames.map(eventOf)), new Set(eventNames));
});

test("docs/shell-hooks.md has every name of Hermes Agent, with our event", () => {
	const page = readFileSync(new URL("../../../docs/shell-hooks.md", import.meta.url), "utf8");
	const rows = [...page.matchAll(/^\| `(\w+)` \| `([\w.]+)` \|/gm)].map(([, theirs, ours]) => [theirs, ours]);
	const theirs = knownNames.filter((name) => !name.includes("."));
	assert.deepEqual(rows, theirs.map((name) => [name, eventOf(name)]));
});

test("what JSON cannot hold becomes text instead of being left out", () => {
	const payload = { ...toolCalled(), args: { big: 5n, run: () => 1 } };
	const { tool_input } = JSON.parse(payloadOf("post_tool_call", "tool.called", payload)) as { tool_input: unknown };
	assert.deepEqual(tool_input, { big: "5", run: "() => 1" });
});
