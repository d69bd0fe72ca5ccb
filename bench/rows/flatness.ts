// Cost must stay flat as work grows: each figure beside the same thing in a small house.
import { join } from "node:path";
import { resumeSession } from "../../src/agent/session.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { eventNames, specOf } from "../../src/events/catalog.ts";
import type { EventName } from "../../src/events/payloads/all.ts";
import type { DispatchRecord } from "../../src/events/record.ts";
import { rehearsalModel } from "../../src/models/rehearsal.ts";
import type { SessionRecord } from "../../src/stores/sessions.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { history, partsFor, place, storedSession } from "../agent.ts";
import { temporaryFolder } from "../child.ts";
import { define, handlers, toolCall } from "../handlers.ts";
import { figureOf, keep, race } from "../measure.ts";
import { type Measurement, raceRow, row, timesTheFloor } from "../row.ts";

const onProblem = (message: string) => console.error(message);

/** One guard for our tool, and so many hooks for other tools and other events. */
function crowded(others: number): Engine {
	const engine = createEngine();
	const events = eventNames.filter((name) => name !== "tool.calling");
	const other = (i: number) => {
		if (i % 2 === 0) return define("tool.calling", "guard", handlers[i % 20]!, { tool: i % 4 === 0 ? `tool_${i}` : [`tool_${i}`, "other_*"] });
		const event = events[i % events.length]!;
		return define(event, specOf(event).kind === "observe" ? "observe" : stageOf(event), handlers[i % 20]!);
	};
	engine.register([...Array.from({ length: others }, (_, i) => other(i)), define("tool.calling", "guard", handlers[0]!)]);
	return engine;
}

const stageOf = (event: EventName) => {
	const spec = specOf(event);
	return spec.kind === "intercept" && spec.decisions.includes("block") ? "guard" : "transform";
};

const recordOf = (n: number): DispatchRecord => ({
	id: `e_${n}`,
	event: eventNames[n % eventNames.length]!,
	at: n,
	ms: 0.1,
	facts: { sessionId: `s${n % 20}`, toolName: "terminal" },
	payload: { args: { command: "ls -la", n } },
	outcome: "go",
	hookSet: "set",
	hooks: [0, 1, 2].map((i) => ({ hook: `extension#${(n * 3 + i) % 50}`, stage: "guard", startedAt: n, ms: 0.01, decision: "pass" })),
});

function traceWith(folder: string, count: number): Store {
	const store = openSqliteStore(join(folder, `${count}.db`), { onProblem });
	for (let n = 0; n < count; n++) {
		store.trace.record(recordOf(n));
		if (n % 5000 === 4999) store.trace.flush();
	}
	store.trace.flush();
	return store;
}

export const measurements: readonly Measurement[] = [
	{
		about: "dispatch with 1,000 hooks installed",
		async measure() {
			const work = (engine: Engine) => (times: number) => {
				for (let i = 0; i < times; i++) keep(engine.dispatch("tool.calling", toolCall(i)));
			};
			const timings = await race([
				{ name: "1,000", work: work(crowded(1000)) },
				{ name: "with 10 others", work: work(crowded(10)) },
			]);
			return [raceRow(timings, { what: "1 guard, with 1,000 hooks for other tools and events", budget: timesTheFloor(1.25) })];
		},
	},
	{
		about: "sessions of 10,000 messages",
		async measure() {
			await using folder = await temporaryFolder();
			using store = openSqliteStore(join(folder.path, "bench.db"), { onProblem });
			const long = storedSession(store, 10_000).id;
			const one = history(1);
			let short = "";
			const appended = await race(
				[
					{ name: "long", work: (times) => { for (let i = 0; i < times; i++) store.sessions.append(long, one); } },
					{
						name: "at 10",
						work(times) {
							for (let i = 0; i < times; i++) {
								// Back to a short one before it is long; a session costs as much as an append, so seldom.
								if (i % 100 === 0) short = storedSession(store, 10).id;
								store.sessions.append(short, one);
							}
						},
					},
				],
				{ rounds: 11, sampleMs: 15 },
			);
			const parts = partsFor(rehearsalModel(), store, 10);
			const resuming = (record: SessionRecord) => async (times: number) => {
				for (let i = 0; i < times; i++) await resumeSession(parts, place, record).close();
			};
			const [whole, hundred] = await race(
				[
					{ name: "10,000", work: resuming(storedSession(store, 10_000)) },
					{ name: "100", work: resuming(storedSession(store, 100)) },
				],
				{ rounds: 9, sampleMs: 30 },
			);
			const perMessage = whole!.rounds.map((value, i) => value / 10_000 / (hundred!.rounds[i]! / 100));
			return [
				raceRow(appended, { what: "append to a session of 10,000 messages", budget: timesTheFloor(1.25) }),
				row({
					what: "resume a session of 10,000 messages, for each of them",
					unit: "ns",
					measured: figureOf(whole!.rounds.map((value) => value / 10_000)),
					floor: { name: "of one of 100", median: hundred!.median / 100 },
					ratio: figureOf(perMessage).median,
					budget: timesTheFloor(1.25),
				}),
			];
		},
	},
	{
		about: "look-ups in a long trace",
		async measure({ large }) {
			await using folder = await temporaryFolder();
			const count = large ? 1_000_000 : 100_000;
			using full = traceWith(folder.path, count);
			using small = traceWith(folder.path, 1000);
			const look = (name: string, up: (store: Store, n: number) => unknown) =>
				race([
					{ name: "full", work: (times) => { for (let i = 0; i < times; i++) keep(up(full, i)); } },
					{ name: "in 1,000", work: (times) => { for (let i = 0; i < times; i++) keep(up(small, i)); } },
				]).then((timings) => raceRow(timings, { what: `trace of ${count.toLocaleString("en")}: ${name}`, budget: timesTheFloor(1.5) }));
			return [
				await look("the last 20 of a hook", (store, n) => store.trace.recent({ hook: `extension#${n % 50}` })),
				await look("the last 20 of a session", (store, n) => store.trace.recent({ sessionId: `s${n % 20}` })),
				await look("the last of an event", (store, n) => store.trace.lastOf(eventNames[n % eventNames.length]!)),
			];
		},
	},
];
