// What a monitor reads, from a real engine and a small platform.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, facts, guard, toolCall } from "../../test/engine.ts";
import type { EngineCounts } from "../stores/session-engine.ts";
import { Counts, metricText } from "./metric-text.ts";
import { Metrics } from "./metrics.ts";
import { type Accepted, type Door, type Inbound, type OutboundText, type Platform, type Sent, UndeliverableError } from "./platform.ts";

const nothing: EngineCounts = { waiting: 0, running: 0, outgoing: 0, deadLetters: 0 };
const lines = (metrics: Metrics, name: string, platforms: readonly Platform[] = []) => metrics.text(nothing, platforms.map(({ name: one, connected }) => ({ name: one, started: true, connected }))).split("\n").filter((line) => line.startsWith(name));

/** Keeps its door in a private field, as real ones do. */
class Small implements Platform {
	readonly name = "small";
	readonly maxText = 100;
	connected = true;
	#door: Door | undefined;

	async start(door: Door): Promise<void> {
		this.#door = door;
	}
	async stop(): Promise<void> {}
	async close(): Promise<void> {}
	async send({ text }: OutboundText): Promise<Sent> {
		if (text === "gone") throw new UndeliverableError("the chat is gone");
		if (text === "down") throw new Error("503");
		return { id: text };
	}
	hears(text: string): Promise<Accepted> {
		return this.#door!.accept({ chatId: "c", userId: "u", chatType: "dm", messageId: text, text });
	}
}

const turnEnded = (more: object) => ({ ...facts(), input: "", text: "", completed: true, interrupted: false, steps: 1, toolCalls: 0, usage: { inputTokens: 0, outputTokens: 0 }, durationMs: 700, ...more });

test("messages and deliveries are counted by platform and by what became of them, and the platform notices nothing", async () => {
	const metrics = new Metrics();
	const small = new Small();
	const watched = metrics.watched(small);
	await watched.start({
		reacted() {},
		async accept({ text }: Inbound) {
			if (text === "full") throw new Error("the disk is full");
			return text === "who" ? { kind: "stranger", reason: "no" } : { kind: "accepted" };
		},
	});
	assert.equal(metrics.watched(small), watched);
	assert.deepEqual([watched.name, watched.maxText, watched.connected], ["small", 100, true]);
	for (const text of ["a", "b", "who"]) await small.hears(text);
	await assert.rejects(small.hears("full"), /the disk is full/);
	const { signal } = new AbortController();
	const send = (text: string) => watched.send({ key: text, chatId: "c", text, purpose: "answer" }, signal);
	assert.deepEqual(await send("hello"), { id: "hello" });
	await assert.rejects(send("gone"), /the chat is gone/);
	await assert.rejects(send("down"), /503/);
	assert.deepEqual(lines(metrics, "hookline_messages_total"), ['hookline_messages_total{platform="small",outcome="accepted"} 2', 'hookline_messages_total{platform="small",outcome="stranger"} 1', 'hookline_messages_total{platform="small",outcome="failed"} 1']);
	assert.deepEqual(lines(metrics, "hookline_deliveries_total"), ["refused", "failed"].map((outcome) => `hookline_deliveries_total{platform="small",outcome="${outcome}"} 1`));
	assert.deepEqual(lines(metrics, "hookline_platform_up", [watched]), ['hookline_platform_up{platform="small"} 1']);
	small.connected = false;
	assert.deepEqual(lines(metrics, "hookline_platform_up", [watched]), ['hookline_platform_up{platform="small"} 0']);
});

test("turns are counted by how they ended and how long they took; hooks by what they decided", async () => {
	const metrics = new Metrics();
	const engine = engineWith([guard("tool.calling", ({ args }) => (args["command"] === "rm" ? { kind: "block", reason: "no" } : undefined), { name: "strict" })], { trace: { sink: { record: (record) => metrics.record(record), hookSet() {} } } });
	metrics.observe(engine);
	engine.tell("message.sent", { ...facts({ platform: "small" }), text: "hello", purpose: "answer" });
	engine.tell("turn.ended", turnEnded({ turnId: "t1" }));
	engine.tell("turn.ended", turnEnded({ turnId: "t3", completed: false, interrupted: true, durationMs: 4_000_000 }));
	await engine.dispatch("tool.calling", toolCall({ command: "ls" }));
	await engine.dispatch("tool.calling", toolCall({ command: "rm" }));
	await engine.idle();
	assert.deepEqual(lines(metrics, "hookline_deliveries_total"), ['hookline_deliveries_total{platform="small",outcome="sent"} 1']);
	assert.deepEqual(lines(metrics, "hookline_turns_total"), ['hookline_turns_total{outcome="completed"} 1', 'hookline_turns_total{outcome="interrupted"} 1']);
	const seconds = lines(metrics, "hookline_turn_seconds");
	assert.deepEqual(seconds.slice(0, 4), ['hookline_turn_seconds_bucket{le="0.1"} 0', 'hookline_turn_seconds_bucket{le="0.5"} 0', 'hookline_turn_seconds_bucket{le="1"} 1', 'hookline_turn_seconds_bucket{le="2.5"} 1']);
	assert.deepEqual(seconds.slice(-4), ['hookline_turn_seconds_bucket{le="1800"} 1', 'hookline_turn_seconds_bucket{le="+Inf"} 2', "hookline_turn_seconds_sum 4000.7", "hookline_turn_seconds_count 2"]);
	assert.deepEqual(lines(metrics, "hookline_hook_decisions_total"), ['hookline_hook_decisions_total{hook="test/strict",decision="pass"} 1', 'hookline_hook_decisions_total{hook="test/strict",decision="block"} 1']);
	assert.deepEqual(lines(metrics, "hookline_blocked_total"), ['hookline_blocked_total{event="tool.calling"} 1']);
});

test("what waits comes from the engine, and the process is told under the usual names", () => {
	const text = new Metrics().text({ waiting: 3, running: 1, outgoing: 2, deadLetters: 4 }, []);
	for (const line of ["hookline_messages_waiting 3", "hookline_deliveries_waiting 2", "hookline_dead_letters 4", "hookline_turns_running 1", "hookline_approvals_open 0"]) assert.ok(text.includes(`\n${line}\n`), line);
	assert.match(text, /^process_cpu_seconds_total \d+(?:\.\d+)?$/m);
	assert.match(text, /^process_resident_memory_bytes \d+$/m);
	assert.match(text, /^process_start_time_seconds 1\d{9}/m);
	assert.ok(text.endsWith("\n"));
});

test("any text can be a label, and its lines stay lines", () => {
	const text = metricText([{ name: "m", kind: "gauge", help: "a\nb\\c", samples: [{ labels: { l: 'q " b \\ n \n' }, value: 1 }] }]);
	assert.equal(text, '# HELP m a\\nb\\\\c\n# TYPE m gauge\nm{l="q \\" b \\\\ n \\n"} 1\n');
});

test("more labels than there is room for are counted together", () => {
	const counts = new Counts(["hook", "decision"], 2);
	for (let i = 0; i < 10; i++) counts.add(`h${i}`, "pass");
	counts.add("h0", "pass");
	assert.deepEqual(counts.samples().map(({ labels, value }) => [labels?.["hook"], value]), [["h0", 2], ["h1", 1], ["other", 8]]);
});
