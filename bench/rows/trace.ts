// What a record of the trace costs off the path: making it and writing it, the collector's work included.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createEngine } from "../../src/engine/engine.ts";
import type { DispatchRecord, TraceSink } from "../../src/events/record.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { temporaryFolder } from "../child.ts";
import { define, handlers, toolCall } from "../handlers.ts";
import { figureOf, race } from "../measure.ts";
import { atMost, compared, type Measurement, row, us } from "../row.ts";

const batch = 100;

/** Dispatches, in batches, each handed on to the end before the next begins. */
function tracing(sink: TraceSink, flush: () => void) {
	const engine = createEngine({ trace: { sink } });
	engine.register(handlers.slice(0, 3).map((handler) => define("tool.calling", "guard", handler)));
	return async (times: number) => {
		for (let i = 0; i < times; i++) {
			void engine.dispatch("tool.calling", toolCall(i));
			if (i % batch !== batch - 1) continue;
			await engine.idle();
			flush();
		}
		await engine.idle();
		flush();
	};
}

/** The same bytes into a table, a hundred rows in a transaction. */
function bareInserts(file: string, record: DispatchRecord) {
	const database = new DatabaseSync(file);
	database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE records (n INTEGER PRIMARY KEY, json TEXT)");
	const insert = database.prepare("INSERT INTO records (json) VALUES (?)");
	const json = JSON.stringify(record);
	const work = (times: number) => {
		for (let i = 0; i < times; i++) {
			if (i % batch === 0) database.exec("BEGIN");
			insert.run(json);
			if (i % batch === batch - 1 || i === times - 1) database.exec("COMMIT");
		}
	};
	return { work, close: () => database.close() };
}

export const measurements: readonly Measurement[] = [
	{
		about: "a trace record in the store",
		async measure() {
			await using folder = await temporaryFolder();
			using store = openSqliteStore(join(folder.path, "trace.db"), { onProblem: (message) => console.error(message) });
			const probe = createEngine();
			probe.register(handlers.slice(0, 3).map((handler) => define("tool.calling", "guard", handler)));
			void probe.dispatch("tool.calling", toolCall(1));
			const inserts = bareInserts(join(folder.path, "floor.db"), probe.recent()[0]!);
			const dropping = { record: () => {}, hookSet: () => {} };
			const [stored, floor, made, dispatched] = await race(
				[
					{ name: "store", work: tracing(store.trace, () => store.trace.flush()) },
					{ name: "bare insert, batches of 100", work: inserts.work },
					{ name: "sink that drops", work: tracing(dropping, () => {}) },
					{ name: "dispatch alone", work: dispatchOnly() },
				],
				{ sampleMs: 40, warmUpMs: 400, rounds: 12 },
			);
			inserts.close();
			const less = (rounds: readonly number[]) => figureOf(rounds.map((value, i) => value - dispatched!.rounds[i]!));
			const whole = less(stored!.rounds);
			const making = less(made!.rounds);
			return [
				row({
					what: "trace record of 3 hooks, made and stored in batches",
					unit: "ns",
					measured: whole,
					floor: compared(floor!),
					ratio: whole.median / floor!.median,
					budget: atMost(25 * us),
					note: `of this, making the record ${(making.median / us).toFixed(1)} µs`,
				}),
			];
		},
	},
];

/** To be taken off: without a sink no record is made before somebody reads it. */
function dispatchOnly() {
	const engine = createEngine();
	engine.register(handlers.slice(0, 3).map((handler) => define("tool.calling", "guard", handler)));
	return (times: number) => {
		for (let i = 0; i < times; i++) void engine.dispatch("tool.calling", toolCall(i));
	};
}
