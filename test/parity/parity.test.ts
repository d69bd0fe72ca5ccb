// Delivery parity: every event fires on every path that can cause it. One table crosses them; a path or an event that is added must be entered.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { eventNames } from "../../src/events/catalog.ts";
import type { EventName } from "../../src/events/payloads/all.ts";
import { jobs, local, type Path, paths, recordedOn } from "./paths.ts";

/** On which paths an event does not fire, each with the reason. */
type Missing = Readonly<Partial<Record<Path, string>>>;

const on = (which: readonly Path[], why: string): Missing => Object.fromEntries(which.map((path) => [path, why]));
const butOn = (which: readonly Path[], why: string): Missing => on(paths.filter((path) => !which.includes(path)), why);

const nowhere: Missing = {};
const messages = { ...on(local, "it comes from no platform"), ...on(jobs, "no message began it") };
const reactions = { ...messages, ...on(["gateway", "approved"], "HTTP has no reactions") };
const child = { subagent: "nobody types to a child" };
/** What moves a conversation to another session or another model is up to who leads it. */
const led = { ...child, approved: "it was led there before", ...on(jobs, "nobody types to a job") };
const longOnes = { ...on(["argument", "piped", "json"], "each prompt has a session of its own, which stays short"), ...child, approved: "the session stays short", ...on(jobs, "each has a session of its own, which stays short") };
const atStart = { subagent: "its parent's process loaded them", approved: "the gateway had started" };

const missing: Readonly<Record<EventName, Missing>> = {
	"message.receiving": messages,
	"message.received": messages,
	"reaction.added": reactions,
	"reaction.removed": reactions,
	"gateway.started": { ...on(local, "there is no gateway"), approved: "it had started" },
	"gateway.stopped": { ...on(local, "there is no gateway"), approved: "it goes on" },
	"subagent.starting": nowhere,
	"subagent.started": nowhere,
	"subagent.stopped": nowhere,
	"session.compacting": longOnes,
	"session.compacted": longOnes,
	"shell.running": butOn(["lines", "screen"], "only what a person types at a terminal: a line that comes another way may be anybody's"),
	"config.changed": butOn(["gateway"], "nobody changes settings there; test/agent/reload.test.ts has the terminal"),
	"message.sending": { subagent: "nobody reads what a child says" },
	"message.sent": { subagent: "nobody reads what a child says" },
	"command.running": { ...child, ...on(jobs, "a job may run no command") },
	"command.ran": { ...child, ...on(["boot", "webhook"], "what they are told never begins with a command") },
	"input.receiving": child,
	"session.switching": led,
	"session.switched": led,
	"session.started": nowhere,
	"session.ended": nowhere,
	"session.reset": led,
	"turn.starting": nowhere,
	"turn.started": nowhere,
	"turn.answering": nowhere,
	"turn.ending": nowhere,
	"turn.ended": nowhere,
	"step.started": nowhere,
	"step.ended": nowhere,
	"model.calling": nowhere,
	"model.requesting": nowhere,
	"model.streamed": nowhere,
	"model.called": nowhere,
	"model.failed": nowhere,
	"model.selected": led,
	"tool.calling": nowhere,
	"terminal.returning": { mcp: "its tool is not the terminal" },
	"tool.returning": nowhere,
	"tool.persisting": nowhere,
	"tool.called": nowhere,
	"approval.requested": nowhere,
	"approval.resolved": nowhere,
	"extension.loaded": atStart,
	"extension.failed": atStart,
	"extension.refused": on(paths, "nothing is installed there; test/cli/permissions.test.ts has it"),
	"hook.failed": nowhere,
};

const expectedOn = (path: Path): readonly EventName[] => eventNames.filter((name) => missing[name][path] === undefined);

describe("every event fires", { concurrency: 2 }, () => {
	for (const path of paths) {
		test(`on the path '${path}'`, { timeout: 120_000 }, async () => {
			assert.deepEqual([...(await recordedOn(path))].toSorted(), expectedOn(path).toSorted());
		});
	}
});

test("an emission that is deleted is noticed, each of them", { timeout: 300_000 }, async () => {
	const loader = pathToFileURL(join(import.meta.dirname, "../programs/drop-emission.mjs")).href;
	const pathOf = (name: EventName) => (["chat", "telegram", "lines", "gateway"] as const).find((path) => missing[name][path] === undefined);
	const left = eventNames.flatMap((name) => ({ name, path: pathOf(name) }));
	const unnoticed: string[] = [];
	const work = async () => {
		for (let next = left.pop(); next !== undefined; next = left.pop()) {
			const { name, path } = next;
			if (path !== undefined && (await recordedOn(path, { NODE_OPTIONS: `--import ${loader}`, DROP: name })).has(name)) unnoticed.push(name);
		}
	};
	await Promise.all([work(), work()]);
	assert.deepEqual(unnoticed, []);
});
