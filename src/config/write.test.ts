import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigError, readConfig } from "./read.ts";
import { changeConfig } from "./write.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-config-write-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "config.yaml");
const name = ["model", "name"];

test("texts that YAML would read as something else stay texts, also inside {braces}", async () => {
	for (const value of ["true", "3", "a: b", "# no", "a, b}", "'", "null", " x ", "two\nlines\n", "- x", "*a", "é", ""]) {
		for (const before of ["model: {name: x}\n", "model:\n  name: x # kept\n", "model:\n  name: |\n    x\n  provider: y\n", "model:\n", "# nothing\n", "", "---\n# nothing\n...\n"]) {
			writeFileSync(file, before);
			const changing = changeConfig(file, [{ path: name, value }]);
			if (value === "") await assert.rejects(changing, (error) => error instanceof ConfigError && error.message.includes("'model.name' must NOT have fewer than 1 characters"));
			else assert.equal(await changing, true);
			if (value !== "") assert.equal((await readConfig(file)).model?.name, value, JSON.stringify(before));
		}
	}
});

test("all changes are made or none", async () => {
	writeFileSync(file, "agent: {max_steps: 3}\n");
	await assert.rejects(changeConfig(file, [{ path: name, value: "x" }, { path: ["agent", "max_steps"], value: -1 }]), ConfigError);
	assert.equal(readFileSync(file, "utf8"), "agent: {max_steps: 3}\n");
	assert.equal(await changeConfig(file, [{ path: name, value: "x" }, { path: ["agent", "max_steps"], value: undefined }]), true);
	assert.deepEqual(await readConfig(file), { model: { name: "x" } });
});

test("a file that says so already is not written", async () => {
	writeFileSync(file, "agent:   {max_steps: 3}");
	assert.equal(await changeConfig(file, [{ path: ["agent", "max_steps"], value: 3 }]), false);
	assert.equal(readFileSync(file, "utf8"), "agent:   {max_steps: 3}");
	assert.equal(await changeConfig(join(folder, "none.yaml"), [{ path: name, value: undefined }]), false);
});

test("a file without a newline at its end, and one with those of Windows, can be changed", async () => {
	for (const before of ["agent:\n  max_steps: 3", "agent:\r\n  max_steps: 3\r\n"]) {
		writeFileSync(file, before);
		await changeConfig(file, [{ path: ["agent", "max_attempts"], value: 2 }, { path: ["trace", "max_records"], value: 1000 }]);
		assert.deepEqual(await readConfig(file), { agent: { max_steps: 3, max_attempts: 2 }, trace: { max_records: 1000 } });
	}
});

test("what is no section is not overwritten by one", async () => {
	for (const [before, what] of [["just words\n", "the whole"], ["- model\n", "the whole"], ["model: [a]\n", "'model'"], ["model: a\n", "'model'"]] as const) {
		writeFileSync(file, before);
		await assert.rejects(changeConfig(file, [{ path: name, value: "x" }]), (error) => error instanceof ConfigError && error.message.startsWith(`${file}: ${what} is no map of settings`));
		assert.equal(readFileSync(file, "utf8"), before);
	}
});

test("an entry comes behind the last of a list, and what is written around them stays", async () => {
	const entry = { command: "b", timeout: 5 };
	const path = ["hooks", "pre_tool_call", "1"];
	const cases = [
		["hooks:\n  pre_tool_call:\n    - command: a # mine\n      # more\n  # end\nredact: on\n", "hooks:\n  pre_tool_call:\n    - command: a # mine\n    - command: b\n      timeout: 5\n      # more\n  # end\nredact: on\n"],
		["hooks:\n  pre_tool_call:\n  - {command: a}", "hooks:\n  pre_tool_call:\n  - {command: a}\n  - command: b\n    timeout: 5\n"],
		["hooks: {pre_tool_call: [{command: a}]} # flat\n", "hooks: {pre_tool_call: [{command: a}, {command: b, timeout: 5}]} # flat\n"],
	] as const;
	for (const [before, after] of cases) {
		writeFileSync(file, before);
		assert.equal(await changeConfig(file, [{ path, value: entry }]), true);
		assert.equal(readFileSync(file, "utf8"), after);
	}
	writeFileSync(file, cases[0][0]);
	await assert.rejects(changeConfig(file, [{ path: ["hooks", "pre_tool_call", "command"], value: "b" }]), (error) => error instanceof ConfigError && error.message.includes("'hooks.pre_tool_call' is no map of settings"));
});
