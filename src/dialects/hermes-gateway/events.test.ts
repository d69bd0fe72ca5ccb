import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { samplePayload } from "../../events/samples.ts";
import { isMeant, type Subscription, subscriptionsOf, toldNames } from "./events.ts";

const place = { cwd: "/projects/one", at: 0, eventId: "e" };

function subscriptions(written: string): readonly Subscription[] {
	const meant = subscriptionsOf(written);
	if ("mistake" in meant) throw new Error(meant.mistake);
	return meant;
}
const mistake = (written: string) => (subscriptionsOf(written) as { readonly mistake: string }).mistake;

test("each name stands for one event of ours, under a name of its own", () => {
	assert.deepEqual(toldNames.flatMap(subscriptions).map(({ theirs, event, name }) => `${theirs} ${event} ${name}`), [
		"gateway:startup gateway.started gateway.startup",
		"session:start session.started session.start",
		"session:end session.ended session.end",
		"session:reset session.reset session.reset",
		"session:compress session.compacted session.compress",
		"agent:start turn.started agent.start",
		"agent:step step.ended agent.step",
		"agent:end turn.ended agent.end",
		"reaction:added reaction.added reaction.added",
		"reaction:removed reaction.removed reaction.removed",
	]);
});

test("the documentation has a row for each, with our event", () => {
	const text = readFileSync(new URL("../../../docs/coming-from-hermes.md", import.meta.url), "utf8");
	for (const theirs of toldNames) assert.match(text, new RegExp(`^\\| .*\`${theirs}\`.* \\| .*\`${subscriptions(theirs)[0]!.event}\``, "m"));
});

test("a wildcard stands for all of its base, and for nothing beside it", () => {
	assert.deepEqual(subscriptions("agent:*").map(({ theirs, wildcard, name }) => [theirs, wildcard, name]), [
		["agent:start", true, "any.agent.start"],
		["agent:step", true, "any.agent.step"],
		["agent:end", true, "any.agent.end"],
	]);
	assert.deepEqual(subscriptions("command:*"), [{ event: "command.running", theirs: "command", wildcard: true, name: "any.command" }]);
});

test("a command is meant by its name alone", () => {
	const [subscription] = subscriptions("command:new");
	const payload = samplePayload("command.running", place);
	assert.ok(isMeant(subscription!, { ...payload, name: "new" }));
	assert.ok(!isMeant(subscription!, { ...payload, name: "news" }));
});

test("a command whose name no hook can have is left to be numbered", () => assert.deepEqual(subscriptions("command:größe")[0], { event: "command.running", theirs: "command", wildcard: false, command: "größe" }));

for (const written of ["agent", "*", "agent:", ":start", "command:", "agent:*:x", "agent:begin", "", "toString"]) {
	test(`'${written}' stands for nothing, and is not silently registered`, () => assert.match(mistake(written), /^there is no event '.*', so nothing is ever called for it\. (?:Did you mean|The events are)/));
}

test("a near miss names the event that is meant", () => assert.match(mistake("agent:strat"), /Did you mean 'agent:start'\?$/));

test("what Hermes has and Hookline does not is said as that", () => assert.equal(mistake("message:pre_route"), "'message:pre_route' is an event of Hermes Agent that Hookline does not have; nothing is called for it."));

test("what a delegated child does is no gateway event", () => {
	for (const theirs of ["session:start", "session:compress", "agent:start", "agent:step", "agent:end"]) {
		const [subscription] = subscriptions(theirs);
		const payload = samplePayload(subscription!.event, place);
		assert.ok(isMeant(subscription!, payload), theirs);
		assert.ok(!isMeant(subscription!, { ...payload, parentSessionId: "s" }), theirs);
	}
});

test("a session starts once, not when it is taken up again; and ends where it is reset, not where the program ends", () => {
	assert.ok(!isMeant(subscriptions("session:start")[0]!, { ...samplePayload("session.started", place), resumed: true }));
	const ended = samplePayload("session.ended", place);
	for (const reason of ["quit", "switched", "finished", "failed"]) assert.ok(!isMeant(subscriptions("session:end")[0]!, { ...ended, reason }));
	assert.ok(isMeant(subscriptions("session:end")[0]!, { ...ended, reason: "reset" }));
});
