// Whatever a program prints: never an exception, never a yes from what is no clear yes, never a refusal that is taken for silence.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { inWords, toolCall } from "../../../test/engine.ts";
import { createEngine } from "../../engine/engine.ts";
import { readAnswer as readForEngine } from "../../engine/answer.ts";
import { toHooks } from "../../engine/plan.ts";
import { type AnyInterceptSpec, eventNames, specOf } from "../../events/catalog.ts";
import type { Decision } from "../../events/decision.ts";
import { HookFailure } from "../../events/failure.ts";
import type { EventName } from "../../events/payloads/all.ts";
import { samplePayload } from "../../events/samples.ts";
import type { ShellEnded } from "../../hosts/shell/job.ts";
import { definitionsOf } from "./definitions.ts";
import type { ShellHook } from "./hook.ts";
import { readReply } from "./reply.ts";

const hookOf = (more: Partial<ShellHook> = {}): ShellHook => ({
	id: "shell/1", written: "pre_tool_call", event: "tool.calling", command: "check", words: ["check"], timeoutMs: 60_000, failClosed: false, env: [], async: false, sandbox: "off", mode: "strict",
	trust: "user", file: "/config.yaml", line: 1, column: 1, ...more,
});
const ended = (more: Partial<ShellEnded> = {}): ShellEnded => ({ exitCode: 0, signal: null, stdout: "", stderr: "", truncated: false, sandboxed: false, ms: 1, ...more });

const words = fc.constantFrom("allow", "deny", "block", "ask", "approve", "modify", "blok", "", "ALLOW", " Deny", "continue", "allow\u200b", "allowed", "true", "handled", "skip");
const anything = fc.oneof(words, fc.boolean(), fc.constant(null), fc.integer(), fc.constantFrom<unknown>([], {}, { command: "x" }, ["allow"], { permissionDecision: "allow" }, { behavior: "deny" }), fc.string({ maxLength: 5 }));
const keys = fc.constantFrom("decision", "action", "permission", "permissionDecision", "block", "cancel", "halt", "continue", "reason", "message", "args", "tool_input", "context", "system", "text", "result", "output", "messages", "updatedInput", "x", "__proto__", "constructor");
const pairs = fc.array(fc.tuple(keys, fc.oneof(anything, fc.tuple(keys, anything).map(([key, value]) => ({ [key]: value })))), { maxLength: 4 });
/** As text and not by JSON.stringify: keys may come twice. */
const object = fc.oneof(pairs, pairs.map((given) => [["hookSpecificOutput", Object.fromEntries(given)]] as [string, unknown][])).map((given) => `{${given.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`);
/** Nearly right, so that the way to a yes and to a change is taken as well; with a pair more that may spoil it. */
const plausible = fc
	.tuple(
		fc.constantFrom('"decision":"allow"', '"action":"allow"', '"permission":" Allow "', '"hookSpecificOutput":{"permissionDecision":"allow"}', '"action":"modify","args":{"command":"x"}', '"context":"c"', '"text":"t"', '"result":"r"', '"action":"approve"', '"action":"respond","message":"m"'),
		fc.option(fc.tuple(keys, anything), { nil: undefined }),
		fc.boolean(),
	)
	.map(([good, more, first]) => {
		const other = more && `${JSON.stringify(more[0])}:${JSON.stringify(more[1])}`;
		return `{${(other === undefined ? [good] : first ? [good, other] : [other, good]).join(",")}}`;
	});
const noise = fc.constantFrom("", "", "", "\n", "log line\n", "{", "{broken\n", "}", "[1]\n", "\ufeff", "\u0000", "null", '"allow"', "[".repeat(200), "\ud800");
const printed = fc.tuple(noise, object, noise, fc.option(object, { nil: "" })).map((parts) => parts.join(""));
const ends = fc.record({ exitCode: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.constantFrom(1, 2, 49, 127, null)), signal: fc.constant(null), stdout: fc.oneof({ weight: 3, arbitrary: plausible }, { weight: 1, arbitrary: fc.tuple(noise, plausible, noise).map((parts) => parts.join("")) }, printed, object, fc.string({ maxLength: 20 })), stderr: fc.oneof(fc.constant(""), printed), truncated: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)), sandboxed: fc.constant(false), ms: fc.constant(1) });
const deciding = eventNames.filter((name) => specOf(name).kind === "intercept");

/** What a yes must at least look like, told without a parser: the last object says the word under one of the keys that decide, and nothing more than the word. */
function isClearYes({ exitCode, stdout }: ShellEnded): boolean {
	const lines = stdout.slice(stdout.lastIndexOf("\n{") + 1).trim();
	return exitCode !== null && /"(?:decision|action|permission|permissionDecision)":"\s*allow\s*"/i.test(lines);
}

