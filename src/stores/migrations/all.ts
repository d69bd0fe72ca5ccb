// Every change of the database's shape, in order. One that was released is never edited: databases in the field have it behind them.
import { sql as first } from "./0001-first.ts";
import { sql as sessions } from "./0002-sessions.ts";
import { sql as images } from "./0003-images.ts";
import { sql as sessionEngine } from "./0004-session-engine.ts";
import { sql as cron } from "./0005-cron.ts";
import { sql as outbound } from "./0006-outbound.ts";

/** The SQL that leads from version n to n + 1 stands at index n. */
export const migrations: readonly string[] = [first, sessions, images, sessionEngine, cron, outbound];
