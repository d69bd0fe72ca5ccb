// Opens the home's store, or one in memory: an agent that cannot remember is better than none.
import { ensureHome, type Home, HomeError } from "../system/home.ts";
import { openMemoryStore } from "./memory.ts";
import { openSqliteStore } from "./sqlite.ts";
import { type Store, StoreError, type StoreOptions } from "./store.ts";

/**
 * The store in this home. When its folder or file cannot be used (read-only, full, damaged, from a later version), `onProblem` is told why
 * and the store is one in memory; the file is left as it is.
 */
export function openStore(home: Home, options: StoreOptions): Store {
	try {
		ensureHome(home);
		return openSqliteStore(home.database, options);
	} catch (error) {
		if (!(error instanceof StoreError || error instanceof HomeError)) throw error;
		options.onProblem(`${error.message} Until then sessions, trace and extension state are kept in memory only and are lost when Hookline ends.`);
		return openMemoryStore(options);
	}
}
