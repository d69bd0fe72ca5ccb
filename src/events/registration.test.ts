import assert from "node:assert/strict";
import { test } from "node:test";
import { eventNames, specOf } from "./catalog.ts";
import { checkRegistration, type HookDefinition, RegistrationError } from "./registration.ts";

const right: HookDefinition = {
	event: "tool.calling",
	stage: "guard",
	handler: () => undefined,
	options: {},
	source: { extension: "mine", trust: "user", dialect: "native", rank: 0 },
	host: "inline",
};
// What extensions hand in is typed by nobody, so neither is what is tried here.
const check = (more: Readonly<Record<string, unknown>>) => checkRegistration({ ...right, ...more } as unknown as HookDefinition);

function refusal(more: Readonly<Record<string, unknown>>): string {
	try {
		check(more);
	} catch (error) {
		assert.ok(error instanceof RegistrationError, String(error));
		return error.message;
	}
	return assert.fail("it was accepted");
}

const options = (given: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) => refusal({ options: given, ...more });

test("an unknown event is refused with the nearest right one", () => {
	assert.equal(refusal({ event: "tool.cal" }), "mine: guard('tool.cal'): there is no such event. Did you mean 'tool.calling'? 'hookline hooks events' lists them all.");
	assert.equal(refusal({ event: "tool.caling" }), "mine: guard('tool.caling'): there is no such event. Did you mean 'tool.calling'? 'hookline hooks events' lists them all.");
	assert.equal(refusal({ event: "pre_tool_call" }), "mine: guard('pre_tool_call'): there is no such event. 'hookline hooks events' lists them all.");
	assert.equal(refusal({ event: "__proto__" }), "mine: guard('__proto__'): there is no such event. 'hookline hooks events' lists them all.");
});

test("an event that is no text is refused, whatever it is", () => {
	for (const event of [undefined, 5, Symbol("tool.calling"), {}]) assert.match(refusal({ event }), /: the event must be a name, such as 'tool\.calling'\.$/);
});

test("an unknown stage is refused with the nearest right one", () => {
	assert.equal(refusal({ stage: "gaurd" }), "mine: gaurd('tool.calling'): there is no stage 'gaurd'; the stages are transform, guard, wrap, observe. Did you mean 'guard'?");
	assert.match(refusal({ stage: Symbol("guard") }), /there is no stage 'Symbol\(guard\)'/);
});

test("a handler that is no function is refused", () => {
	assert.equal(refusal({ handler: "run" }), "mine: guard('tool.calling'): the handler must be a function, not a string.");
	assert.equal(refusal({ handler: undefined }), "mine: guard('tool.calling'): the handler must be a function, not undefined.");
	assert.equal(refusal({ handler: [] }), "mine: guard('tool.calling'): the handler must be a function, not a list.");
});

test("a misspelt option is refused with the nearest right one", () => {
	assert.equal(options({ prority: 5 }), "mine: guard('tool.calling'): there is no option 'prority'. Did you mean 'priority'?");
	assert.equal(options({ timeout: 5 }), "mine: guard('tool.calling'): there is no option 'timeout'. Did you mean 'timeoutMs'?");
	assert.equal(options({ colour: "red" }), "mine: guard('tool.calling'): there is no option 'colour'. The options are name, tool, platform, surface, session, priority, timeoutMs, onError, redacts, repeatable.");
});

test("options that are no object are refused", () => {
	assert.equal(refusal({ options: null }), "mine: guard('tool.calling'): the options must be an object, not null.");
	assert.equal(refusal({ options: undefined }), "mine: guard('tool.calling'): the options must be an object, not undefined.");
	assert.equal(refusal({ options: ["terminal"] }), "mine: guard('tool.calling'): the options must be an object, not a list.");
});

test("an observer of what is about to happen is refused, with the event that tells it", () => {
	assert.equal(refusal({ stage: "observe" }), "mine: observe('tool.calling'): tool.calling is about to happen, and observers are told what has happened. Did you mean 'tool.called'?");
	assert.equal(
		refusal({ stage: "observe", event: "input.receiving" }),
		"mine: observe('input.receiving'): input.receiving is about to happen, and observers are told what has happened. A guard or transform that returns nothing sees it without a say.",
	);
});

test("a decision about what has happened is refused, with the event where it can be made", () => {
	assert.equal(refusal({ event: "tool.called" }), "mine: guard('tool.called'): tool.called has happened: nothing can be decided about it any more. Did you mean 'tool.calling'?");
	assert.equal(refusal({ event: "step.ended", stage: "transform" }), "mine: transform('step.ended'): step.ended has happened: nothing can be decided about it any more. Use observe.");
});

