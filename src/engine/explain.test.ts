// Every record here went through JSON, as one from a store has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, facts, guard, never, observe, toolCall, toolCalled, transform, wrap } from "../../test/engine.ts";
import { block, rewrite } from "../events/decision.ts";
import type { EventName } from "../events/payloads/all.ts";
import type { ToolCalling } from "../events/payloads/tool.ts";
import type { DispatchRecord } from "../events/record.ts";
import type { HookDefinition } from "../events/registration.ts";
import type { Engine } from "./engine.ts";
import { explain } from "./explain.ts";

const result = { text: "", isError: false };

/** What is said about a hook, at the last record of an event. Times are cut out. */
function said(engine: Engine, id: string, event: EventName = "tool.calling") {
	const summary = engine.hooks().find((hook) => hook.id === id)!;
	const record = JSON.parse(JSON.stringify(engine.recent().findLast((record) => record.event === event))) as DispatchRecord;
	const { ran, why } = explain(JSON.parse(JSON.stringify(summary)) as typeof summary, record);
	return [ran, why.replace(/\d+(?:\.\d+)? ms/g, "N ms")];
}

async function after(hooks: readonly HookDefinition[], call: Partial<ToolCalling> = {}, options: Parameters<Engine["dispatch"]>[2] = {}): Promise<Engine> {
	const engine = engineWith(hooks);
	const outcome = await engine.dispatch("tool.calling", toolCall({ command: "ls" }, call), options);
	if (outcome.kind === "go" && hooks.some(({ stage }) => stage === "wrap")) await engine.perform("tool.calling", outcome, async () => result).catch(() => {});
	return engine;
}

const mine = { name: "mine" };
const silent = () => undefined;

test("a hook that ran: what it answered, how long it took, and why", async () => {
	assert.deepEqual(said(await after([guard("tool.calling", silent, mine)]), "test/mine"), [true, "It ran and answered pass after N ms."]);
	assert.deepEqual(said(await after([guard("tool.calling", () => block("no"), mine)]), "test/mine"), [true, "It ran and answered block after N ms: no."]);
	const project = guard("tool.calling", () => ({ kind: "allow" }), { ...mine, trust: "project" });
	assert.deepEqual(said(await after([project]), "test/mine"), [true, "It ran and answered allow after N ms (its allow does not count: hooks of a project folder can only tighten)."]);
});

test("a hook that failed: how, and what that meant", async () => {
	const broken = () => assert.fail("no disk");
	assert.deepEqual(said(await after([guard("tool.calling", broken, mine)]), "test/mine"), [
		true,
		"It ran and failed (threw) after N ms: AssertionError: no disk. It is closed, so that counted as a no, unless the operation had run by then.",
	]);
	assert.deepEqual(said(await after([transform("tool.calling", broken, mine)]), "test/mine"), [true, "It ran and failed (threw) after N ms: AssertionError: no disk. It is open, so things went on without it."]);
	assert.deepEqual(said(await after([guard("tool.calling", never, mine)], {}, { signal: AbortSignal.abort() }), "test/mine"), [true, "It was called and was stopped together with the turn, after N ms."]);
});

test("a hook of another event, or of the twin of this one", async () => {
	const engine = await after([guard("tool.calling", silent), guard("input.receiving", silent, { name: "input" }), observe("tool.called", silent, { name: "called" }), observe("turn.ended", silent, { name: "ended" })]);
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.deepEqual(said(engine, "test/input"), [false, "It is a hook of input.receiving, and this was tool.calling."]);
	assert.deepEqual(said(engine, "test/called"), [false, "It is told tool.called, which has happened; this was tool.calling, which was only about to happen."]);
	assert.deepEqual(said(engine, "test#1", "tool.called"), [false, "It decides tool.calling, which is about to happen; this was tool.called, which had happened."]);
	assert.deepEqual(said(engine, "test/ended", "tool.called"), [false, "It is a hook of turn.ended, and this was tool.called."]);
});

test("a matcher that did not fit: which field, what it wanted, what it was", async () => {
	const of = async (more: object) => said(await after([guard("tool.calling", silent, { ...mine, ...more })]), "test/mine");
	assert.deepEqual(await of({ tool: "patch" }), [false, "Its matcher wants the tool 'patch', and this was 'terminal'."]);
	assert.deepEqual(await of({ tool: ["write_*", /^patch/i] }), [false, "Its matcher wants the tool 'write_*' or '/^patch/i', and this was 'terminal'."]);
	assert.deepEqual(await of({ tool: "terminal", platform: "telegram" }), [false, "Its matcher wants the platform 'telegram', and there was none here."]);
	assert.deepEqual(await of({ surface: "gateway" }), [false, "Its matcher wants the surface 'gateway', and this was 'test'."]);
	assert.deepEqual(await of({ session: /x.*/ }), [false, "Its matcher wants the session '/x.*/', and this was 's1'."]);
});

