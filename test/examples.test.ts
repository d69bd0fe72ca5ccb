// The examples, loaded as the user's own, in real turns of the agent.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openTestAgent, type TestAgentOptions } from "../src/testing.ts";

const folder = join(import.meta.dirname, "../examples/spec-003");
const open = (name: string, options: Omit<TestAgentOptions, "extensions"> = {}) => openTestAgent({ extensions: [join(folder, `${name}.ts`)], ...options });

describe("the four examples", () => {
	test("a dangerous command is blocked, and any other runs without our variables", async () => {
		await using agent = await open("tool-interception", { environment: { COLOUR: "blue" }, files: { "keep/a.txt": "" } });
		const { calls } = await agent.say(`SEQ\nCALL terminal {"command":"echo \\"it's \${COLOUR:-gone}\\""}\nCALL terminal {"command":"rm -rf keep"}`);
		assert.deepEqual(calls.map(({ status }) => status), ["ok", "blocked"]);
		assert.match(calls[0]!.result, /^it's gone\b/);
		assert.equal(calls[1]!.result, "[Blocked by tool-interception#1] Dangerous command blocked by the safety extension.");
		assert.ok(existsSync(join(agent.folder, "keep/a.txt")));
	});

	test("a result reaches the model without what is taken out", async () => {
		await using agent = await open("result-change", { files: { "people.txt": "me@example.com and you\n" } });
		const { calls } = await agent.say('CALL read_file {"path":"people.txt"}');
		assert.match(calls[0]!.result, /\[an e-mail address\] and you/);
	});

	test("the model is told the branch, where there is one", async () => {
		await using agent = await open("context-change");
		assert.equal((await agent.say("SEEN git branch: heron")).text, "0");
		spawnSync("git", ["init", "-q", "-b", "heron"], { cwd: agent.folder });
		assert.equal((await agent.say("SEEN Current git branch: heron")).text, "1");
		assert.deepEqual(agent.warnings, []);
	});

	test("a tool, a command and the active tools are the extension's to give", async () => {
		await using agent = await open("registration");
		assert.equal((await agent.say('CALL count_words {"text":"one two  three"}')).calls[0]?.result, "3");
		assert.equal((await agent.say("/look")).text, "Only looking now.");
		assert.equal((await agent.say("TOOLS")).text.includes("terminal"), false);
		assert.equal((await agent.say("/look")).text, "All tools again.");
		assert.equal((await agent.say("TOOLS")).text.includes("terminal"), true);
		assert.deepEqual(agent.log, ['registration: registration says {"only":true}', 'registration: registration says {"only":false}']);
		assert.deepEqual(agent.warnings, []);
	});

	test("there is a test for each", () => {
		assert.deepEqual(readdirSync(folder).filter((name) => name.endsWith(".ts")).toSorted(), ["context-change.ts", "registration.ts", "result-change.ts", "tool-interception.ts"]);
	});
});
