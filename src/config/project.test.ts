import assert from "node:assert/strict";
import { test } from "node:test";
import { settingNames } from "./key.ts";
import { parseProjectConfig, projectSchema } from "./project.ts";

const mistakes = async (text: string) => (await parseProjectConfig(text)).mistakes.map(({ line, column, message }) => `${line}:${column}: ${message}`);

test("a project may set limits, shell hooks and its own extensions", async () => {
	assert.deepEqual(settingNames(projectSchema as never), ["agent.max_steps", "agent.max_attempts", "agent.max_parallel_tools", "hooks.NAME", "extensions.NAME.enabled", "extensions.NAME.required", "extensions.NAME.host", "extensions.NAME.config"]);
	assert.deepEqual(await mistakes("agent: {max_steps: 3}\nextensions:\n  a: {required: true, host: node}\n"), []);
});

test("everything else is the user's, and refused at its line and column", async () => {
	assert.deepEqual(await mistakes("agent:\n  retry_base_ms: 5\nmodel:\n  base_url: http://127.0.0.1/\n  api_key_env: HOME\napprovals: {timeout: 9}\nweb: {}\n"), [
		"3:1: 'model' cannot be set by a project, only in the user's own config.yaml.",
		"6:1: 'approvals' cannot be set by a project, only in the user's own config.yaml.",
		"7:1: 'web' cannot be set by a project, only in the user's own config.yaml.",
		"2:3: 'agent.retry_base_ms' cannot be set by a project, only in the user's own config.yaml.",
	]);
});

test("what is no setting at all is unknown here too, and no extension of a project runs inline", async () => {
	assert.deepEqual(await mistakes("trust: true\nextensions: {a: {host: inline}}\n"), [
		"1:1: 'trust' is unknown (known: agent, hooks, extensions).",
		`2:18: 'extensions.a.host' must be one of node, and is the string "inline".`,
	]);
	assert.match((await mistakes("a: [\n"))[0] ?? "", /this is not YAML/);
});
