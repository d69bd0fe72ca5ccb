// The embedded session engine, as the suite and the programs it starts open it.
import { openSqliteSessionEngine, type SqliteSessionEngineOptions } from "../../src/stores/sqlite/session-engine.ts";

export const open = (place: string, options?: SqliteSessionEngineOptions) => openSqliteSessionEngine(place, options);
