// What happens at the start when the home or the file in it is not what it should be.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, afterEach, describe, it } from "node:test";
import { migrations } from "../../src/stores/migrations/all.ts";
import { openStore } from "../../src/stores/open.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { applicationId } from "../../src/stores/sqlite/database.ts";
import type { Store } from "../../src/stores/store.ts";
import { homeOf } from "../../src/system/home.ts";
import { newSession, storeError } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-opening-"));
after(() => rmSync(folder, { recursive: true }));

let made = 0;
const newHome = () => homeOf({ HOOKLINE_HOME: join(folder, `home${++made}`) });
const digest = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
const opened: Store[] = [];
afterEach(() => opened.splice(0).forEach((store) => store.close()));

/** Opens the home and gives the store with the sentences it said. */
function open(home: ReturnType<typeof newHome>): { readonly store: Store; readonly said: readonly string[] } {
	const said: string[] = [];
	const store = openStore(home, { onProblem: (message) => said.push(message) });
	opened.push(store);
	return { store, said };
}

/** Nothing was lost of what was there, the person was told in one sentence what will be, and the agent can work. */
function assertInMemory({ store, said }: ReturnType<typeof open>, sentence: RegExp): void {
	assert.deepEqual([store.durable, store.location, said.length], [false, "memory", 1]);
	assert.match(said[0] ?? "", sentence);
	assert.match(said[0] ?? "", /Until then sessions, trace and extension state are kept in memory only and are lost when Hookline ends\.$/);
	store.sessions.create(newSession("s1"));
	store.sessions.append("s1", [{ role: "user", text: "hi" }]);
	assert.equal(store.sessions.messages("s1").length, 1);
}

describe("opening the home's store", () => {
	it("a new home gets a file that only its user can read, and keeps what is put there", () => {
		const home = newHome();
		const { store, said } = open(home);
		store.sessions.create(newSession("s1"));
		assert.deepEqual([store.durable, store.location], [true, home.database]);
		assert.deepEqual(readdirSync(home.path).sort(), ["hookline.db", "hookline.db-shm", "hookline.db-wal"]);
		for (const name of readdirSync(home.path)) assert.equal(statSync(join(home.path, name)).mode & 0o777, 0o600, name);
		store.close();
		assert.equal(open(home).store.sessions.get("s1")?.id, "s1");
		assert.deepEqual(said, []);
	});

	it("a file that others can read is made private again", () => {
		const home = newHome();
		open(home).store.close();
		chmodSync(home.database, 0o644);
		open(home);
		assert.equal(statSync(home.database).mode & 0o777, 0o600);
	});

	it("a file that is no database is left as it is, and the sentence says where it is and what to do", () => {
		const home = newHome();
		mkdirSync(home.path);
		writeFileSync(home.database, "this is somebody's shopping list\n".repeat(100));
		const before = digest(home.database);
		assertInMemory(open(home), /^\/.+hookline\.db is damaged or is no database \(.+\)\. It was left as it is: move it away, with its -wal and -shm files, and a new one is made at the next start\. /);
		assert.equal(digest(home.database), before);
	});

	it("a database from a later version is refused and not changed", () => {
		const home = newHome();
		open(home).store.close();
		new DatabaseSync(home.database).exec("PRAGMA user_version = 999");
		const before = digest(home.database);
		assert.throws(() => openSqliteStore(home.database, { onProblem: assert.fail }), storeError("foreign", /was written by a later Hookline \(its version is 999, this one knows \d+\)\. It was left as it is: update Hookline/));
		assertInMemory(open(home), /was written by a later Hookline/);
		assert.equal(digest(home.database), before);
	});

	it("another program's database is refused and not changed", () => {
		const home = newHome();
		mkdirSync(home.path);
		new DatabaseSync(home.database).exec("CREATE TABLE bookmarks (url TEXT)");
		const before = digest(home.database);
		assertInMemory(open(home), /is a database of another program\. It was left as it is: move it away, or set HOOKLINE_HOME to another folder\. /);
		assert.equal(digest(home.database), before);
	});

	it("pages that broke later are named when they are read, and nothing crashes", () => {
		const home = newHome();
		open(home).store.close();
		// What a fresh one has, the schema among it.
		const kept = statSync(home.database).size;
		const { store } = open(home);
		store.sessions.create(newSession("s1"));
		store.sessions.append("s1", Array.from({ length: 200 }, (_, i) => ({ role: "user", text: `${i} ${"x".repeat(500)}` })));
		store.close();
		const size = statSync(home.database).size;
		const file = openSync(home.database, "r+");
		writeSync(file, Buffer.alloc(size - kept, 0x5a), 0, size - kept, kept);
		closeSync(file);
		const again = open(home);
		assert.equal(again.store.durable, true);
		assert.throws(() => again.store.sessions.messages("s1"), storeError("damaged", /hookline\.db is damaged or is no database/));
	});

	it("an empty file is a new database", () => {
		const home = newHome();
		mkdirSync(home.path);
		writeFileSync(home.database, "");
		assert.equal(open(home).store.durable, true);
	});

	it("a folder where the file should be, or a file where the home should be, is named", () => {
		const folderInstead = newHome();
		mkdirSync(folderInstead.database, { recursive: true });
		assertInMemory(open(folderInstead), /^\/.+hookline\.db cannot be opened or read \(EISDIR.+\)\. Check the path and the disk, or set HOOKLINE_HOME to another folder\. /);
		const fileInstead = newHome();
		writeFileSync(fileInstead.path, "");
		assertInMemory(open(fileInstead), /^The home folder \/.+ cannot be made or used \(EEXIST.+\)\. Make it a writable folder, or set HOOKLINE_HOME to one\. /);
	});

	it("a file of the first version is brought up to this one, with all its sessions", () => {
		const home = newHome();
		mkdirSync(home.path);
		const old = new DatabaseSync(home.database);
		old.exec(`${migrations[0]!}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1`);
		old.exec("INSERT INTO sessions (id, cwd, model, surface, started_at, updated_at, turns, messages, title) VALUES ('s1', '/work', 'rehearsal', 'run', 1, 2, 1, 2, 'a heron')");
		old.exec(`INSERT INTO session_texts VALUES ('s1', '"Be good."', '"[]"')`);
		for (const [seq, json] of [[2, '{"role":"assistant","text":"a stork"}'], [1, '{"role":"user","text":"a heron"}']] as const) {
			old.exec(`INSERT INTO messages VALUES ('s1', ${seq}, ${seq}, '', '${json}')`);
		}
		old.close();
		const { store, said } = open(home);
		assert.deepEqual(said, []);
		assert.deepEqual([...store.sessions.entries("s1")], [
			{ number: 1, at: 1, message: { role: "user", text: "a heron" } },
			{ number: 2, at: 2, message: { role: "assistant", text: "a stork" } },
		]);
		assert.deepEqual(store.sessions.search({ words: "stork" }).map(({ number }) => number), [2]);
		store.sessions.append("s1", [{ role: "user", text: "and now?" }]);
		assert.deepEqual([store.sessions.get("s1")?.messages, store.sessions.get("s1")?.title, store.sessions.get("s1")?.name], [3, "a heron", undefined]);
		store.sessions.delete("s1");
		assert.deepEqual(store.sessions.messages("s1"), []);
	});
});
