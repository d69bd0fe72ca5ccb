// The embedded store: one SQLite file, used by as many processes as there are.
import { openDatabase, type Database } from "./sqlite/database.ts";
import { SqliteLeases } from "./sqlite/leases.ts";
import { SqliteSessions } from "./sqlite/sessions.ts";
import { SqliteStates } from "./sqlite/state.ts";
import { SqliteTraces } from "./sqlite/trace.ts";
import type { Store, StoreOptions } from "./store.ts";

/**
 * Opens the database file, makes it when there is none.
 * @throws StoreError when it cannot be used; an existing file is then unchanged.
 */
export function openSqliteStore(path: string, options: StoreOptions): Store {
	return storeOn(openDatabase(path), { durable: true, location: path }, options);
}

/** A store on an open database, which it then owns. */
export function storeOn(database: Database, where: { readonly durable: boolean; readonly location: string }, options: StoreOptions): Store {
	const leases = new SqliteLeases(database);
	const trace = new SqliteTraces(database, options);
	const close = () => {
		process.off("exit", close);
		trace.close();
		leases.releaseAll();
		database.close();
	};
	// Also when a hook calls process.exit() or something is thrown that nobody caught: the last records are the ones that explain it.
	process.on("exit", close);
	return { ...where, sessions: new SqliteSessions(database, leases), leases, trace, state: new SqliteStates(database), close, [Symbol.dispose]: close };
}
