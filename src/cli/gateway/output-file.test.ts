// A process whose output goes into the file, as that of `gateway start` does.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { homeOf } from "../../system/home.ts";
import { eventually } from "../../system/test-waiting.ts";
import { openOutput, outputFile } from "./output-file.ts";

test("what a process writes into the file goes on, and the file stays small", async () => {
	const folder = mkdtempSync(join(tmpdir(), "hookline-output-"));
	const home = homeOf({ HOOKLINE_HOME: folder });
	const module = JSON.stringify(new URL("output-file.ts", import.meta.url).href);
	const program = `
		const { keepOutputSmall } = await import(${module});
		keepOutputSmall({ path: ${JSON.stringify(folder)} }, { bytes: 1000, everyMs: 10 });
		console.log("x".repeat(2000));
		process.stdin.on("data", () => console.log("later")).on("end", () => process.exit());
	`;
	using output = openOutput(home);
	const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program], { stdio: ["pipe", output.fd, "inherit"] });
	assert.equal(statSync(outputFile(home)).mode & 0o777, 0o600);
	try {
		const file = outputFile(home);
		await eventually(() => existsSync(`${file}.1`) && statSync(file).size === 0, "the full file is put aside");
		assert.equal(readFileSync(`${file}.1`, "utf8"), `${"x".repeat(2000)}\n`);
		child.stdin!.write("go");
		await eventually(() => readFileSync(file, "utf8") === "later\n", "what comes later is at the beginning of the file");
	} finally {
		child.stdin!.end();
		await once(child, "exit");
		rmSync(folder, { recursive: true, force: true });
	}
});
