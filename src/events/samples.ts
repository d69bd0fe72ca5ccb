// One plausible payload for every event: what `hookline hooks test` fires when none is given, and what tests of dialects start from.
import type { EventName, Payloads } from "./payloads/all.ts";
import type { Facts } from "./payloads/facts.ts";
import type { Message } from "./payloads/model.ts";

const message: readonly Message[] = [
	{ role: "system", text: "You are Hookline." },
	{ role: "user", text: "List the files here." },
];

/** A sample of an event's payload at the place given. Fresh for each call. */
export function samplePayload<Name extends EventName>(event: Name, place: { readonly cwd: string; readonly at: number; readonly eventId: string }): Payloads[Name] {
	const session = { ...place, surface: "test", profile: "default", sessionId: "20260101-120000-test" } as const satisfies Facts;
	const turn = { ...session, turnId: "t_sample", step: 1 };
	const chat = { ...session, platform: "telegram", userId: "1000", chatId: "2000", chatType: "dm" };
	const call = { ...turn, toolName: "terminal", callId: "call_sample", args: { command: "ls -la" } };
	const result = { text: "total 0", isError: false, details: { exitCode: 0 } };
	const model = "rehearsal";
	const approval = { ...turn, approvalId: "a_sample", event: "tool.calling", toolName: "terminal", args: { command: "ls -la" }, reasons: [{ hook: "sample#1", reason: "A sample question." }], digest: "0".repeat(64), command: "ls -la", description: "A sample question.", patternKey: "sample#1", patternKeys: ["sample#1"], sessionKey: session.sessionId };
	const child = { ...turn, goal: "Count the files.", childSessionId: "20260101-120001-test", depth: 1 };
	const samples: Payloads = {
		"message.receiving": { ...chat, text: "Hello", messageId: "1" },
		"message.sending": { ...turn, text: "Here they are.", purpose: "answer" },
		"command.running": { ...session, name: "help", args: "" },
		"input.receiving": { ...session, text: "List the files here.", origin: "typed" },
		"session.switching": { ...session, to: "new" },
		"session.compacting": { ...session, messages: message, instructions: "Summarise the conversation.", why: "asked" },
		"turn.starting": { ...turn, text: "List the files here.", systemPrompt: "You are Hookline.", model, first: true },
		"model.calling": { ...turn, model, messages: message, toolNames: ["terminal", "read_file"] },
		"model.requesting": { ...turn, model, url: "http://127.0.0.1:8080/v1/chat/completions", body: { model: "sample", stream: true }, headers: { "content-type": "application/json" } },
		"tool.calling": call,
		"terminal.returning": { ...turn, callId: "call_sample", command: "ls -la", output: "total 0\n", exitCode: 0 },
		"tool.returning": { ...call, result, durationMs: 12 },
		"tool.persisting": { ...call, result },
		"turn.answering": { ...turn, text: "Here they are." },
		"turn.ending": { ...turn, text: "Here they are.", continuations: 0, toolNames: ["terminal"] },
		"shell.running": { ...session, command: "ls" },
		"subagent.starting": child,
		"gateway.started": { ...place, surface: "gateway", profile: "default", platforms: ["http"] },
		"gateway.stopped": { ...place, surface: "gateway", profile: "default", reason: "asked" },
		"message.received": { ...chat, text: "Hello", messageId: "1" },
		"message.sent": { ...turn, text: "Here they are.", purpose: "answer" },
		"reaction.added": { ...chat, reaction: "thumbsup", messageId: "1" },
		"reaction.removed": { ...chat, reaction: "thumbsup", messageId: "1" },
		"command.ran": { ...session, name: "help", args: "", status: "ok", durationMs: 1 },
		"session.started": { ...session, model, resumed: false },
		"session.ended": { ...session, reason: "quit", turns: 1 },
		"session.reset": { ...session, previousSessionId: "20260101-110000-test", reason: "new" },
		"session.switched": { ...session, to: "new", previousSessionId: "20260101-110000-test" },
		"session.compacted": { ...session, summary: "Files were listed.", before: 40, after: 4 },
		"turn.started": { ...turn, text: "List the files here.", model },
		"turn.ended": { ...turn, input: "List the files here.", text: "Here they are.", completed: true, interrupted: false, steps: 2, toolCalls: 1, usage: { inputTokens: 100, outputTokens: 20 }, durationMs: 900 },
		"step.started": { ...turn, messages: 2 },
		"step.ended": { ...turn, toolNames: ["terminal"], durationMs: 450 },
		"model.streamed": { ...turn, model, delta: "Here ", channel: "text" },
		"model.called": { ...turn, model, text: "Here they are.", toolCalls: [], finish: "stop", usage: { inputTokens: 100, outputTokens: 20 }, durationMs: 400, attempts: 1 },
		"model.failed": { ...turn, model, message: "The server is overloaded.", status: 503, attempt: 1, willRetry: true, retryInMs: 1000 },
		"model.selected": { ...session, model, previous: "openai-compatible:sample" },
		"tool.called": { ...call, status: "ok", result, durationMs: 12 },
		"approval.requested": approval,
		"approval.resolved": { ...approval, approved: true, choice: "once", by: "person", waitedMs: 2000 },
		"subagent.started": child,
		"subagent.stopped": { ...child, status: "completed", summary: "There are 12 files.", durationMs: 3000 },
		"extension.loaded": { ...place, surface: "terminal", profile: "default", extension: "sample", file: "/extensions/sample.ts", hooks: 1, durationMs: 3 },
		"extension.failed": { ...place, surface: "terminal", profile: "default", extension: "sample", file: "/extensions/sample.ts", line: 3, message: "Unexpected token", during: "load" },
		"extension.refused": { ...place, surface: "terminal", profile: "default", extension: "sample", permission: "paths.read", wanted: "/projects/a/secret", message: "It may not read /projects/a/secret." },
		"hook.failed": { ...turn, hook: "sample#1", extension: "sample", event: "tool.calling", failure: "threw", message: "a sample failure", effect: "blocked", suspended: false },
		"config.changed": { ...place, surface: "terminal", profile: "default", file: "/config.yaml", changed: ["model.name"], config: {} },
	};
	return samples[event];
}
