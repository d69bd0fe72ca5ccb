import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import { HookFailure } from "../../events/failure.ts";
import type { ShellJob } from "../../hosts/shell/job.ts";
import { eventually } from "../../system/test-waiting.ts";
import { take } from "./copy.ts";
import { Hashes, identityOf } from "./hashes.ts";
import { announce, liveProcesses } from "./live.ts";
import { acceptedBy, settle } from "./settle.ts";
import { starterOf } from "./start.ts";
import { ConsentPlace } from "./test-hook.ts";

let place: ConsentPlace;
beforeEach(() => void (place = new ConsentPlace()));
afterEach(() => place[Symbol.dispose]());

const script = "#!/bin/sh\necho good\n";

test("each of the three ways approves, and nothing that only looks like one", () => {
	for (const value of ["1", "true", "yes", "on", " YES "]) assert.equal(acceptedBy({ environment: { HOOKLINE_ACCEPT_HOOKS: value } }), "HOOKLINE_ACCEPT_HOOKS", value);
	for (const value of ["", "0", "false", "no", "off", "2", "y"]) assert.equal(acceptedBy({ environment: { HOOKLINE_ACCEPT_HOOKS: value } }), undefined, value);
	for (const setting of [true, "true", "yes", "on", "1"]) assert.equal(acceptedBy({ environment: {}, setting }), "hooks_auto_accept");
	for (const setting of [false, "false", undefined]) assert.equal(acceptedBy({ environment: {}, setting }), undefined);
	assert.equal(acceptedBy({ flag: true, environment: {} }), "--accept-hooks");
});

test("settling asks about what is not approved, and about nothing else; a no is asked about again", async () => {
	const hooks = ["one.sh", "two.sh"].map((name, i) => place.hook([place.file(name, script)], { id: `shell/${i + 1}` }));
	const asked: string[] = [];
	const left: string[] = [];
	const say = (answers: readonly string[]) => settle(place.consent(), hooks, { cwd: place.folder, ask: async ({ hook }) => (asked.push(hook.id), answers.includes(hook.id)), warn: assert.fail, onLeftOut: (message) => left.push(message) });
	const first = await say(["shell/1"]);
	assert.deepEqual(first.map(({ consented }) => consented.kind), ["approved", "unapproved"]);
	await say([]);
	assert.deepEqual(asked, ["shell/1", "shell/2", "shell/2"]);
	assert.equal(left.length, 2);
	assert.match(left[0]!, /^The hook shell\/2 .* It is left out\. Without a question .*--accept-hooks, HOOKLINE_ACCEPT_HOOKS=1, or hooks_auto_accept: true in config\.yaml\.$/);
});

test("what is swapped while the person reads is not what they approve", async () => {
	const file = place.file("guard.sh", script);
	const hook = place.hook([file]);
	const [settled] = await settle(place.consent(), [hook], {
		cwd: place.folder,
		warn: assert.fail,
		async ask() {
			writeFileSync(file, script.replace("good", "evil"));
			return true;
		},
	});
	assert.equal(settled?.consented.kind, "unapproved");
	writeFileSync(file, script);
	assert.equal((await place.consent().for(hook, place.folder)).kind, "approved");
});

test("approvals that are given at the same time are all kept", async () => {
	const hooks = Array.from({ length: 8 }, (_, i) => place.hook([place.file(`${i}.sh`, `${script}# ${i}\n`)]));
	await Promise.all(hooks.map((hook) => place.approve(hook)));
	for (const hook of hooks) assert.equal((await place.consent().for(hook, place.folder)).kind, "approved");
});

test("a home that cannot be written is a sentence, and nothing is approved", async () => {
	const hook = place.hook([place.file("guard.sh", script)]);
	mkdirSync(join(place.home.path, "shell-hooks-allowlist.lock"));
	await assert.rejects(place.approve(hook), { name: "ConsentError", message: /shell-hooks-allowlist\.json cannot be written \(.*\), so nothing was changed/ });
	assert.equal((await place.consent().for(hook, place.folder)).kind, "unapproved");
});

test("a large interpreter is not hashed anew by each process: its hash is known by what the file system says of it", () => {
	const sh = realpathSync("/bin/sh");
	const [hashes, told] = [new Hashes(), new Hashes()];
	const { identity, sha256 } = hashes.of(sh);
	assert.equal(identity, identityOf(statSync(sh, { bigint: true })));
	assert.match(sha256, /^[0-9a-f]{64}$/);
	told.remember(identity!, "known");
	assert.equal(told.of("/bin/sh").sha256, "known");
	// A file that was written just now may be written again in the same tick of the clock.
	const file = place.file("new.sh", script);
	assert.equal(hashes.of(file).identity, undefined);
	writeFileSync(file, script.replace("good", "evil"));
	assert.notEqual(hashes.of(file).sha256, hashes.of(place.file("same.sh", script)).sha256);
});

