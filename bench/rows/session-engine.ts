// Durable turns beside the least they can cost: the same bytes into a table of the same kind, with as many waits for the disk. Wall time, since waiting
// is what it consists of.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Handler, SessionEngine } from "../../src/stores/session-engine.ts";
import { openSqliteSessionEngine } from "../../src/stores/sqlite/session-engine.ts";
import { temporaryFolder } from "../child.ts";
import { race, type Timing, type Work } from "../measure.ts";
import { type Measurement, raceRow } from "../row.ts";

const body = { text: "x".repeat(200) };
const together = 100;
const options = { clock: () => performance.now(), rounds: 9, sampleMs: 80, warmUpMs: 300 };
const onProblem = (message: string) => console.error(message);

/** Rows of the same size, each commit waiting for the disk. */
function bareInserts(file: string, perCommit: number): Work {
	const database = new DatabaseSync(file);
	database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE records (n INTEGER PRIMARY KEY, session TEXT, json TEXT)");
	const insert = database.prepare("INSERT INTO records (session, json) VALUES (?, ?)");
	const json = JSON.stringify(body);
	return (times) => {
		for (let i = 0; i < times; i++) {
			if (i % perCommit === 0) database.exec("BEGIN");
			insert.run(`s${i % 50}`, json);
			if (i % perCommit === perCommit - 1 || i === times - 1) database.exec("COMMIT");
		}
	};
}

function appends(engine: SessionEngine, atOnce: number): Work {
	let n = 0;
	const append = () => engine.append(`s${n % 50}`, { id: String(n++), kind: "text", body });
	return async (times) => {
		for (let left = times; left > 0; left -= atOnce) await Promise.all(Array.from({ length: Math.min(left, atOnce) }, append));
	};
}

/** Messages to 50 sessions, and their turns until the last is committed. */
async function turns(engine: SessionEngine, handler: Handler): Promise<Work> {
	await engine.serve(handler, { concurrency: 16, onProblem });
	const append = appends(engine, together);
	return async (times) => {
		await append(times);
		for (let s = 0; s < 50; s++) while (((await engine.read(`s${s}`))?.waiting ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 1));
	};
}

const perSecond = ({ median }: Timing): string => `${Math.round(1e9 / median).toLocaleString("en")} per second`;

export const measurements: readonly Measurement[] = [
	{
		about: "durable append",
		async measure() {
			await using folder = await temporaryFolder();
			await using engine = openSqliteSessionEngine(join(folder.path, "engine.db"), { maxWaiting: 1e9 });
			const [alone, bareAlone] = await race([{ name: "append", work: appends(engine, 1) }, { name: "insert, a commit each", work: bareInserts(join(folder.path, "alone.db"), 1) }], options);
			const [many, bareMany] = await race([{ name: "append", work: appends(engine, together) }, { name: "inserts, 100 in a commit", work: bareInserts(join(folder.path, "many.db"), together) }], options);
			return [
				raceRow([alone!, bareAlone!], { what: "append a message, one after the other, wall", note: perSecond(alone!) }),
				raceRow([many!, bareMany!], { what: "append a message, 100 at once, wall", note: perSecond(many!) }),
			];
		},
	},
	{
		about: "durable turns",
		async measure() {
			await using folder = await temporaryFolder();
			await using plain = openSqliteSessionEngine(join(folder.path, "plain.db"), { maxWaiting: 1e9 });
			await using stepping = openSqliteSessionEngine(join(folder.path, "stepping.db"), { maxWaiting: 1e9 });
			const floor = () => ({ name: "inserts, 100 in a commit", work: bareInserts(join(folder.path, `floor-${Math.random()}.db`), together) });
			const one = await turns(plain, async (turn) => {
				turn.set("last", turn.message.id);
			});
			const two = await turns(stepping, async (turn) => {
				await turn.step("send", { effect: "once", timeoutMs: 60_000 }, () => "sent");
				turn.set("last", turn.message.id);
			});
			const [bare, bareFloor] = await race([{ name: "turn", work: one }, floor()], options);
			const [stepped, steppedFloor] = await race([{ name: "turn", work: two }, floor()], options);
			return [
				raceRow([bare!, bareFloor!], { what: "a message and its turn, 50 sessions, 16 at once, wall", note: perSecond(bare!) }),
				raceRow([stepped!, steppedFloor!], { what: "the same with a once step: intent and result more, wall", note: perSecond(stepped!) }),
			];
		},
	},
];
