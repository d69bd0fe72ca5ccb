// The embedded store with several processes, some of which end badly.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { heartbeatMs, SessionInUseError, staleAfterMs } from "../../src/stores/leases.ts";
import { migrations } from "../../src/stores/migrations/all.ts";
import { openSqliteStore, storeOn } from "../../src/stores/sqlite.ts";
import { applicationId, openDatabase } from "../../src/stores/sqlite/database.ts";
import { dispatch, newSession, storeError, until } from "./store.ts";

const program = fileURLToPath(new URL("store-program.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "hookline-store-"));
const children: ChildProcess[] = [];
after(() => {
	for (const child of children) child.kill("SIGKILL");
	rmSync(folder, { recursive: true });
});

let made = 0;
const newPath = () => join(folder, `${++made}.db`);
const open = (path: string) => openSqliteStore(path, { onProblem: (message) => assert.fail(message) });

function start(what: string, path: string, session = "") {
	const child = spawn(process.execPath, [program, what, path, session], { stdio: ["ignore", "pipe", "inherit"] });
	children.push(child);
	const lines = createInterface(child.stdout);
	return { child, lines, ended: once(child, "close") };
}

/** Changes the lease row as the holder's machine or clock would have. */
function changeLease(path: string, assignments: string): void {
	using other = new DatabaseSync(path);
	other.exec(`UPDATE leases SET ${assignments}`);
}

describe("leases between processes", () => {
	it("a session another process runs is refused, and free at once when that process is killed", async () => {
		const path = newPath();
		using store = open(path);
		store.sessions.create(newSession("s1"));
		const { child, lines, ended } = start("hold", path, "s1");
		await once(lines, "line");

		const refusal = (error: unknown) => error instanceof SessionInUseError && error.holder.pid === child.pid && error.message.includes(`in use by process ${child.pid} on ${hostname()} since `);
		assert.throws(() => store.leases.acquire("s1"), refusal);
		assert.throws(() => store.sessions.append("s1", [{ role: "user", text: "hi" }]), refusal);
		assert.equal(store.sessions.list()[0]?.inUseBy?.pid, child.pid);
		assert.deepEqual(store.sessions.messages("s1"), []);

		child.kill("SIGKILL");
		await ended;
		assert.equal(store.sessions.list()[0]?.inUseBy, undefined);
		using lease = store.leases.acquire("s1");
		store.sessions.append("s1", [{ role: "user", text: "hi" }]);
		assert.equal(lease.lost.aborted, false);
	});

	for (const what of ["hold and return", "hold and exit"]) {
		it(`a process that ends without closing its store leaves no lease and loses no record (${what})`, async () => {
			const path = newPath();
			const { ended } = start(what, path, "s1");
			assert.deepEqual(await ended, [0, null]);
			using store = open(path);
			assert.deepEqual(store.trace.findHookSet("left"), { id: "left", hooks: [] });
			using database = new DatabaseSync(path);
			assert.equal(database.prepare("SELECT * FROM leases").get(), undefined);
		});
	}

	it("a lease from another machine is free when it gave no sign of life for 30 seconds, and not before", () => {
		const path = newPath();
		using store = open(path);
		const far = open(path);
		far.leases.acquire("s1");
		changeLease(path, `host = 'elsewhere', pid = 1, heartbeat_at = ${Date.now() - staleAfterMs / 2}`);
		assert.throws(() => store.leases.acquire("s1"), /in use by process 1 on elsewhere/);
		changeLease(path, `heartbeat_at = ${Date.now() - staleAfterMs - 1}`);
		store.leases.acquire("s1").release();
		far.close();
	});

	it("a lease whose sign of life lies in the future does not hold for ever", () => {
		const path = newPath();
		using store = open(path);
		using far = open(path);
		far.leases.acquire("s1");
		changeLease(path, `host = 'elsewhere', heartbeat_at = ${Date.now() + 10 * staleAfterMs}`);
		store.leases.acquire("s1");
	});

	it("a lease left over by an earlier process with our process id, as in a container, is free", () => {
		const path = newPath();
		using store = open(path);
		using earlier = open(path);
		earlier.leases.acquire("s1");
		changeLease(path, "token = 'of a process that is gone'");
		store.leases.acquire("s1");
	});

	it("who lost the lease to another is told by the signal and cannot write any more, even after the other has ended", () => {
		const path = newPath();
		using store = open(path);
		using other = open(path);
		store.sessions.create(newSession("s1"));
		const lease = store.leases.acquire("s1");
		changeLease(path, `heartbeat_at = ${Date.now() - staleAfterMs - 1}`);
		const taken = other.leases.acquire("s1");
		const refusal = /^SessionInUseError: Session s1 was taken over by process \d+ on .+ because this process gave no sign of life for 30 seconds\./;
		assert.throws(() => store.sessions.append("s1", [{ role: "user", text: "from before" }]), refusal);
		assert.equal(lease.lost.aborted, true);
		assert.throws(() => lease.lost.throwIfAborted(), refusal);
		other.sessions.append("s1", [{ role: "user", text: "from the other" }]);
		taken.release();
		assert.throws(() => store.sessions.append("s1", [{ role: "user", text: "from before" }]), refusal);
		assert.equal(store.sessions.messages("s1").length, 1);
		lease.release();
		using again = store.leases.acquire("s1");
		store.sessions.append(again.sessionId, [{ role: "user", text: "after reading what is there" }]);
	});

	it("a holder gives signs of life, and finds out by itself when the lease was taken", (test) => {
		const path = newPath();
		using store = open(path);
		test.mock.timers.enable({ apis: ["setInterval"] });
		const lease = store.leases.acquire("s1");
		const before = Date.now() - 20_000;
		changeLease(path, `heartbeat_at = ${before}`);
		test.mock.timers.tick(heartbeatMs);
		{
			using other = new DatabaseSync(path);
			assert.ok(Number(other.prepare("SELECT heartbeat_at AS at FROM leases").get()?.["at"]) > before);
		}
		changeLease(path, "token = 'another', pid = 1");
		test.mock.timers.tick(heartbeatMs);
		assert.ok(lease.lost.reason instanceof SessionInUseError);
	});
});

describe("processes that share the file", () => {
	it("several that make a new database at the same moment all get one", async () => {
		const path = newPath();
		const all = Array.from({ length: 5 }, () => start("open", path));
		for (const { ended } of all) assert.deepEqual(await ended, [0, null]);
		open(path).close();
	});

	it("one that waited while another made the tables does not make them again", async () => {
		const path = newPath();
		using first = new DatabaseSync(path);
		first.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
		const { lines, ended } = start("open", path);
		await once(lines, "line");
		// Time to come to the lock. One that is slower finds the tables made, which is as well.
		await new Promise((resolve) => setTimeout(resolve, 150));
		first.exec(`${migrations.join(";")}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`);
		assert.deepEqual(await ended, [0, null]);
	});

	it("one that is killed in the middle of adding messages leaves all it had added, and no half turn", { timeout: 60_000 }, async () => {
		const path = newPath();
		{
			using store = open(path);
			store.sessions.create(newSession("s1"));
		}
		const { child, lines, ended } = start("append", path, "s1");
		let acknowledged = 0;
		lines.on("line", (line) => {
			acknowledged = Number(line);
			if (acknowledged === 60) child.kill("SIGKILL");
		});
		await ended;
		using store = open(path);
		const messages = store.sessions.messages("s1");
		assert.ok(acknowledged >= 60 && messages.length >= 2 * acknowledged);
		assert.equal(messages.length % 2, 0);
		assert.equal(store.sessions.get("s1")?.messages, messages.length);
		messages.forEach((message, i) => assert.match(message.text, new RegExp(`^${i % 2 === 0 ? "question" : "answer"} ${Math.floor(i / 2) + 1}\\b`)));
		store.sessions.append("s1", [{ role: "user", text: "and on" }]);
		assert.equal(store.sessions.messages("s1").length, messages.length + 1);
	});

	it("records are written by themselves, a hundred at once and a single one after a moment", { timeout: 30_000 }, async () => {
		const path = newPath();
		using store = open(path);
		using other = open(path);
		for (let i = 0; i < 250; i++) store.trace.record(dispatch(`d${i}`));
		assert.equal(other.trace.recent().length, 0, "not in the path of the dispatch");
		await until(() => other.trace.recent({ limit: 1 })[0]?.id === "d249");
		store.trace.record(dispatch("alone"));
		await until(() => other.trace.recent({ limit: 1 })[0]?.id === "alone");
	});

	it("a record that is too old takes the rows of its hooks along", { timeout: 30_000 }, async () => {
		const path = newPath();
		using store = openSqliteStore(path, { onProblem: assert.fail, maxRecords: 50 });
		using database = new DatabaseSync(path);
		const rows = (table: string) => database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"];
		const hooks = ["a", "b"].map((hook) => ({ hook, stage: "guard", startedAt: 1, ms: 1, decision: "pass" }) as const);
		for (let i = 0; i < 400; i++) store.trace.record(dispatch(`d${i}`, { hooks }));
		store.trace.flush();
		await until(() => rows("dispatches") === 50);
		assert.equal(rows("dispatch_hooks"), 100);
	});

	it("a file another process is writing to delays neither a record nor its dispatch, and what waited is written afterwards", { timeout: 30_000 }, async () => {
		const path = newPath();
		using store = open(path);
		using other = openDatabase(path);
		other.run("BEGIN IMMEDIATE");
		for (let i = 0; i < 300; i++) store.trace.record(dispatch(`d${i}`));
		// One failed try has passed when the event loop comes round; nothing was told, since nothing is lost.
		for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
		assert.equal(store.trace.recent({ limit: 1000 }).length, 0);
		other.run("COMMIT");
		assert.equal(store.trace.recent({ limit: 1000 }).length, 300);
	});

	it("a turn is told when another process does not let it write", () => {
		const path = newPath();
		const database = openDatabase(path);
		using store = storeOn(database, { durable: true, location: path }, { onProblem: assert.fail });
		using other = openDatabase(path);
		store.sessions.create(newSession("s1"));
		other.run("BEGIN IMMEDIATE");
		const append = () => store.sessions.append("s1", [{ role: "user", text: "hi" }]);
		assert.throws(() => database.withPatience(20, append), storeError("locked", /^Another process is writing to .+ and does not finish\. Try again; /));
		other.run("ROLLBACK");
		append();
	});
});