test("a transform that was not reached: who ended the chain", async () => {
	const last = transform("tool.calling", silent, { ...mine, priority: 999 });
	assert.deepEqual(said(await after([transform("tool.calling", () => block("no"), { name: "first" }), last]), "test/mine"), [false, "test/first answered block (no), which ended the chain before it was reached."]);
	assert.deepEqual(said(await after([transform("tool.calling", () => assert.fail("broken"), { name: "first", onError: "closed" }), last]), "test/mine"), [
		false,
		"test/first failed (threw) and is closed, which ended the chain before it was reached.",
	]);
	assert.deepEqual(said(await after([transform("tool.calling", never, { name: "first" }), last], {}, { signal: AbortSignal.abort() }), "test/mine"), [
		false,
		"The turn was stopped while test/first was at work, which ended the chain before it was reached.",
	]);
});

test("a guard that was not asked, because a transform blocked before", async () => {
	const engine = await after([transform("tool.calling", () => rewrite({ command: "rm" })), transform("tool.calling", () => block("no"), { name: "first" }), guard("tool.calling", silent, mine)]);
	assert.deepEqual(said(engine, "test/mine"), [false, "test/first answered block (no), so there was nothing left to judge: guards are asked about what would go ahead."]);
});

test("a wrapper: it runs only when the call goes ahead, and its record is that of the operation", async () => {
	const wrapper = wrap("tool.calling", (_, next) => next(), mine);
	assert.deepEqual(said(await after([wrapper]), "test/mine"), [true, "It ran, for N ms."]);
	assert.deepEqual(said(await after([guard("tool.calling", () => block("no"), { name: "g" }), wrapper]), "test/mine"), [
		false,
		"Wrappers run only when the call goes ahead, and this one did not: it was blocked by test/g: no",
	]);
	assert.deepEqual(said(await after([wrap("tool.calling", () => result, { name: "outer", priority: 1 }), wrapper]), "test/mine"), [false, "A wrapper outside of it did not call next(), so it was not reached."]);
	const engine = await after([wrapper, guard("tool.calling", silent, { name: "g" })]);
	assert.deepEqual(said(engine, "test/g"), [false, "This is the record of the operation and its wrappers. Transforms and guards had answered before; their dispatch has a record of its own."]);
	const [dispatch] = engine.recent();
	assert.deepEqual(explain(engine.hooks().find(({ id }) => id === "test/mine")!, dispatch!), { ran: false, why: "Wrappers run around the operation, which has a record of its own after this one." });
});

test("a hook on hold was not called", async () => {
	const engine = engineWith([guard("tool.calling", () => assert.fail("no disk"), { ...mine, onError: "open" })], { now: () => 0 });
	for (let i = 0; i < 4; i++) await engine.dispatch("tool.calling", toolCall());
	assert.deepEqual(said(engine, "test/mine"), [
		false,
		"It was not called: it is on hold for 60 s more after 3 failures in a row; the last: AssertionError: no disk. It is open, so things went on without it.",
	]);
});

test("an observer: told, with too many news, or of an event that is only noted when something fails", async () => {
	const engine = engineWith([observe("tool.called", silent, mine), observe("model.streamed", ({ delta }) => (delta === "b" ? assert.fail("broken") : undefined), { name: "stream" }), observe("model.streamed", silent, { name: "other" })]);
	engine.tell("tool.called", toolCalled());
	for (const delta of ["a", "b"]) engine.tell("model.streamed", { ...facts(), model: "m", delta, channel: "text" });
	await engine.idle();
	assert.deepEqual(said(engine, "test/mine", "tool.called"), [true, "It ran, for N ms."]);
	assert.deepEqual(said(engine, "test/stream", "model.streamed"), [true, "It ran and failed (threw) after N ms: AssertionError: broken."]);
	assert.deepEqual(said(engine, "test/other", "model.streamed"), [true, "It was told and did not fail: of model.streamed, which comes many times a second, only failures are noted."]);
	for (let i = 0; i < 1025; i++) engine.tell("tool.called", toolCalled());
	const dropped = engine.recent().find(({ hooks }) => hooks[0]?.decision === "dropped")!;
	assert.deepEqual(explain(engine.hooks("tool.called")[0]!, dropped), { ran: false, why: "It was not told (its queue of 1024 was full)." });
	await engine.idle();
});

test("a judging transform that was asked twice is explained twice", async () => {
	const engine = await after([transform("tool.calling", silent, { ...mine, judges: true }), transform("tool.calling", () => rewrite({ command: "rm" }))]);
	assert.deepEqual(said(engine, "test/mine"), [true, "It ran and answered pass after N ms. It ran and answered pass after N ms (asked again, on the final value)."]);
});

test("a hook that came later was not live then", async () => {
	const engine = await after([guard("tool.calling", silent)]);
	const record = engine.recent()[0]!;
	engine.register([guard("tool.calling", silent, mine)]);
	assert.deepEqual(explain(engine.hooks().find(({ id }) => id === "test/mine")!, record), {
		ran: false,
		why: "Its event and its matcher fit, and nothing ended the dispatch before it: it was not live at that moment.",
	});
});
