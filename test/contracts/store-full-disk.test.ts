// Disks that are full or read-only: real small ones where this machine lets us mount them, and SQLite's own limit everywhere.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openStore } from "../../src/stores/open.ts";
import { openSqliteStore, storeOn } from "../../src/stores/sqlite.ts";
import { openDatabase } from "../../src/stores/sqlite/database.ts";
import { maxQueued } from "../../src/stores/sqlite/trace.ts";
import type { Store } from "../../src/stores/store.ts";
import { homeOf } from "../../src/system/home.ts";
import { dispatch, newSession, storeError, until } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-disk-"));
const disk = join(folder, "disk");
after(() => rmSync(folder, { recursive: true, force: true }));

const mount = (...args: readonly string[]) => spawnSync("mount", [...args, disk], { encoding: "utf8" });
const why = whyNoMount();
const skip = why === undefined ? false : `no small disk can be mounted here: ${why}`;

function whyNoMount(): string | undefined {
	if (process.platform !== "linux" || process.getuid?.() !== 0) return "that takes root on Linux";
	spawnSync("mkdir", [disk]);
	const { error, status, stderr } = mount("-t", "tmpfs", "-o", "size=1m", "tmpfs");
	if (error || status !== 0) return error?.message ?? stderr.trim();
	spawnSync("umount", [disk]);
	return undefined;
}

/** Adds messages until the store says no. */
function fill(store: Store, sessionId: string): void {
	for (;;) store.sessions.append(sessionId, [{ role: "user", text: "x".repeat(3000) }]);
}

describe("a store whose file cannot grow", () => {
	it("a turn is told that its messages were not kept, what is there stays readable, and it goes on when there is space", () => {
		const path = join(folder, "limited.db");
		const database = openDatabase(path);
		using store = storeOn(database, { durable: true, location: path }, { onProblem: assert.fail });
		store.sessions.create(newSession("s1"));
		database.exec("PRAGMA max_page_count = 60");
		assert.throws(() => fill(store, "s1"), storeError("full", /^The disk is full: \/.+limited\.db cannot grow\. Free some space, then go on\.$/));
		const kept = store.sessions.messages("s1").length;
		assert.ok(kept > 0);
		assert.equal(store.sessions.get("s1")?.messages, kept);
		database.exec("PRAGMA max_page_count = 100000");
		store.sessions.append("s1", [{ role: "user", text: "x".repeat(3000) }]);
		assert.equal(store.sessions.messages("s1").length, kept + 1);
	});

	it("the trace keeps its newest records in memory, tells once, and writes them when there is space", { timeout: 60_000 }, async () => {
		const path = join(folder, "trace.db");
		const database = openDatabase(path);
		const said: string[] = [];
		using store = storeOn(database, { durable: true, location: path }, { onProblem: (message) => said.push(message) });
		database.exec("PRAGMA max_page_count = 40");
		const total = 3 * maxQueued;
		for (let i = 0; i < total; i++) {
			store.trace.record(dispatch(`d${i}`));
			// Lets the writer run, as a real turn would.
			if (i % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
		}
		store.trace.flush();
		store.trace.flush();
		assert.deepEqual(said, [`Trace records could not be written, and some may be lost: The disk is full: ${path} cannot grow. Free some space, then go on. The agent goes on; this is told once.`]);
		database.exec("PRAGMA max_page_count = 1000000");
		const records = store.trace.recent({ limit: total });
		assert.equal(records[0]?.id, `d${total - 1}`);
		assert.ok(records.length >= maxQueued && records.length < total, String(records.length));
		assert.equal(said.length, 1);
	});
});

describe("a real disk of 1 MB", { skip }, () => {
	const home = homeOf({ HOOKLINE_HOME: disk });
	const ballast = join(disk, "ballast");
	/** Takes what space is left, to the last page. */
	const takeSpace = () => {
		const { bavail, bsize } = statfsSync(disk);
		writeFileSync(ballast, Buffer.alloc(bavail * bsize));
	};
	before(() => void assert.equal(mount("-t", "tmpfs", "-o", "size=1m", "tmpfs").status, 0));
	after(() => void spawnSync("umount", [disk]));

	it("on a disk that is already full the agent starts in memory and says so", () => {
		takeSpace();
		const said: string[] = [];
		using store = openStore(home, { onProblem: (message) => said.push(message) });
		assert.deepEqual([store.durable, said.length], [false, 1]);
		assert.match(said[0] ?? "", /^The disk is full: \/.+hookline\.db cannot grow\. Free some space, then go on\. Until then sessions, trace and extension state are kept in memory only/);
		unlinkSync(ballast);
	});

	it("a disk that fills up under a session refuses its messages, keeps the earlier ones, and takes more when there is space again", async () => {
		const said: string[] = [];
		{
			using store = openStore(home, { onProblem: (message) => said.push(message) });
			assert.equal(store.durable, true);
			store.sessions.create(newSession("s1"));
			const lease = store.leases.acquire("s1");
			store.sessions.append("s1", [{ role: "user", text: "before" }]);
			takeSpace();
			assert.throws(() => fill(store, "s1"), storeError("full", /^The disk is full: /));
			for (let i = 0; i < 500; i++) store.trace.record(dispatch(`d${i}`));
			await until(() => said.length > 0);
			assert.equal(said.length, 1);
			assert.equal(store.sessions.messages("s1")[0]?.text, "before");
			lease.release();
		}
		{
			using store = openSqliteStore(home.database, { onProblem: assert.fail });
			const kept = store.sessions.messages("s1").length;
			unlinkSync(ballast);
			store.sessions.append("s1", [{ role: "user", text: "after" }]);
			assert.deepEqual(store.sessions.messages("s1").at(-1), { role: "user", text: "after" });
			assert.equal(store.sessions.messages("s1").length, kept + 1);
		}
	});

	it("on a disk that is read-only the agent starts in memory and says so", () => {
		assert.equal(mount("-o", "remount,ro").status, 0);
		const said: string[] = [];
		using store = openStore(home, { onProblem: (message) => said.push(message) });
		assert.deepEqual([store.durable, said.length], [false, 1]);
		assert.match(said[0] ?? "", /^\/.+hookline\.db cannot be written \(.+\)\. Make it and its folder writable, or set HOOKLINE_HOME to a folder that is\. /);
	});
});
