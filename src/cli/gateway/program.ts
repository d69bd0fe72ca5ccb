// How this very program is started once more, elsewhere.
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import type { Home } from "../../system/home.ts";

/** Absolute paths and their arguments: Node, its options, the program, then these. */
export const programWith = (...args: readonly string[]): readonly [string, ...string[]] => [process.execPath, ...process.execArgv, process.argv[1] ?? "", ...args];

/** What it needs of our environment to have the same home and start as fast. */
export function programEnvironment({ path, hermes }: Home): Readonly<Record<string, string>> {
	const cache = getCompileCacheDir();
	return { HOOKLINE_HOME: hermes ?? path, ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }) };
}
