import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { killGroup, ProcessStartError, startProcess, type ProcessRequest } from "./process.ts";
import { eventually, isDead } from "./test-waiting.ts";

/** Runs a shell script to its end. */
async function run(script: string, more: Partial<ProcessRequest> = {}) {
	let output = "";
	const running = await startProcess({
		file: "/bin/sh",
		args: ["-c", script],
		cwd: tmpdir(),
		env: process.env,
		onOutput: (chunk) => (output += chunk.toString()),
		...more,
	});
	const exit = await running.exited;
	return { running, exit, output };
}

test("both outputs come through one pipe, in order, and it is a real pipe", async () => {
	const { output, exit } = await run("echo 1; echo 2 >&2; echo 3 > /dev/stdout; echo 4 > /dev/stderr");
	assert.equal(output, "1\n2\n3\n4\n");
	assert.deepEqual(exit, { exitCode: 0, signal: null, leftRunning: false });
});

test("input is handed over and the outputs come apart when they are asked for so", async () => {
	let errors = "";
	const { output } = await run("cat; echo oops >&2", { input: "typed", onError: (chunk) => (errors += chunk.toString()) });
	assert.equal(output, "typed");
	assert.equal(errors, "oops\n");
});

test("a program that does not read its input is no failure", async () => {
	const { exit } = await run("exec <&-; exit 3", { input: "x".repeat(5_000_000), onError: () => {} });
	assert.equal(exit.exitCode, 3);
});

test("everything that was written before the exit arrives, also while this process is busy", async () => {
	const { exited } = await startProcess({
		file: "/bin/sh",
		args: ["-c", "printf %060000d 7"],
		cwd: tmpdir(),
		env: process.env,
		onOutput: (chunk) => (received += chunk.length),
	});
	let received = 0;
	for (const until = performance.now() + 300; performance.now() < until; );
	await exited;
	assert.equal(received, 60_000);
});

test("a program that cannot be started is an error with the system's code", async () => {
	await assert.rejects(run("", { file: "/no/such/program" }), (error) => {
		assert.ok(error instanceof ProcessStartError);
		assert.equal(error.code, "ENOENT");
		assert.equal(error.message, "'/no/such/program' could not be started: spawn /no/such/program ENOENT");
		return true;
	});
	await assert.rejects(run("a\0b"), (error) => error instanceof ProcessStartError && error.code === "ERR_INVALID_ARG_VALUE");
});

test("the exit is reported while a grandchild holds the output open, and the group can still be ended then", async () => {
	const started = performance.now();
	const { running, exit, output } = await run("sleep 1000 & echo $!");
	assert.ok(performance.now() - started < 15_000);
	assert.equal(exit.leftRunning, true);
	const grandchild = Number(output);
	assert.equal(isDead(grandchild), false);
	await running.end(5_000);
	assert.equal(isDead(grandchild), true);
});

test("a grandchild that floods the output for ever is cut off", async () => {
	let bytes = 0;
	let pid = "";
	const { exit } = await run("yes & echo $! >&2", { onOutput: (chunk) => (bytes += chunk.length), onError: (chunk) => (pid += chunk.toString()) });
	assert.equal(exit.exitCode, 0);
	await eventually(() => isDead(Number(pid)), "the flood ends");
	assert.ok(bytes > 60_000_000 && bytes < 600_000_000, `${bytes} bytes`);
});

test("a group that ignores SIGTERM is killed after the grace period", async () => {
	let output = "";
	const running = await startProcess({
		file: "/bin/sh",
		args: ["-c", "trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done) & echo $!; while :; do sleep 0.05; done"],
		cwd: tmpdir(),
		env: process.env,
		onOutput: (chunk) => (output += chunk.toString()),
	});
	await eventually(() => output.endsWith("\n"), "it begins");
	const started = performance.now();
	await running.end(300);
	assert.ok(performance.now() - started >= 299);
	assert.equal((await running.exited).signal, "SIGKILL");
	assert.equal(isDead(Number(output)), true);
});

test("a group that is gone is fine, and one that would be everybody is refused", async () => {
	const { running } = await run("exit 0");
	await running.end(1_000);
	await killGroup(running.pid, 1_000);
	for (const pid of [-1, 0, 1, 1.5, Number.NaN]) await assert.rejects(killGroup(pid, 0), /is not the id of a process group that can be ended/);
});

test("no pipe is left lying about", async () => {
	const { output } = await run("readlink /proc/self/fd/1 || echo none");
	const path = output.replace(/ \(deleted\)\n$/, "").trim();
	assert.equal(existsSync(path), false);
});
