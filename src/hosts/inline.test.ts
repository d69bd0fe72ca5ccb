// What only a host inside our own process has to get right. All the rest is in test/contracts/host.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { folderWith, openHost, program, run } from "../../test/contracts/host.ts";
import { engineWith, toolCall } from "../../test/engine.ts";
import { join } from "node:path";
import { runningExtension } from "./strays.ts";

test("an error of our own that nobody catches still ends the process, with its stack and exit code 1", async () => {
	const { code, output, errors } = await run("strays.ts", ["inline", program("extensions/faulty.ts"), "a defect of our own"]);
	assert.match(errors, /Error: our own defect\n {4}at .*strays\.ts:\d+/);
	assert.equal(output, "");
	assert.equal(code, 1);
});

test("listeners for stray errors are there only while a host is open, and once for all hosts", async () => {
	const count = () => process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection");
	const before = count();
	const first = openHost("inline");
	const second = openHost("inline");
	assert.equal(count(), before + 2);
	await first[Symbol.asyncDispose]();
	assert.equal(count(), before + 2);
	await second[Symbol.asyncDispose]();
	assert.equal(count(), before);
});

test("what the operation inside a wrapper starts is not the wrapper's", async () => {
	await using folder = await folderWith({ "a.ts": 'import { defineExtension } from "hookline";\nexport default defineExtension((hooks) => hooks.wrap("tool.calling", (_, next) => next()));' });
	await using host = openHost("inline");
	const { definitions } = await host.load({ name: "mine", file: join(folder.path, "a.ts"), trust: "user" });
	const engine = engineWith(definitions);
	const go = await engine.dispatch("tool.calling", toolCall());
	assert.ok(go.kind === "go");
	await engine.perform("tool.calling", go, async () => assert.equal(runningExtension(), undefined));
	assert.equal(engine.recent().at(-1)?.hooks[0]?.decision, "wrapped");
});
