import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type Implementation, sessionEngineContract } from "./session-engine.ts";
import { sessionEngineCrashesContract } from "./session-engine-crashes.ts";
import { open } from "./session-engine-sqlite.ts";
import { sessionEngineStepsContract } from "./session-engine-steps.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-session-engine-"));
after(() => rmSync(folder, { recursive: true }));

let made = 0;
const sqlite: Implementation = {
	name: "the session engine on SQLite",
	open,
	newPlace: () => join(folder, `${++made}.db`),
	module: new URL("session-engine-sqlite.ts", import.meta.url).href,
};
sessionEngineContract(sqlite);
sessionEngineStepsContract(sqlite);
sessionEngineCrashesContract(sqlite);
