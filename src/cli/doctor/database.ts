// The database, and who uses its sessions.
import { statSync } from "node:fs";
import { migrations } from "../../stores/migrations/all.ts";
import { openDatabase, type Database } from "../../stores/sqlite/database.ts";
import { isLive, type LeaseRow } from "../../stores/sqlite/leases.ts";
import { StoreError } from "../../stores/store.ts";
import type { Home } from "../../system/home.ts";
import type { Check } from "./check.ts";

const name = "database";
const inMemory = "Until then sessions, trace and extension state are kept in memory only and are lost when Hookline ends.";

export function checkDatabase({ path, database: file }: Home): readonly Check[] {
	const home = statSync(path, { throwIfNoEntry: false });
	if (home === undefined) return [{ name, state: "ok", message: `There is no ${file} yet; it is made with the home.` }];
	try {
		using database = openDatabase(file);
		return [wholeness(database), leases(database)];
	} catch (error) {
		if (!(error instanceof StoreError)) throw error;
		return [{ name, state: "problem", message: error.message, advice: inMemory }];
	}
}

function wholeness(database: Database): Check {
	const found = database.all<{ quick_check: string }>("PRAGMA quick_check(5)").map((row) => row.quick_check);
	if (found.length === 1 && found[0] === "ok") return { name, state: "ok", message: `${database.path} is whole: ${sizeOf(database.path)} kB, version ${migrations.length}.` };
	const advice = "Move it away, with its -wal and -shm files, and a new one is made at the next start; 'hookline sessions export' may still save some sessions before.";
	return { name, state: "problem", message: `${database.path} is damaged: ${found.join("; ")}.`, advice };
}

function leases(database: Database): Check {
	const rows = database.all<LeaseRow>("SELECT pid, host, token, since, heartbeat_at FROM leases");
	const live = rows.filter(isLive).length;
	const left = rows.length - live;
	const message = `${live} in use${left === 0 ? "" : `; ${left} left by processes that are gone, free for whoever takes them up`}.`;
	return { name: "sessions", state: "ok", message };
}

/** In kB, what is not yet merged into the file included. */
function sizeOf(path: string): number {
	const bytes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
	return Math.ceil(bytes.reduce((sum, size) => sum + size, 0) / 1000);
}
