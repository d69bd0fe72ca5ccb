// What only the spawner can get wrong: its own life.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { shellHost } from "../../src/hosts/shell/host.ts";
import type { ShellHost } from "../../src/hosts/shell/job.ts";
import { findPython } from "../../src/hosts/shell/spawner.ts";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { folderWith } from "./host.ts";
import { inWords, jobOf, openShellHost, processesWith, spawners, whyUntested } from "./shell-host.ts";

const endedByKill = "host-ended: what came of it is not known, as the process that starts programs for hooks was ended by SIGKILL.";

const untested = whyUntested("spawner");
if (untested !== undefined) console.log(untested);
else {
	describe("the spawner", () => {
		let host: ShellHost;
		beforeEach(() => (host = openShellHost("spawner")));
		afterEach(() => host[Symbol.asyncDispose]());
		const said = (script: string, more = {}) => inWords(host.run(jobOf({ args: ["-c", script], ...more })));

		test("is started by the first run, and gone when the host is closed", async () => {
			assert.deepEqual(spawners(), []);
			await said(":");
			const [pid, ...more] = spawners();
			assert.ok(pid !== undefined && more.length === 0);
			await host[Symbol.asyncDispose]();
			assert.ok(isDead(pid));
		});

		test("ends: its runs fail by name, nothing of them is left, Node starts the next one, and a new spawner those that follow", async () => {
			await using folder = await folderWith({});
			const mark = `TEST_RUN=${randomUUID()}`;
			const env = { TEST_RUN: mark.slice(9) };
			await said(":");
			const runs = [1, 2].map((n) => said(`sleep 600 & setsid sleep 600 & touch ${n}; wait`, { cwd: folder.path, env }));
			await eventually(() => readdirSync(folder.path).length === 2, "both run");
			const [pid] = spawners();
			process.kill(pid!, "SIGKILL");
			assert.deepEqual(await Promise.all(runs), [endedByKill, endedByKill]);
			assert.deepEqual(processesWith(mark), []);
			assert.equal(await said("echo on"), "exit 0: on\n");
			await eventually(async () => (await said("echo on")) === "exit 0: on\n" && host.way.kind === "spawner", "a new spawner starts programs");
			assert.notDeepEqual(spawners(), [pid]);
		});

		test("ended by the only hook that ran: that one did it", async () => {
			await said(":");
			await assert.rejects(host.run(jobOf({ args: ["-c", "kill -KILL $PPID; sleep 600"] })), { kind: "host-ended", counts: true });
		});

		test("stopped by a hook does not keep anybody waiting beyond the time-out, and is replaced", async () => {
			await said(":");
			const [pid] = spawners();
			assert.match(await said("kill -STOP $PPID; sleep 600", { timeoutMs: 300 }), /^timed-out: /);
			assert.match(await said("echo on", { timeoutMs: 300 }), /^timed-out: /);
			await eventually(() => isDead(pid!), "the one that is stopped is ended");
			await eventually(async () => (await said("echo on")) === "exit 0: on\n" && host.way.kind === "spawner", "a new spawner starts programs");
		});

		test("does not start what was stopped while it waited behind others", async () => {
			await using folder = await folderWith({});
			await said(":");
			const stop = new AbortController();
			const large = "x".repeat(30_000_000);
			const first = said("cat | wc -c", { stdin: large });
			const second = said("touch ran", { cwd: folder.path, signal: stop.signal, stdin: large });
			queueMicrotask(() => setImmediate(() => stop.abort()));
			assert.equal(await second, "interrupted: was stopped");
			assert.equal((await first).trim(), "exit 0: 30000000");
			assert.equal(await said("ls", { cwd: folder.path }), "exit 0: ");
		});

		test("goes when we are killed, with all it has started", async () => {
			await using folder = await folderWith({});
			const mark = `TEST_RUN=${randomUUID()}`;
			const agent = spawn(process.execPath, [join(dirname(import.meta.dirname), "programs/shell/waiting.ts"), folder.path, mark.slice(9)], { stdio: "inherit" });
			await eventually(() => readdirSync(folder.path).includes("here"), "the hook runs");
			assert.ok(processesWith(mark).length > 0);
			agent.kill("SIGKILL");
			await once(agent, "exit");
			await eventually(() => processesWith(mark).length === 0, "the hook and the spawner are gone");
		});

		test("keeps nobody alive who has nothing to wait for", async () => {
			const agent = spawn(process.execPath, [join(dirname(import.meta.dirname), "programs/shell/waiting.ts")], { stdio: "inherit" });
			assert.deepEqual(await once(agent, "exit"), [0, null]);
		});
	});

	const cannot: readonly (readonly [sentence: string, script: string | undefined, why: RegExp])[] = [
		["is not there", undefined, /^the spawner cannot run: spawn .*\/python3 ENOENT$/],
		["is too old", "#!/bin/sh\necho 'it needs Python 3.9 or newer, and this is 3.6.8' >&2; exit 1\n", /^the spawner cannot run: it needs Python 3\.9 or newer, and this is 3\.6\.8$/],
		["ends at once", "#!/bin/sh\nexit 4\n", /^the spawner cannot run: exited with code 4$/],
		["says something else", "#!/bin/sh\necho hello\nexec sleep 600\n", /^the spawner cannot run: wrote what is no answer$/],
	];

	for (const [sentence, script, why] of cannot) {
		test(`a Python that ${sentence} leaves the programs to Node, and is told of`, async () => {
			await using folder = await folderWith(script === undefined ? {} : { python3: script });
			const python = join(folder.path, "python3");
			if (script !== undefined) chmodSync(python, 0o755);
			await using host = shellHost({ python });
			assert.equal(await inWords(host.run(jobOf({ args: ["-c", "echo on"] }))), "exit 0: on\n");
			assert.equal(host.way.kind, "node");
			assert.match(host.way.why!, why);
		});
	}

	test("a module of that name in the working folder is not what the spawner imports", async () => {
		await using folder = await folderWith({ "json.py": "raise SystemExit('taken over')" });
		symlinkSync(findPython(process.env["PATH"] ?? "")!, join(folder.path, "python3"));
		await using host = shellHost({ python: join(folder.path, "python3") });
		assert.equal(await inWords(host.run(jobOf({ args: ["-c", "echo on"], cwd: folder.path, env: { PYTHONPATH: folder.path } }))), "exit 0: on\n");
		assert.deepEqual(host.way, { kind: "spawner" });
	});
}