test("a stage that could decide nothing is refused", () => {
	assert.equal(refusal({ event: "turn.answering" }), "mine: guard('turn.answering'): a guard of turn.answering could decide nothing: the event takes rewrite. Register a transform.");
	assert.equal(
		refusal({ event: "session.switching", stage: "transform" }),
		"mine: transform('session.switching'): a transform of session.switching could decide nothing: the event takes block. Register a guard.",
	);
	assert.equal(refusal({ event: "input.receiving", stage: "wrap" }), "mine: wrap('input.receiving'): only model.calling and tool.calling can be wrapped.");
});

test("a wildcard stands for the events of its family that can have the stage", () => {
	assert.deepEqual(check({ event: "tool.*" }), ["tool.calling"]);
	assert.deepEqual(check({ event: "tool.*", stage: "transform" }), ["tool.calling", "tool.returning", "tool.persisting"]);
	assert.deepEqual(check({ event: "tool.*", stage: "observe" }), ["tool.called"]);
	assert.deepEqual(check({ event: "*", stage: "wrap" }), ["model.calling", "tool.calling"]);
	assert.deepEqual(
		check({ event: "*", stage: "observe" }),
		eventNames.filter((name) => specOf(name).kind === "observe"),
	);
});

test("a wildcard that stands for nothing is refused", () => {
	assert.equal(refusal({ event: "gateway.*" }), "mine: guard('gateway.*'): no event that 'gateway.*' stands for can have a guard.");
	assert.match(refusal({ event: "tolo.*" }), /^mine: guard\('tolo\.\*'\): there is no such event\./);
	assert.match(refusal({ event: ".*" }), /there is no such event/);
});

test("a tool matcher where there is no tool is refused", () => {
	assert.equal(
		options({ tool: "terminal" }, { event: "input.receiving" }),
		"mine: guard('input.receiving'): 'tool' can never match: input.receiving is not about a tool. Leave it out, or use 'tool.calling'.",
	);
	assert.deepEqual(check({ event: "approval.*", stage: "observe", options: { tool: "terminal" } }), ["approval.requested", "approval.resolved"]);
});

test("a matcher that can never match is refused", () => {
	assert.equal(options({ tool: [] }), "mine: guard('tool.calling'): 'tool' is an empty list and can never match. Leave it out to match all.");
	assert.equal(options({ tool: "" }), "mine: guard('tool.calling'): 'tool' must be a name, a list of names or a regular expression, not a string.");
	assert.equal(options({ session: ["a", 5] }), "mine: guard('tool.calling'): 'session' must be a name, a list of names or a regular expression, not 5.");
	assert.equal(options({ surface: "terminl" }), "mine: guard('tool.calling'): there is no surface 'terminl'. Did you mean 'terminal'?");
	assert.equal(
		options({ surface: ["run", "telegram"] }),
		"mine: guard('tool.calling'): there is no surface 'telegram'. The surfaces are terminal, run, dashboard, editor, gateway, cron, boot, test.",
	);
});

test("numbers out of range are refused", () => {
	for (const timeoutMs of [0, -1, 600_001, Infinity]) {
		assert.equal(options({ timeoutMs }), `mine: guard('tool.calling'): 'timeoutMs' must be 1 to 600000 milliseconds, not ${timeoutMs}.`);
	}
	assert.equal(options({ timeoutMs: "5" }), "mine: guard('tool.calling'): 'timeoutMs' must be 1 to 600000 milliseconds, not a string.");
	assert.equal(options({ priority: NaN }), "mine: guard('tool.calling'): 'priority' must be a number, not NaN.");
	assert.equal(options({ priority: "first" }), "mine: guard('tool.calling'): 'priority' must be a number, not a string.");
	assert.deepEqual(check({ options: { timeoutMs: 600_000, priority: -5 } }), ["tool.calling"]);
});

test("a failure policy that means nothing is refused", () => {
	assert.equal(options({ onError: "shut" }), "mine: guard('tool.calling'): 'onError' must be 'open' or 'closed', not a string.");
	assert.equal(
		options({ onError: "closed" }, { stage: "observe", event: "tool.called" }),
		"mine: observe('tool.called'): an observer cannot stop anything, so 'onError' means nothing here. Register a guard to stop something.",
	);
	assert.equal(options({ repeatable: true }), "mine: guard('tool.calling'): 'repeatable' is true or false, and only for a wrap.");
	assert.equal(options({ redacts: true }), "mine: guard('tool.calling'): 'redacts' is true or false, and only for a transform.");
	assert.equal(options({ repeatable: 1 }, { stage: "wrap" }), "mine: wrap('tool.calling'): 'repeatable' is true or false, and only for a wrap.");
});

test("a name that could not stand in an id is refused", () => {
	for (const name of ["", "a/b", "a b", "x".repeat(65), 5]) assert.equal(options({ name }), "mine: guard('tool.calling'): 'name' must be 1 to 64 letters, digits, '.', '_' or '-'.");
	assert.deepEqual(check({ options: { name: "no.rm-rf_1" } }), ["tool.calling"]);
});
