// A guard in the extensions folder, from the outside: nothing runs, the model is told why, and the trace says who, what and when.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startModelServer } from "../programs/model-server.ts";
import { callTerminal, extension, Place } from "./program.ts";

const noTouch = extension(`	hooks.guard("tool.calling", { name: "no-touch", tool: "terminal" }, (call) =>
		String(call.args["command"]).includes("touch") ? block("Nothing is made here.") : undefined);`);

test("a guard blocks: nothing runs, the model is told the reason, the trace shows who blocked what and when", async () => {
	await using place = new Place();
	const file = place.extension("calm.ts", noTouch);
	const before = Date.now();
	const { code, stdout } = await place.run(["run", callTerminal("touch made")]);
	assert.equal(stdout, "DONE\n");
	assert.equal(code, 0);
	assert.ok(!place.made("made"));
	assert.equal((await place.run(["run", "--continue", "SEEN [Blocked by calm/no-touch] Nothing is made here."])).stdout, "1\n");

	const [record] = await place.trace("--event", "tool.calling");
	assert.ok(record);
	assert.equal(record.outcome, "blocked");
	assert.equal(record.by, "calm/no-touch");
	assert.equal(record.reason, "Nothing is made here.");
	assert.ok(record.at >= before && record.at <= Date.now());
	assert.deepEqual(record.hooks.map(({ hook, stage, decision, reason }) => ({ hook, stage, decision, reason })), [{ hook: "calm/no-touch", stage: "guard", decision: "block", reason: "Nothing is made here." }]);
	const text = (await place.run(["hooks", "trace"])).stdout;
	assert.match(text, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}tool\.calling terminal → blocked by calm\/no-touch: Nothing is made here\.\n {4}calm\/no-touch {2}guard {2}block {2}[\d.]+ ms {2}Nothing is made here\.\n {4}hookline\/approvals {2}guard {2}pass {2}[\d.]+ ms\n$/);
	const hooks = JSON.parse((await place.run(["hooks", "list", "--json"])).stdout).hooks as { id: string; source: { file: string; line: number } }[];
	const listed = hooks.find(({ id }) => id === "calm/no-touch")!;
	assert.equal(`${listed.source.file}:${listed.source.line}`, `${file}:3`);
});

test("a model behind HTTP is told the reason as well, and what it is sent says so", async () => {
	await using place = new Place();
	await using server = await startModelServer();
	place.extension("calm.ts", noTouch);
	const env = { HOOKLINE_MODEL: "openai-compatible:loopback", HOOKLINE_BASE_URL: server.baseUrl };
	const { stdout } = await place.run(["run", callTerminal("touch made")], { env });
	assert.equal(stdout, "DONE\n");
	assert.ok(!place.made("made"));
	assert.equal(server.requests.length, 2);
	const messages = server.requests[1]?.body["messages"] as { role: string; content: string }[];
	assert.deepEqual([messages.at(-1)?.role, messages.at(-1)?.content], ["tool", "[Blocked by calm/no-touch] Nothing is made here."]);
});

test("an extension can be TypeScript, JavaScript, a .mjs or a folder; each of them is heard", async () => {
	await using place = new Place();
	const rewriteTo = (word: string) => `hooks.transform("tool.calling", { tool: "terminal" }, (call) => rewrite({ ...call.args, command: call.args.command + " ${word}" }));`;
	place.extension("a.ts", extension(`	const word: string = "ts";\n\t${rewriteTo("ts").replace('" ts"', '" " + word')}`));
	place.extension("b.js", extension(rewriteTo("js")));
	place.extension("c.mjs", extension(rewriteTo("mjs")));
	place.extension("d/index.ts", `export { default } from "./own.ts";\n`);
	place.extension("d/own.ts", extension(rewriteTo("folder")));
	// Neither is an extension.
	place.extension("a.test.ts", "throw new Error('a test');\n");
	place.extension("notes.md", "# notes\n");
	const { stdout, stderr } = await place.run(["run", callTerminal("echo > out.txt")]);
	assert.equal(stderr, "");
	assert.equal(stdout, "DONE\n");
	const [record] = await place.trace("--event", "tool.calling");
	assert.deepEqual(record?.hooks.map(({ hook }) => hook), ["a#1", "b#1", "c#1", "d#1"]);
	assert.equal(place.read("out.txt"), "ts js mjs folder\n");
});

test("what an extension prints does not get between the answer and its reader", async () => {
	await using place = new Place();
	place.extension("chatty.ts", `console.log("at load");\n${extension(`	console.info("in the factory");
	hooks.guard("tool.calling", (call, context) => { console.log("in the hook"); context.log("by its context"); });`)}`);
	const { code, stdout, stderr } = await place.run(["run", callTerminal("true")]);
	assert.equal(stdout, "DONE\n");
	for (const line of ["at load", "in the factory", "in the hook", "[chatty#1] by its context"]) assert.ok(stderr.includes(`${line}\n`), line);
	assert.equal(code, 0);
	const json = await place.run(["hooks", "list", "--json"]);
	assert.doesNotThrow(() => JSON.parse(json.stdout) as unknown);
});

test("a transform registered after a guard: the guard judged the rewritten command", async () => {
	await using place = new Place();
	place.extension("a-guard.ts", noTouch);
	place.extension("b-late.ts", extension(`hooks.transform("tool.calling", { priority: 900 }, (call) => rewrite({ ...call.args, command: "touch made" }));`));
	const { stdout } = await place.run(["run", callTerminal("echo harmless")]);
	assert.equal(stdout, "DONE\n");
	assert.ok(!place.made("made"));
	const [record] = await place.trace("--event", "tool.calling");
	assert.deepEqual(record?.hooks.map(({ hook, decision }) => `${hook} ${decision}`), ["b-late#1 rewrite", "a-guard/no-touch block"]);
});
