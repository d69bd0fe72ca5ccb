// The store that lasts as long as the process. The same code on a database in memory, so that it cannot behave differently.
import { inMemory, openDatabase } from "./sqlite/database.ts";
import { storeOn } from "./sqlite.ts";
import type { Store, StoreOptions } from "./store.ts";

/** How many dispatches its trace keeps when the options do not say: about 10 MB. */
const maxRecordsInMemory = 10_000;

export function openMemoryStore(options: StoreOptions): Store {
	return storeOn(openDatabase(inMemory), { durable: false, location: "memory" }, { maxRecords: maxRecordsInMemory, ...options });
}
