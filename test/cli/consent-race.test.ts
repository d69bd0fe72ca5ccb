// A script is swapped as fast as a thread can, while its hook is started again and again: what was not approved never runs.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { ConsentPlace } from "../../src/extensions/consent/test-hook.ts";

const swapsWanted = 2_000;
const startsWanted = 100;
const good = "#!/bin/sh\necho good\n";
const evil = "#!/bin/sh\necho evil\n";

/** In place, by a file renamed over it, by a link renamed over it; and the approved bytes back in each of the three ways. */
const swapper = `
const { writeFileSync, renameSync, symlinkSync, rmSync } = require("node:fs");
const { workerData: { file, good, evil, shared } } = require("node:worker_threads");
const state = new Int32Array(shared);
for (const [name, text] of [["good", good], ["evil", evil]]) writeFileSync(file + "." + name, text, { mode: 0o755 });
const renamed = (text) => { writeFileSync(file + ".new", text, { mode: 0o755 }); renameSync(file + ".new", file); };
const linked = (name) => { rmSync(file + ".link", { force: true }); symlinkSync(file + "." + name, file + ".link"); renameSync(file + ".link", file); };
const steps = [() => renamed(evil), () => renamed(good), () => writeFileSync(file, evil), () => writeFileSync(file, good), () => linked("evil"), () => linked("good")];
for (let i = 0; Atomics.load(state, 1) === 0; i++) { steps[i % steps.length](); Atomics.add(state, 0, 1); Atomics.wait(state, 1, 0, (i * 7 % 5) / 10); }
`;

test("of 2,000 swaps of a script raced against its start, none gets a byte run that was not approved", { timeout: 60_000 }, async (t) => {
	using place = new ConsentPlace();
	const file = place.file("guard.sh", good);
	const hook = place.hook([file]);
	const consent = place.consent();
	await place.approve(hook, consent);
	const shared = new SharedArrayBuffer(8);
	const state = new Int32Array(shared);
	const worker = new Worker(swapper, { eval: true, workerData: { file, good, evil, shared } });
	const said = { good: 0, unapproved: 0 };
	try {
		while (state[0]! < swapsWanted || said.good < startsWanted || said.unapproved === 0) {
			const consented = await consent.for(hook, place.folder);
			if (consented.kind === "unapproved") {
				said.unapproved++;
				// Lets go of the thread, so that the test can end.
				await new Promise((resolve) => setImmediate(resolve));
				continue;
			}
			const { stdout } = await promisify(execFile)(consented.file, [...consented.args]);
			assert.equal(stdout, "good\n");
			said.good++;
		}
	} finally {
		Atomics.store(state, 1, 1);
		Atomics.notify(state, 1);
		await worker.terminate();
	}
	t.diagnostic(`${state[0]} swaps, ${said.good} starts of what was approved, ${said.unapproved} refused`);
});