function decide(hook: ShellHook, end: ShellEnded): readonly Decision[] | undefined {
	const payload = samplePayload(hook.event, { cwd: "/", at: 0, eventId: "e" }) as never;
	try {
		return readReply(hook, payload, end).decisions;
	} catch (thrown) {
		assert.ok(thrown instanceof HookFailure, String(thrown));
		assert.ok(!thrown.counts, "it would put the hook on hold");
		return undefined;
	}
}

test("100,000 replies: no exception but failures, nothing an event does not take, and no allow from what is no clear allow", () => {
	let [failures, yeses, noes] = [0, 0, 0];
	const liveHooks = new Map<EventName, Parameters<typeof readForEngine>[0]>();
	for (const event of deciding) liveHooks.set(event, toHooks("shell/1", definitionsOf(hookOf({ event, written: event }), async () => ended())[0]!)[0]!);
	fc.assert(
		fc.property(ends, fc.oneof(fc.constant("tool.calling"), fc.constantFrom(...deciding)), fc.boolean(), fc.boolean(), (end, event, failClosed, faithful) => {
			const written = faithful && event === "tool.calling" ? "pre_tool_call" : event;
			const decisions = decide(hookOf({ event: event as EventName, written, failClosed, mode: written === event ? "strict" : "faithful" }), end);
			if (decisions === undefined) return void failures++;
			// The engine takes each of them: a rewrite may still be refused for its value.
			if (decisions.length > 0) readForEngine(liveHooks.get(event as EventName)!, specOf(event as EventName) as AnyInterceptSpec, decisions);
			if (decisions.some(({ kind }) => kind === "block")) noes++;
			if (!decisions.some(({ kind }) => kind === "allow")) return;
			yeses++;
			assert.equal(decisions.some(({ kind }) => kind === "block" || kind === "ask"), false);
			assert.ok(isClearYes(end), JSON.stringify(end));
			assert.ok(!failClosed || end.exitCode === 0, "an allow with a bad exit code, of a closed hook");
			assert.ok(end.exitCode !== 2 && !end.truncated);
		}),
		{ numRuns: 100_000 },
	);
	assert.ok(failures > 1000 && yeses > 1000 && noes > 1000, `${failures} failures, ${yeses} yeses, ${noes} noes`);
});

test("a refusal among anything else is never silence", () => {
	const refusals = fc.constantFrom('{"decision":"deny"}', '{"action":"block","message":"no"}', '{"hookSpecificOutput":{"permissionDecision":"deny"}}', '{"permission":"deny"}', '{"cancel":true}', '{"block":true}', '{"continue":false}', '{"halt":true}', '{"decision":"block","decision":"allow"}', '{"__proto__":1,"decision":"deny"}');
	const lines = fc.array(fc.oneof(object, fc.constantFrom("log line", "{broken", "", "[]", "null")), { maxLength: 3 });
	fc.assert(
		fc.property(lines, refusals, lines, fc.constantFrom(0, 1, 2, 127, null), (before, refusal, after, exitCode) => {
			const decisions = decide(hookOf(), ended({ exitCode, stdout: [...before, refusal, ...after].join("\n") }));
			assert.deepEqual(decisions?.map(({ kind }) => kind), ["block"]);
		}),
		{ numRuns: 5000 },
	);
});

test("a closed hook lets nothing pass but silence, a clear yes, or what its event takes, with exit code 0", async () => {
	await fc.assert(
		fc.asyncProperty(ends, async (end) => {
			const engine = createEngine({ trace: false });
			engine.register(definitionsOf(hookOf({ failClosed: true }), async () => end));
			const outcome = await engine.dispatch("tool.calling", toolCall());
			if (outcome.kind === "go") assert.ok(end.exitCode === 0 && !end.truncated, inWords(outcome));
		}),
		{ numRuns: 3000 },
	);
});

test("what is made to be hard to read is read in time", () => {
	const mebibyte = 1024 * 1024;
	const made = ["{\n".repeat(mebibyte / 2), '{"a":\n'.repeat(mebibyte / 6), "{}".repeat(mebibyte / 2), " ".repeat(mebibyte), "\n".repeat(mebibyte), `{"a":"${"\\u0041".repeat(mebibyte / 7)}`, "[".repeat(mebibyte), `{"decision":"allow","x":${"[".repeat(mebibyte / 2)}`];
	// The tests would end by their limit: one of these read again from each of its lines takes hours.
	for (const stdout of made) assert.ok((decide(hookOf(), ended({ stdout })) ?? []).every(({ kind }) => kind !== "allow"));
});
