// For tests that start programs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Gone, or dead and only not collected by its parent. */
export function isDead(pid: number): boolean {
	try {
		process.kill(pid, 0);
	} catch {
		return true;
	}
	try {
		return /^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch {
		return false;
	}
}

/** Waits for what no event tells; fails, naming it, after 15 s. */
export async function eventually(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
	for (const limit = performance.now() + 15_000; !(await condition()); await pause(20)) if (performance.now() > limit) assert.fail(`it never happened: ${what}`);
}
