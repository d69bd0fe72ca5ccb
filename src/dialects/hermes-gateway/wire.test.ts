import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventName, Payloads } from "../../events/payloads/all.ts";
import { samplePayload } from "../../events/samples.ts";
import { type Subscription, subscriptionsOf } from "./events.ts";
import { calling, decisionIn } from "./wire.ts";

const place = { cwd: "/projects/one", at: 1_700_000_000_123, eventId: "e" };
const chat = { platform: "telegram", userId: "7", chatId: "8", threadId: "9", chatType: "group", sessionId: "s1" };

function called<Name extends EventName>(written: string, event: Name, more: Partial<Payloads[Name]> = {}) {
	const [subscription] = subscriptionsOf(written) as readonly Subscription[];
	return calling(subscription!)({ ...samplePayload(event, place), ...chat, ...more });
}
const context = <Name extends EventName>(written: string, event: Name, more?: Partial<Payloads[Name]>) => called(written, event, more).context;

const who = { platform: "telegram", user_id: "7" };
const where = { ...who, chat_id: "8", thread_id: "9", chat_type: "group", session_id: "s1" };

test("each event carries the keys that Hermes gives it", () => {
	assert.deepEqual(context("gateway:startup", "gateway.started", { platforms: ["slack"] }), { platforms: ["slack"] });
	for (const [written, event] of [["session:start", "session.started"], ["session:end", "session.ended"], ["session:reset", "session.reset"]] as const) {
		assert.deepEqual(context(written, event), { ...who, session_id: "s1", session_key: "s1" });
	}
	assert.deepEqual(context("session:compress", "session.compacted"), { ...who, session_id: "s1", old_session_id: "", in_place: true, compression_count: 1 });
	assert.deepEqual(context("agent:start", "turn.started"), { ...where, message: "List the files here.", model: "rehearsal" });
	assert.deepEqual(context("agent:step", "step.ended", { step: 3, toolNames: ["terminal"] }), { ...where, iteration: 3, tool_names: ["terminal"] });
	assert.deepEqual(context("agent:end", "turn.ended"), { ...where, message: "List the files here.", response: "Here they are." });
	const reaction = { ...who, reaction: "thumbsup", item_user_id: "", item_type: "message", channel_id: "8", message_ts: "1", team_id: "", event_ts: "1700000000.123000", raw_event: {} };
	assert.deepEqual(context("reaction:added", "reaction.added"), reaction);
	assert.deepEqual(context("reaction:removed", "reaction.removed"), reaction);
	assert.deepEqual(called("command:*", "command.running", { name: "model", args: "x y" }), { event_type: "command:model", context: { ...who, command: "model", raw_command: "model", args: "x y", raw_args: "x y", session_id: "s1" } });
});

test("what is not there is an empty text, and what is no platform is the command line", () => {
	const [subscription] = subscriptionsOf("agent:start") as readonly Subscription[];
	const { context } = calling(subscription!)(samplePayload("turn.started", place));
	assert.deepEqual(context, { platform: "cli", user_id: "", chat_id: "", thread_id: "", chat_type: "", session_id: "20260101-120000-test", message: "List the files here.", model: "rehearsal" });
});

test("what was said and answered is cut to 500 characters", () => {
	assert.equal((context("agent:start", "turn.started", { text: "x".repeat(600) })["message"] as string).length, 500);
	const { message, response } = context("agent:end", "turn.ended", { input: "x".repeat(600), text: "y".repeat(600) }) as { message: string; response: string };
	assert.deepEqual([message.length, response.length], [500, 500]);
});

test("a turn that failed says why as its response", () => assert.equal(context("agent:end", "turn.ended", { text: "", error: "The model is not there." })["response"], "The model is not there."));

test("compactions are counted for each session", () => {
	const [subscription] = subscriptionsOf("session:compress") as readonly Subscription[];
	const call = calling(subscription!);
	const count = (sessionId: string) => call({ ...samplePayload("session.compacted", place), sessionId }).context["compression_count"];
	assert.deepEqual([count("a"), count("a"), count("b"), count("a")], [1, 2, 1, 3]);
});

const command = { ...samplePayload("command.running", place), name: "model" };
function decision(answer: unknown) {
	const log: string[] = [];
	return [decisionIn(answer, command, (line) => log.push(line)), ...log];
}

for (const [sentence, answer, expected] of [
	["nothing decides nothing", undefined, [undefined]],
	["a text decides nothing", "deny", [undefined]],
	["a list decides nothing", ["deny"], [undefined]],
	["an empty answer decides nothing", {}, [undefined]],
	["an allow decides nothing", { decision: "Allow" }, [undefined]],
	["a deny is a no, whatever its case", { decision: " DENY ", message: "Not today." }, [{ kind: "block", reason: "Not today." }]],
	["a deny without a message says what it was", { decision: "deny" }, [{ kind: "block", reason: "Command `/model` was blocked by a hook." }]],
	["a no in another agent's spelling is a no", { action: "block", reason: "No." }, [{ kind: "block", reason: "No." }]],
	["handled answers with its message", { decision: "handled", message: "Done." }, [{ kind: "respond", text: "Done." }]],
	["handled without a message says that a hook did it", { decision: "handled" }, [{ kind: "respond", text: "/model was handled by a hook." }]],
	["a rewrite gives another command, its slash left out", { decision: "rewrite", command_name: "/help", raw_args: " me " }, [{ kind: "rewrite", value: { name: "help", args: "me" } }]],
	["a rewrite without arguments has none", { decision: "rewrite", command_name: "help" }, [{ kind: "rewrite", value: { name: "help", args: "" } }]],
	["a rewrite without a command changes nothing, and that is said", { decision: "rewrite", command_name: "/" }, [undefined, "answered 'rewrite' without a 'command_name', which changes nothing"]],
	["a decision that is none is left out, and that is said", { decision: "handle" }, [undefined, "answered with the decision 'handle', which is none; it may be allow, deny, handled or rewrite"]],
] as const) {
	test(sentence, () => assert.deepEqual(decision(answer), expected));
}
