// A lock that processes take one after the other before they change a file together.
import { setTimeout as pause } from "node:timers/promises";

/** How long somebody waits for those before them, in ms, unless they say otherwise. */
const longestWaitMs = 10_000;
const betweenTriesMs = 10;

/**
 * SQLite's lock on a file of its own, until it is closed: it goes with its process, however that ends.
 * @throws Error when the file cannot be made, or somebody else holds it all that time.
 */
export async function takeLock(file: string, waitMs = longestWaitMs): Promise<{ close(): void }> {
	const { DatabaseSync } = await import("node:sqlite");
	for (const limit = performance.now() + waitMs; ; await pause(betweenTriesMs)) {
		// Without waiting: SQLite would hold up the whole process, and who has the lock may be part of it.
		const lock = new DatabaseSync(file, { timeout: 0 });
		try {
			lock.exec("BEGIN EXCLUSIVE");
			return lock;
		} catch (error) {
			lock.close();
			const isBusy = ((error as { readonly errcode?: number }).errcode ?? 0) % 256 === 5;
			if (!isBusy || performance.now() > limit) throw error;
		}
	}
}