test("a file that the file system says is as it was is not read again; one that is another, or was written to, is", async () => {
	const file = place.file("guard.sh", script);
	const hashes = new Hashes(-1);
	const first = hashes.of(file);
	assert.equal(hashes.of(file), first);
	const identity = () => identityOf(statSync(file, { bigint: true }));
	const before = identity();
	await eventually(() => (writeFileSync(file, script.replace("good", "evil")), identity() !== before), "the clock of the file system goes on");
	assert.notEqual(hashes.of(file).sha256, first.sha256);
	renameSync(place.file("other.sh", script), file);
	assert.equal(hashes.of(file).sha256, first.sha256);
});

test("what is another between the look and the reading is not taken", () => {
	const hook = place.hook([place.file("guard.sh", script)]);
	const { program } = place.consent().examine(hook, place.folder);
	writeFileSync(hook.words[0], script.replace("good", "evil"));
	assert.throws(() => take(program!), { name: "NotRunnable", message: /guard\.sh was changed while it was looked at\./ });
	rmSync(hook.words[0]);
	assert.throws(() => take(program!), { name: "NotRunnable", message: /cannot be read: ENOENT/ });
});

test("a process that runs is known with its hooks until it ends; what a dead one left behind is removed", async () => {
	const hooks = [place.hook([place.file("open.sh", script)]), place.hook([place.file("closed.sh", script)], { failClosed: true, id: "shell/2" })];
	const settled = await settle(place.consent(), hooks, { cwd: place.folder, warn: assert.fail });
	const told = await announce(place.home, { surface: "terminal", cwd: place.folder, settled });
	const [process_] = liveProcesses(place.home);
	assert.equal(process_?.pid, process.pid);
	assert.deepEqual(process_.hooks.map(({ id, live }) => [id, live]), [["shell/1", false], ["shell/2", true]]);
	const folder = join(place.home.path, "live");
	const dead = spawnSync("true").pid;
	writeFileSync(join(folder, `${dead}.json`), JSON.stringify({ ...process_, pid: dead }));
	// A number that belongs to another process by now.
	if (existsSync("/proc/1/stat")) writeFileSync(join(folder, "1.json"), JSON.stringify({ ...process_, pid: 1, born: "another" }));
	assert.deepEqual(liveProcesses(place.home).map(({ pid }) => pid), [process.pid]);
	assert.deepEqual(readdirSync(folder), [`${process.pid}.json`]);
	told[Symbol.dispose]();
	assert.deepEqual(liveProcesses(place.home), []);
});

test("a start looks at the approval each time; an open hook is told of once for each reason, a closed one always", async () => {
	const jobs: ShellJob[] = [];
	const host = { run: async (job: ShellJob) => (jobs.push(job), { exitCode: 0, signal: null, stdout: "{}", stderr: "", truncated: false, sandboxed: false, ms: 1 }) };
	const kinds = async (hook: ShellHook, edits: readonly string[]) => {
		await place.approve(hook);
		const start = starterOf(hook, { consent: place.consent(), host, env: { A: "b" }, cwd: place.folder });
		const seen: string[] = [];
		for (const text of edits) {
			writeFileSync(hook.words[0], text);
			seen.push(await start("{}", new AbortController().signal).then(() => "ran", (error: unknown) => (error instanceof HookFailure && !error.counts ? error.kind : assert.fail(String(error)))));
		}
		return seen;
	};
	const edits = [script, "#!/bin/sh\n", "#!/bin/sh\n", script, "#!/bin/sh\n", "#!/nowhere/sh\n"];
	assert.deepEqual(await kinds(place.hook([place.file("open.sh", script)]), edits), ["ran", "cannot-start", "suspended", "ran", "cannot-start", "cannot-start"]);
	assert.deepEqual(await kinds(place.hook([place.file("closed.sh", script)], { failClosed: true }), edits), ["ran", "cannot-start", "cannot-start", "ran", "cannot-start", "cannot-start"]);
	assert.deepEqual(jobs[0], { file: "/bin/sh", args: jobs[0]!.args, stdin: "{}", cwd: place.folder, env: { A: "b" }, timeoutMs: 60_000, signal: jobs[0]!.signal, sandbox: "off" });
});
