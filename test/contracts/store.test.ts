import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { openMemoryStore } from "../../src/stores/memory.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { storeContract } from "./store.ts";
import { storeSessionsContract } from "./store-sessions.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-store-"));
after(() => rmSync(folder, { recursive: true }));

let opened = 0;
storeContract("the store in a file", (options) => openSqliteStore(join(folder, `${++opened}.db`), options));
storeContract("the store in memory", openMemoryStore);
storeSessionsContract("sessions of a store in a file", (options) => openSqliteStore(join(folder, `${++opened}.db`), options));
storeSessionsContract("sessions of a store in memory", openMemoryStore);
