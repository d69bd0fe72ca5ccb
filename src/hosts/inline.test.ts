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

test("an extension cannot end the agent's process, neither in a handler nor in a timer", async () => {
	const handlers = ['hooks.guard("tool.calling", { name: "exits" }, () => process.exit(3));', 'hooks.guard("tool.calling", { name: "aborts" }, async () => (await null, process.abort()));'];
	await using folder = await folderWith({ "a.ts": `import { defineExtension } from "hookline";\nexport default defineExtension((hooks) => {\n${handlers.join("\n")}\n});` });
	await using host = openHost("inline");
	const { definitions } = await host.load({ name: "mine", file: join(folder.path, "a.ts"), trust: "user" });
	const engine = engineWith(definitions);
	assert.equal((await engine.dispatch("tool.calling", toolCall())).kind, "blocked");
	const [record] = engine.recent();
	assert.deepEqual(
		record!.hooks.map(({ hook, failure, reason }) => [hook, failure, reason?.split(",")[0]]),
		[
			["mine/exits", "threw", "called process.exit(3)"],
			["mine/aborts", "threw", "called process.abort()"],
		],
	);
	const { output, code } = await run("strays.ts", ["inline", program("extensions/exits.ts"), "exits in a timer"]);
	assert.match(output, /"message":"called process\.exit\(5\), which would have ended the agent[^"]*","during":"run"/);
	assert.match(output, /"alive":true/);
	assert.equal(code, 0);
});

test("what we end ourselves ends while a host is open, and process.exit is Node's own again when it is closed", async () => {
	const { exit } = process;
	const host = openHost("inline");
	assert.notEqual(process.exit, exit);
	await host[Symbol.asyncDispose]();
	assert.equal(process.exit, exit);
});
