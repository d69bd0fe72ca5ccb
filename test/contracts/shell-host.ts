// What the shell host must do, whichever way it starts programs.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { HookFailure } from "../../src/events/failure.ts";
import { shellHost } from "../../src/hosts/shell/host.ts";
import type { ShellEnded, ShellHost, ShellJob } from "../../src/hosts/shell/job.ts";
import { findPython } from "../../src/hosts/shell/spawner.ts";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { folderWith } from "./host.ts";

const path = process.env["PATH"] ?? "";

export type WayKind = ShellHost["way"]["kind"];

/** Why programs cannot be started that way here, or what they do cannot be seen. Undefined when they can. */
export function whyUntested(kind: WayKind): string | undefined {
	if (process.platform !== "linux") return "The shell host is not tested: what is left of its programs is seen in /proc.";
	return kind === "spawner" && findPython(path) === undefined ? "The spawner is not tested: there is no python3." : undefined;
}

export const openShellHost = (kind: WayKind): ShellHost => shellHost(kind === "node" ? { python: null } : {});

export function jobOf(more: Partial<ShellJob>): ShellJob {
	return { file: "/bin/sh", args: [], stdin: "{}", cwd: "/", timeoutMs: 60_000, signal: new AbortController().signal, sandbox: "off", ...more, env: { PATH: path, ...more.env } };
}

/** `exit N` or a signal's name, ` cut`, and the first 100 characters of the output; or the kind of failure and its message. */
export async function inWords(run: Promise<ShellEnded>): Promise<string> {
	try {
		const { exitCode, signal, truncated, stdout } = await run;
		return `${signal ?? `exit ${exitCode}`}${truncated ? " cut" : ""}: ${stdout.slice(0, 100)}`;
	} catch (error) {
		assert.ok(error instanceof HookFailure, `a HookFailure, not ${String(error)}`);
		return `${error.kind}: ${error.message}`;
	}
}

/** The processes that have this in their environment. */
export function processesWith(entry: string): readonly number[] {
	return readdirSync("/proc").map(Number).filter((pid) => pid > 1 && pid !== process.pid && !isDead(pid) && environmentOf(pid).includes(entry));
}

function environmentOf(pid: number): readonly string[] {
	try {
		return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
	} catch {
		return [];
	}
}

