// The jobs of this home.
import type { CronStore } from "../../stores/cron.ts";
import { openSqliteCronStore } from "../../stores/sqlite/cron.ts";
import { ensureHome, homeOf } from "../../system/home.ts";
import { findLive } from "../gateway/live.ts";
import { note } from "../output.ts";

/** @throws HomeError, StoreError */
export function openJobs(): CronStore {
	const home = homeOf(process.env);
	ensureHome(home);
	return openSqliteCronStore(home.database);
}

/** Jobs are the gateway's to run. */
export async function noteWithoutGateway(): Promise<void> {
	if ((await findLive(homeOf(process.env))) === undefined) note("No gateway runs for this home now, and jobs run only while one does. Start it with: hookline gateway run");
}
