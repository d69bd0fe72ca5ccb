// Writes dist/, the JavaScript and types that are published. `npm pack` calls it; development needs no build.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");

// A file deleted from src must not live on in the package.
rmSync(dist, { recursive: true, force: true });
const tsc = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], { cwd: root, stdio: ["ignore", 2, 2] });
if (tsc.status === 0) {
	// What is no TypeScript (a Python host, a web page) goes along as it is.
	cpSync(join(root, "src"), dist, { recursive: true, filter: (path) => !path.endsWith(".ts") && !path.endsWith("__pycache__") });
}
process.exitCode = tsc.status ?? 1;
