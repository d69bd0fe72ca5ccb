// Python as the judge of what is to be as it is in Python.
import { spawnSync } from "node:child_process";
import type { TestContext } from "node:test";

/** What a Python program prints as JSON when it gets a value as JSON; undefined, and the test is left out with its reason, where there is no Python. */
export function askPython(t: TestContext, program: string, value: unknown): unknown {
	const { status, stdout, stderr, error } = spawnSync("python3", ["-c", program], { input: JSON.stringify(value), encoding: "utf8", maxBuffer: 256 * 1024 * 1024, timeout: 120_000 });
	if (error !== undefined && "code" in error && error.code === "ENOENT") {
		t.skip(`there is no python3 to compare with: ${error.message}`);
		return undefined;
	}
	if (status !== 0) throw new Error(error?.message ?? stderr);
	return JSON.parse(stdout);
}