/** The spawners this process has. */
export function spawners(): readonly number[] {
	const children = readdirSync("/proc/self/task").flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ")).map(Number);
	return children.filter((pid) => pid > 1 && !isDead(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("spawner.py"));
}

export function shellHostContract(kind: WayKind): void {
	describe(`the shell host, programs started by ${kind === "node" ? "Node" : "the spawner"}`, () => {
		let host: ShellHost;
		before(() => (host = openShellHost(kind)));
		after(() => host[Symbol.asyncDispose]());
		const sh = (script: string, more: Partial<ShellJob> = {}) => host.run(jobOf({ args: ["-c", script], ...more }));
		const said = (script: string, more: Partial<ShellJob> = {}) => inWords(sh(script, more));

		test("says which way it starts programs", async () => {
			await sh(":");
			assert.deepEqual(host.way, kind === "node" ? { kind, why: "there is no python3, which the spawner is written in" } : { kind });
		});

		test("gives input, arguments and folder to a program, and what came of it back", async () => {
			await using folder = await folderWith({ "a file": "" });
			const ended = await host.run(jobOf({ args: ["-c", 'cat; echo "|$1|$(pwd -P)|$(ls)"; echo oh >&2; exit 3', "sh", "ä 'b'"], stdin: '{"ü":"\u2028"}', cwd: folder.path }));
			assert.deepEqual({ ...ended, ms: 0 }, { exitCode: 3, signal: null, stdout: `{"ü":"\u2028"}|ä 'b'|${folder.path}|a file\n`, stderr: "oh\n", truncated: false, sandboxed: false, ms: 0 });
			assert.ok(ended.ms > 0);
		});

		test("gives a program the environment of its job, a mark of its own, and nothing of ours", async () => {
			const { stdout } = await host.run(jobOf({ file: "/usr/bin/env", env: { GREETING: "hello\nthere" } }));
			assert.match(stdout, /^PATH=.*\nGREETING=hello\nthere\nHOOKLINE_RUN=[0-9a-f]{8}\.\d+\n$/);
		});

		test("starts programs in a session of their own, with the signals of a new program", async () => {
			const { stdout } = await sh("cat /proc/self/stat; grep -E 'SigIgn|SigBlk' /proc/self/status");
			const [, stat, blocked, ignored] = /\) \S+ (.*)\nSigBlk:\t(\w+)\nSigIgn:\t(\w+)\n$/s.exec(stdout)!;
			const [, group, session, terminal] = stat!.split(" ");
			assert.equal(group, session);
			// Beyond the first 31 there are those that the C library keeps for itself.
			const ofOurs = (mask = "") => Number(BigInt(`0x${mask}`) & 0x7fff_ffffn);
			assert.deepEqual([terminal, ofOurs(blocked), ofOurs(ignored)], ["0", 0, 0]);
		});

		test("runs many programs at once without mixing them up", async () => {
			const ended = await Promise.all(Array.from({ length: 60 }, (_, i) => said(`read line; echo "$line $0"`, { args: ["-c", 'read line; echo "$line $0"', String(i)], stdin: `${i}\n` })));
			assert.deepEqual(ended, Array.from({ length: 60 }, (_, i) => `exit 0: ${i} ${i}\n`));
		});

		test("hands on 1 MiB of each output, whole", async () => {
			const { stdout, stderr } = await sh("head -c 1048576 /dev/zero | tr '\\0' a; head -c 1048576 /dev/zero | tr '\\0' b >&2");
			assert.ok(stdout === "a".repeat(1_048_576) && stderr === "b".repeat(1_048_576));
		});

		test("starts nothing when the user has stopped already", async () => {
			await using folder = await folderWith({});
			assert.equal(await said("touch ran", { cwd: folder.path, signal: AbortSignal.abort() }), "interrupted: was stopped");
			await sh(":");
			assert.deepEqual(readdirSync(folder.path), []);
		});

		test("ends a program and what it started when the user stops", async () => {
			await using folder = await folderWith({});
			const mark = `TEST_RUN=${randomUUID()}`;
			const stop = new AbortController();
			const run = said("sleep 600 & setsid sleep 600 & touch here; wait", { cwd: folder.path, signal: stop.signal, env: { TEST_RUN: mark.slice(9) } });
			await eventually(() => readdirSync(folder.path).includes("here"), "the program runs");
			stop.abort();
			assert.equal(await run, "interrupted: was stopped");
			assert.deepEqual(processesWith(mark), []);
		});

		test("gives a program the time to put its things away", async () => {
			await using folder = await folderWith({});
			const script = "trap 'touch tidy; exit' TERM; touch here; while :; do sleep 0.02; done";
			const stop = new AbortController();
			const run = said(script, { cwd: folder.path, signal: stop.signal });
			await eventually(() => readdirSync(folder.path).includes("here"), "the program runs");
			stop.abort();
			await run;
			assert.deepEqual(readdirSync(folder.path).sort(), ["here", "tidy"]);
		});

		test("leaves alone what a program that ended by itself has left running", async () => {
			await using folder = await folderWith({ go: "" });
			assert.equal(await said("(while [ -e go ]; do sleep 0.02; done; echo more; touch survived) & exit 0", { cwd: folder.path }), "exit 0: ");
			await sh("rm go", { cwd: folder.path });
			await eventually(() => readdirSync(folder.path).includes("survived"), "the child goes on, also when it prints");
		});

		test("waits a moment for a script that somebody is still writing", async () => {
			await using folder = await folderWith({ hook: "#!/bin/sh\necho done\n" });
			await sh("chmod +x hook", { cwd: folder.path });
			// A writer keeps a script from being started.
			const writer = sh("exec 3>>hook; touch open; sleep 0.06", { cwd: folder.path });
			await eventually(() => readdirSync(folder.path).includes("open"), "it is being written");
			assert.equal(await inWords(host.run(jobOf({ file: join(folder.path, "hook"), cwd: folder.path }))), "exit 0: done\n");
			await writer;
		});

		test("runs in a sandbox or not at all where one is required", async () => {
			await using none = shellHost({ path: "/nowhere", ...(kind === "node" && { python: null }) });
			assert.equal(await inWords(none.run(jobOf({ args: ["-c", "echo out"], sandbox: "required" }))), "cannot-start: could not be started: it has to run in a sandbox, and bubblewrap ('bwrap') is not installed.");
			const { stdout, sandboxed } = await none.run(jobOf({ args: ["-c", "echo out"], sandbox: "auto" }));
			assert.deepEqual([stdout, sandboxed], ["out\n", false]);
		});

		test("ends what runs when it is closed, and runs nothing any more", async () => {
			await using folder = await folderWith({});
			const mark = `TEST_RUN=${randomUUID()}`;
			const own = openShellHost(kind);
			const run = inWords(own.run(jobOf({ args: ["-c", "sleep 600 & touch here; wait"], cwd: folder.path, env: { TEST_RUN: mark.slice(9) } })));
			await eventually(() => readdirSync(folder.path).includes("here"), "the program runs");
			await own[Symbol.asyncDispose]();
			assert.equal(await run, "interrupted: Hookline is closing");
			assert.deepEqual(processesWith(mark), []);
			assert.equal(await inWords(own.run(jobOf({}))), "interrupted: Hookline is closing");
		});
	});
}
