import assert from "node:assert/strict";
import { test } from "node:test";
import { targetsIn } from "./settings.ts";
import type { OutboundTarget } from "./target.ts";

function read(given: unknown): { readonly targets: readonly OutboundTarget[]; readonly warnings: readonly string[] } {
	const warnings: string[] = [];
	const targets = targetsIn(given, { file: "/config.yaml", toolNames: ["terminal", "patch"], placeOf: (path) => ({ line: Number(path[2] ?? 0) + 1 }), warn: (path, message) => void warnings.push(`${path.slice(2).join(".")}: ${message}`) });
	return { targets, warnings };
}

const good = { url: "https://example.org/hook", events: ["post_tool_call"], secret_env: "HOOK_SECRET" };

test("an entry as Hermes Agent has it is taken as it is", () => {
	const { targets, warnings } = read([{ ...good, name: "My alerts", matcher: "terminal", timeout: 3 }]);
	assert.deepEqual(warnings, []);
	const [{ subscriptions, ...target } = {} as OutboundTarget] = targets;
	assert.deepEqual(target, { id: "My-alerts", name: "My alerts", url: good.url, matcher: "terminal", secretEnv: "HOOK_SECRET", timeoutMs: 3000, format: "hermes", file: "/config.yaml", line: 1 });
	assert.deepEqual(subscriptions.map(({ written, event }) => [written, event]), [["post_tool_call", "tool.called"]]);
});

test("events are names of Hermes's shell hooks, of its gateway hooks and of ours; others are told with the nearest and left out", () => {
	const { targets, warnings } = read([{ ...good, events: ["tool.called", "agent:end", "command:*", "post_tol_call", "kanban_task_claimed", "sesion:start", 7] }]);
	assert.deepEqual(targets[0]!.subscriptions.map(({ event }) => event), ["tool.called", "turn.ended", "command.running"]);
	assert.equal(targets[0]!.subscriptions[2]!.nameFor({ name: "new" } as never), "command:new");
	assert.deepEqual(warnings, [
		"0.events: entry 1 of hooks.outbound: there is no event 'post_tol_call'. Did you mean 'post_tool_call'?",
		"0.events: entry 1 of hooks.outbound: 'kanban_task_claimed' is an event of Hermes Agent that Hookline does not have. Hookline has no board of tasks.",
		"0.events: entry 1 of hooks.outbound: there is no event 'sesion:start'. Did you mean 'session:start'?",
		"0.events: entry 1 of hooks.outbound: 'events' holds 7, which is no name.",
	]);
});

test("what cannot be told anything is left out, with the reason", () => {
	const cases: readonly (readonly [unknown, RegExp])[] = [
		[{ ...good, url: undefined }, /its 'url' is missing/],
		[{ ...good, url: "ftp://example.org" }, /no address that begins with https/],
		[{ ...good, events: [] }, /must be a list of at least one event/],
		[{ ...good, events: ["nothing_like_it"] }, /none of its events is there/],
		[{ ...good, matcher: "(" }, /its matcher .*left out/],
		["https://example.org", /must be a map/],
	];
	for (const [entry, expected] of cases) {
		const { targets, warnings } = read([entry]);
		assert.deepEqual(targets, []);
		assert.match(warnings.join("\n"), expected);
	}
	assert.match(read(good).warnings.join(), /must be a list, even of one/);
	assert.deepEqual(read([null]), { targets: [], warnings: [] });
});

test("what is only doubtful is put right with a warning", () => {
	const told = (more: object) => read([{ ...good, ...more }]);
	for (const [timeout, ms] of [[0, 1000], [90, 60_000], ["soon", 10_000], [true, 10_000], ["5", 5000]] as const) {
		assert.equal(told({ timeout }).targets[0]!.timeoutMs, ms);
		if (timeout !== "5") assert.match(told({ timeout }).warnings.join(), /'timeout' must be 1 to 60 seconds/);
	}
	assert.match(told({ timeot: 3 }).warnings.join(), /'timeot' is unknown and was left out\. Did you mean 'timeout'\?/);
	assert.match(told({ format: "xml" }).warnings.join(), /it is hermes now/);
	assert.match(told({ url: "http://example.org/" }).warnings.join(), /goes over the network for all to read/);
	assert.deepEqual(told({ url: "http://localhost:1/" }).warnings, []);
	assert.match(told({ secret: "written down" }).warnings.join(), /its secret stands in this file/);
	assert.match(told({ secret_env: undefined }).warnings.join(), /UNSIGNED/);
	assert.match(told({ events: ["agent:end"], matcher: "terminal" }).warnings.join(), /its matcher changes nothing/);
	assert.match(told({ matcher: "Bash" }).warnings.join(), /is 'terminal' here, so it is never told of one/);
});

test("the same receiver is told once, and others of its name get one of their own", () => {
	const { targets, warnings } = read([{ ...good, name: "a" }, { ...good, name: "b" }, { ...good, name: "a", events: ["pre_tool_call"] }, { ...good, url: `${good.url}?2` }]);
	assert.deepEqual(targets.map(({ id }) => id.replace(/-[0-9a-f]{8}$/, "-…")), ["a", "a-2", "example.org-…"]);
	assert.match(warnings.join(), /already, in line 1; it is told once/);
});
