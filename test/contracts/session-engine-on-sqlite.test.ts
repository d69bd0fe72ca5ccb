// The embedded session engine where it is a database: full disks, processes taken for dead, many messages.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { staleAfterMs } from "../../src/stores/leases.ts";
import { type Turn, TurnLostError } from "../../src/stores/session-engine.ts";
import { type Database, openDatabase } from "../../src/stores/sqlite/database.ts";
import { openSqliteSessionEngine, SqliteSessionEngine } from "../../src/stores/sqlite/session-engine.ts";
import { Commits } from "../../src/stores/sqlite/session-engine/commits.ts";
import { forgetHandled, rememberMs } from "../../src/stores/sqlite/session-engine/rows.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { message, options, outgoing } from "./session-engine.ts";
import { newSession, storeError } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-session-engine-"));
after(() => rmSync(folder, { recursive: true }));

let made = 0;
const newPath = () => join(folder, `${++made}.db`);
const pragma = (database: Database, name: string) => Object.values(database.get<Record<string, number>>(`PRAGMA ${name}`) ?? {})[0];
const answer = async (turn: Turn) => turn.emit("answer", turn.message.id);

describe("the session engine's file", () => {
	it("each commit waits for the disk, which the agent's own connection to the same file does not", async () => {
		const path = newPath();
		const database = openDatabase(path);
		await using engine = new SqliteSessionEngine(database, {});
		using store = openSqliteStore(path, { onProblem: assert.fail });
		store.sessions.create(newSession("s1"));
		await engine.append("s1", message(1));
		assert.equal(pragma(database, "synchronous"), 2);
		assert.equal(store.sessions.get("s1")?.messages, 0);
	});

	it("a full disk refuses appends, and a step that could not be noted down does not run", async () => {
		const database = openDatabase(newPath());
		await using engine = new SqliteSessionEngine(database, {});
		await engine.append("s", message(1));
		const limit = Number(pragma(database, "page_count"));
		database.exec(`PRAGMA max_page_count = ${limit}`);
		// Until the last page is full.
		let told: unknown;
		for (let i = 2; told === undefined; i++) await engine.append("s", message(i, "x".repeat(500))).catch((error: unknown) => (told = error));
		storeError("full", /^The disk is full: .+ cannot grow\. Free some space, then go on\.$/)(told);
		const waiting = (await engine.read("s"))!.waiting;

		const problems: string[] = [];
		const steps: unknown[] = [];
		let [begun, runs] = [0, 0];
		await engine.serve(async (turn) => {
			// Until the journal needs another page, if this is the first turn.
			while (steps.length === 0) await turn.step(`${++begun} ${"x".repeat(500)}`, { effect: "once", timeoutMs: 1000 }, () => void runs++).catch((error: unknown) => steps.push(error));
			turn.emit("answer", "x".repeat(20_000));
		}, { ...options, concurrency: 1, onProblem: (text) => problems.push(text) });
		await eventually(() => problems.length > 0, "it is told that the turn cannot be committed");
		assert.equal(runs, begun - 1);
		storeError("full", /^The disk is full/)(steps[0]);
		assert.match(problems[0]!, /^Messages wait because the store does not answer: The disk is full/);
		database.exec("PRAGMA max_page_count = 100000");
		assert.equal((await outgoing(engine, waiting)).length, waiting);
		assert.equal(begun, runs + 1);
		assert.equal(problems.length, 1);
	});

	it("a write that fails disturbs none of those that shared its commit, and leaves nothing itself", async () => {
		const database = openDatabase(newPath());
		const commits = new Commits(database);
		const insert = (key: string) => database.run("INSERT INTO session_values (session, key, json) VALUES ('s', ?, '1')", key);
		const results = await Promise.allSettled([
			commits.write(() => insert("a").changes),
			commits.write(() => {
				insert("b");
				throw new Error("no");
			}),
			commits.write(() => insert("c").changes),
		]);
		assert.deepEqual(results.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
		assert.deepEqual(database.all<{ key: string }>("SELECT key FROM session_values").map(({ key }) => key), ["a", "c"]);
		database.close();
	});

	it("what is appended to the engine that serves never waits for the next look at the file", { timeout: 60_000 }, async (test) => {
		test.mock.timers.enable({ apis: ["setInterval"] });
		await using engine = openSqliteSessionEngine(newPath());
		await engine.serve(answer, { ...options, concurrency: 1 });
		await engine.append("s", message(0));
		let answers = 0;
		for await (const { number } of engine.outbox(0, new AbortController().signal)) {
			if (++answers === 60) break;
			// At each of the moments between the end of a turn and the next look for work.
			for (let hops = answers % 20; hops > 0; hops--) await undefined;
			await engine.append("s", message(number));
		}
	});

	it("ids of handled messages are forgotten after 14 days, those that wait or were given up never", async () => {
		const database = openDatabase(newPath());
		await using engine = new SqliteSessionEngine(database, {});
		for (const id of ["old", "new", "dead"]) await engine.append("s", message(id));
		const serving = await engine.serve(async (turn) => {
			if (turn.message.id === "mdead") throw new Error("no");
			await answer(turn);
		}, { ...options, attempts: 1, onProblem: () => {} });
		await eventually(async () => (await engine.read("s"))?.waiting === 0, "all were settled");
		await serving.stop();
		await engine.append("s", message("waits"));
		database.run("UPDATE inbox SET at = 0, settled_at = ? WHERE id <> 'mnew'", Date.now() - rememberMs - 1);
		forgetHandled(database);
		assert.deepEqual(database.all<{ id: string }>("SELECT id FROM inbox ORDER BY n").map(({ id }) => id), ["mnew", "mdead", "mwaits"]);
		assert.equal(await engine.append("s", message("old")), "accepted");
	});
});

describe("a process that is taken for dead", () => {
	it("its session goes on elsewhere, what it still does counts for nothing, and it serves again under a new name", { timeout: 60_000 }, async () => {
		const path = newPath();
		await using frozen = openSqliteSessionEngine(path);
		await using other = openSqliteSessionEngine(path);
		const [inside, leave] = [Promise.withResolvers<Turn>(), Promise.withResolvers<void>()];
		let isFirst = true;
		await frozen.serve(async (turn) => {
			if (!isFirst) {
				using database = new DatabaseSync(path);
				return turn.emit("answer", database.prepare("SELECT count(*) AS n FROM served_sessions JOIN leases ON session_id = owner").get()?.["n"]);
			}
			isFirst = false;
			turn.emit("answer", "from the past");
			inside.resolve(turn);
			await leave.promise;
		}, options);
		await frozen.append("s", message(1));
		const old = await inside.promise;
		{
			using database = new DatabaseSync(path);
			database.exec(`UPDATE leases SET host = 'elsewhere', heartbeat_at = ${Date.now() - staleAfterMs - 1}`);
		}
		const serving = await other.serve(async (turn) => turn.emit("answer", [turn.message.id, turn.attempt, turn.fence]), options);
		assert.deepEqual((await outgoing(other, 1)).map(({ body }) => body), [["m1", 2, old.fence + 1]]);
		await assert.rejects(old.step("a", { effect: "once", timeoutMs: 1000 }, () => assert.fail("it must not run")), TurnLostError);
		leave.resolve();
		await serving.stop();
		await frozen.append("s", message(2));
		assert.equal((await outgoing(frozen, 2))[1]?.body, 1, "the owner of the session has a lease");
		assert.ok(old.signal.reason instanceof TurnLostError);
	});
});

describe("100,000 waiting messages", () => {
	it("take the disk's room and not the process's, and neither append nor turn is slower for them", { timeout: 120_000 }, async () => {
		setFlagsFromString("--expose-gc");
		const collect = runInNewContext("gc") as () => void;
		const heap = () => {
			collect();
			return process.memoryUsage().heapUsed;
		};
		const before = heap();
		await using full = openSqliteSessionEngine(newPath(), { maxWaiting: 100_000 });
		await using empty = openSqliteSessionEngine(newPath());
		const body = "x".repeat(400);
		for (let i = 0; i < 100_000; i += 1000) await Promise.all(Array.from({ length: 1000 }, (_, k) => full.append(k % 2 === 0 ? "one" : `s${k}`, message(i + k, body))));
		assert.equal((await full.read("one"))?.waiting, 50_000);
		let open = 0;
		const time = async (engine: typeof full) => {
			const began = performance.now();
			await Promise.all(Array.from({ length: 200 }, (_, k) => engine.append(`new ${k % 10}`, message(`${++made}`, body))));
			const serving = await engine.serve(async (turn) => {
				open = Math.max(open, heapLater());
				await answer(turn);
			}, options);
			await outgoing(engine, 200);
			await serving.stop();
			return performance.now() - began;
		};
		const heapLater = () => process.memoryUsage().heapUsed - before;
		const first = heap() - before;
		const [slow, quick] = [await time(full), await time(empty)];
		assert.ok(first < 15e6 && heap() - before < 15e6 && open < 60e6, `the heap grew by ${first}, while serving by ${open}`);
		assert.ok(slow < 10 * quick, `${slow} ms among 100,000, ${quick} ms alone`);
	});
});
