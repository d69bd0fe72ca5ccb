// The tour is what a newcomer sees first.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { Place, type Running } from "./program.ts";

const titles = ["A guard blocks a tool call", "A transform rewrites the arguments of a call", "A hook adds context for the model", "A secret is taken out of a result before the model sees it", "A guard asks a person"];

for (const args of [["tour"], ["--or-tour"]]) {
	test(`'hookline ${args.join(" ")}' shows a block, a rewrite, injected context, a redaction and a question, and leaves nothing behind`, async () => {
		await using place = new Place();
		const began = performance.now();
		const { code, stdout, stderr } = await place.run(args, { env: { TMPDIR: place.work } });
		assert.ok(performance.now() - began < 10_000, "under ten seconds");
		assert.equal(code, 0);
		assert.equal(stderr, "");
		let from = 0;
		for (const [i, title] of titles.entries()) {
			const at = stdout.indexOf(`\n${i + 1}. ${title}\n`, from);
			assert.ok(at >= from, title);
			from = at;
		}
		const ms = String.raw`in [\d.]+ ms`;
		assert.match(stdout, new RegExp(String.raw`tool\.calling {2}tour/no-rm \(guard\) decided block ${ms} {2}Files are not deleted here`));
		assert.match(stdout, new RegExp(String.raw`tour/nice \(transform\) decided rewrite ${ms} {2}args\.command: "echo hello" → "nice echo hello"`));
		assert.match(stdout, new RegExp(String.raw`tour/branch \(transform\) decided inject ${ms}`));
		assert.match(stdout, new RegExp(String.raw`tour/redact \(transform\) decided rewrite ${ms}`));
		assert.match(stdout, new RegExp(String.raw`tour/publish \(guard\) decided ask ${ms} {2}This would be seen by others\.`));
		assert.match(stdout, /the model was told {2}.*database: •+/);
		assert.match(stdout, /"command": "nice echo publish the release"\n/);
		assert.deepEqual(readdirSync(place.work), []);
	});
}

test("the secret of the tour is shown nowhere", async () => {
	await using place = new Place();
	const { stdout } = await place.run(["tour"]);
	assert.ok(!stdout.includes("hunter2"), stdout);
});

test("a reader that has seen enough, or Ctrl-C, ends the tour, and its folder is removed all the same", async () => {
	await using place = new Place();
	const end = [(running: Running) => running.stopReading(), (running: Running) => running.signal("SIGINT")];
	for (const stop of end) {
		const running = place.start(["tour"], { env: { TMPDIR: place.work } });
		await running.shows("This tour runs");
		stop(running);
		const { code, stderr } = await running.ended;
		// On a slow machine it may have come to its end before.
		assert.ok(code === 130 || code === 0, String(code));
		assert.equal(stderr, "");
		assert.deepEqual(readdirSync(place.work), []);
	}
});
