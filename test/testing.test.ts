// The door for tests of extensions, used as their authors do.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { openTestAgent } from "../src/testing.ts";

const careful = `import { ask, block, defineExtension, rewrite } from "hookline";
export default defineExtension((hooks) => {
	hooks.transform("tool.calling", { name: "quiet", tool: "terminal" }, ({ args }) => (String(args.command).startsWith("ls") ? rewrite({ ...args, command: args.command + " -1" }) : undefined));
	hooks.guard("tool.calling", { name: "no-sudo", tool: "terminal" }, ({ args }) => (String(args.command).startsWith("sudo") ? block("No sudo here.") : undefined));
	hooks.guard("tool.calling", { name: "ask-rm", tool: "terminal" }, ({ args }) => (String(args.command).startsWith("rm") ? ask("It deletes.") : undefined));
	hooks.observe("tool.called", { name: "told" }, ({ toolName }, ctx) => ctx.log("called " + toolName));
});
`;

describe("hookline/testing", () => {
	let folder: string;
	before(() => {
		folder = mkdtempSync(join(tmpdir(), "hookline-testing-"));
		writeFileSync(join(folder, "careful.ts"), careful);
		mkdirSync(join(folder, "whole"));
		writeFileSync(join(folder, "whole/index.ts"), careful.replace("No sudo here.", "Not from a folder."));
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	test("runs whole turns of the real agent with the extension, and tells of each call", async () => {
		await using agent = await openTestAgent({ extensions: [join(folder, "careful.ts")], files: { "notes/a.txt": "alpha" } });
		const turn = await agent.say('SEQ\nCALL terminal {"command":"ls notes"}\nCALL terminal {"command":"sudo ls"}\nCALL read_file {"path":"notes/a.txt"}');
		assert.equal(turn.completed, true);
		assert.match(turn.text, /^DONE/);
		assert.deepEqual(turn.calls.map(({ tool, args, status }) => [tool, args["command"] ?? args["path"], status]), [["terminal", "ls notes -1", "ok"], ["terminal", "sudo ls", "blocked"], ["read_file", "notes/a.txt", "ok"]]);
		assert.match(turn.calls[0]!.result, /a\.txt/);
		assert.equal(turn.calls[1]!.result, "[Blocked by careful/no-sudo] No sudo here.");
		assert.deepEqual(agent.log, ["careful/told: called terminal", "careful/told: called terminal", "careful/told: called read_file"]);
		assert.deepEqual(agent.warnings, []);
	});

	test("fires an event at the hooks alone", async () => {
		await using agent = await openTestAgent({ extensions: [pathToFileURL(join(folder, "careful.ts"))] });
		const rewritten = await agent.fire("tool.calling", { args: { command: "ls" } });
		assert.deepEqual([rewritten.inWords, rewritten.payload?.["args"]], ["goes on", { command: "ls -1" }]);
		assert.equal((await agent.fire("tool.calling", { args: { command: "sudo ls" } })).inWords, "blocked by careful/no-sudo: No sudo here.");
		assert.equal((await agent.fire("tool.called")).inWords, "told");
	});

	test("leaves nobody to be asked unless it is said who answers, and how", async () => {
		const rm = { args: { command: "rm a.txt" } };
		await using alone = await openTestAgent({ extensions: [join(folder, "careful.ts")] });
		assert.match((await alone.fire("tool.calling", rm)).inWords, /^blocked by test: A person would now be asked: It deletes\.$/);
		const asked: string[] = [];
		await using willing = await openTestAgent({ extensions: [join(folder, "careful.ts")], answer: ({ reasons }) => (asked.push(reasons[0]!.reason), true) });
		assert.equal((await willing.fire("tool.calling", rm)).inWords, "goes on, approved by person");
		await using strict = await openTestAgent({ extensions: [join(folder, "careful.ts")], files: { "a.txt": "" }, answer: () => "Keep it." });
		const { calls } = await strict.say('CALL terminal {"command":"rm a.txt"}');
		assert.match(calls[0]!.result, /Keep it\./);
		assert.deepEqual(asked, ["It deletes."]);
	});

	test("gives the trace in lines that are the same in each run", async () => {
		const lines = async () => {
			await using agent = await openTestAgent({ extensions: [join(folder, "careful.ts")] });
			await agent.say('SEQ\nCALL terminal {"command":"ls"}\nCALL terminal {"command":"sudo ls"}');
			return agent.trace({ event: "tool.calling" });
		};
		const [first, second] = [await lines(), await lines()];
		assert.deepEqual(first, second);
		assert.match(first[0]!, /^tool\.calling: careful\/quiet rewrite \(args\.command\), careful\/no-sudo pass, careful\/ask-rm pass → go$/);
		assert.match(first[1]!, /careful\/no-sudo block "No sudo here\.".* → blocked$/);
	});

	test("takes a folder by its index file, with its settings", async () => {
		await using agent = await openTestAgent({ extensions: [join(folder, "whole/index.ts")], config: { extensions: { whole: { host: "node" } } } });
		assert.equal((await agent.fire("tool.calling", { args: { command: "sudo ls" } })).inWords, "blocked by whole/no-sudo: Not from a folder.");
	});

	test("says what is wrong with an extension that does not load, and refuses one that is not there", async () => {
		writeFileSync(join(folder, "broken.ts"), "export default 1;\n");
		await using agent = await openTestAgent({ extensions: [join(folder, "broken.ts")] });
		assert.match(agent.warnings.join("\n"), /'broken' is not loaded/);
		await assert.rejects(openTestAgent({ extensions: [join(folder, "missing.ts")] }), /There is no extension at .*missing\.ts\./);
		await assert.rejects(openTestAgent({ extensions: [join(folder, "broken.ts")], config: { extensions: { broken: { required: true } } } }), /'broken' is required/);
	});
});

test("docs/extension-testing.md shows a test that passes as it stands there", () => {
	const folder = mkdtempSync(join(tmpdir(), "hookline-testing-docs-"));
	try {
		const page = readFileSync(new URL("../docs/extension-testing.md", import.meta.url), "utf8");
		for (const [, name, text] of page.matchAll(/```ts\n\/\/ ([\w.]+)[^\n]*\n([\s\S]*?)```/g)) writeFileSync(join(folder, name!), text!);
		mkdirSync(join(folder, "node_modules/hookline"), { recursive: true });
		// As npm would put it there, but for the source: nothing is built in development.
		const door = (name: string) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
		writeFileSync(join(folder, "node_modules/hookline/package.json"), JSON.stringify({ name: "hookline", type: "module", exports: { ".": "./index.js", "./testing": "./testing.js" } }));
		for (const name of ["index", "testing"]) writeFileSync(join(folder, `node_modules/hookline/${name}.js`), `export * from ${JSON.stringify(door(name))};\n`);
		const { status, stdout } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", "careful.test.ts"], { cwd: folder, encoding: "utf8", env: { ...process.env, NODE_TEST_CONTEXT: undefined } });
		assert.match(stdout, /^# pass 2$/m, stdout);
		assert.equal(status, 0);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
