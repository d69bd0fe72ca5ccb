// config.yaml, as people get it wrong: file, line, column, what is wrong and what was meant; nothing starts.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startModelServer } from "../programs/model-server.ts";
import { Place } from "./program.ts";

const place = new Place();
after(() => place[Symbol.asyncDispose]());

/** FILE stands for the path of the file. */
const bad: readonly (readonly [what: string, text: string | Uint8Array, says: string])[] = [
	["a binary file", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00, 0xfe]), "FILE: this is no text file (7 bytes that are not UTF-8). Move it away, or write the settings anew."],
	["a tab", "model:\n\tprovider: rehearsal\n", "FILE:2:1: this is not YAML: Tabs are not allowed as indentation. Indent with spaces."],
	["an unknown key", "agent:\n  max_stpes: 3\n", "FILE:2:3: 'agent.max_stpes' is unknown: did you mean 'max_steps' (known: max_steps, max_attempts, retry_base_ms, max_parallel_tools)."],
	["an unknown section", "modle: {}\n", "FILE:1:1: 'modle' is unknown: did you mean 'model' (known: model, models, agent, approvals, redact, web, trace, hooks, file_hooks, hooks_auto_accept, python, mcp, extensions, plugins, gateway)."],
	["a wrong type", "agent:\n  max_steps: many\n", "FILE:2:3: 'agent.max_steps' must be integer, and is the string \"many\"."],
	["a value out of range", "agent:\n  max_steps: 0\n", "FILE:2:3: 'agent.max_steps' must be >= 1, and is 0."],
	["a list in place of settings", "- model\n", "FILE:1:1: the whole must be object, and is an array."],
	["a host there is not", "extensions:\n  x: {host: nod}\n", "FILE:2:7: 'extensions.x.host' must be one of inline, node, and is the string \"nod\", did you mean 'node'."],
	["a section with nothing in it", "model:\n", "FILE:1:1: 'model' must be object, and is null."],
	["a key twice", "agent: {}\nagent: {}\n", "FILE:2:1: this is not YAML: Map keys must be unique."],
];
for (const [what, text, says] of bad) {
	test(`${what}: exit code 1, with the place, and nothing starts`, async () => {
		const file = place.config(text);
		const { code, stdout, stderr } = await place.run(["run", "SAY hi"]);
		assert.equal(stderr, `hookline: ${says.replace("FILE", file)}\n`);
		assert.deepEqual([code, stdout], [1, ""]);
	});
}

test("all mistakes are told at once, a line each", async () => {
	const file = place.config("agent: {max_steps: x}\ntrace:\n  max_record: 1\n");
	const { stderr } = await place.run(["hooks", "list"]);
	assert.match(stderr, new RegExp(`^hookline: ${file}:1:9: .*\n${file}:3:3: .*did you mean 'max_records'.*\n$`));
});

test("an empty file, one with comments only, and none at all are no mistake", async () => {
	for (const text of ["", "\n", "# nothing yet\n", "---\n"]) {
		place.config(text);
		const { code, stderr, stdout } = await place.run(["run", "SAY hi"]);
		assert.deepEqual([code, stdout, stderr], [0, "hi\n", ""], JSON.stringify(text));
	}
});

test("the model comes from config.yaml; the environment comes before it and the command line before both", async () => {
	await using server = await startModelServer();
	place.config(`model:\n  provider: openai-compatible\n  name: pelican\n  base_url: ${server.baseUrl}\n  api_key_env: MY_KEY\n`);
	assert.equal((await place.run(["run", "SAY hi"], { env: { MY_KEY: "sesame" } })).stdout, "hi\n");
	assert.equal(server.requests[0]?.body["model"], "pelican");
	assert.equal(server.requests[0]?.headers["authorization"], "Bearer sesame");
	await place.run(["run", "SAY hi"], { env: { HOOKLINE_MODEL: "openai-compatible:heron", HOOKLINE_API_KEY: "own", MY_KEY: "sesame" } });
	assert.equal(server.requests[1]?.body["model"], "heron");
	assert.equal(server.requests[1]?.headers["authorization"], "Bearer own");
	assert.equal((await place.run(["run", "--model", "rehearsal", "SAY offline"], { env: { HOOKLINE_MODEL: "openai-compatible:heron" } })).stdout, "offline\n");
	assert.equal(server.requests.length, 2);
});

test("the step cap of config.yaml ends a turn that goes on and on: exit code 1 and what can be done", async () => {
	place.config("agent:\n  max_steps: 2\n");
	const { code, stdout, stderr } = await place.run(["run", 'LOOP 9 terminal {"command":"echo $i >> loops"}']);
	assert.equal(stderr, 'hookline: The turn was ended after 2 steps without a final answer. Say "go on" to let it continue, or raise agent.max_steps in config.yaml.\n');
	assert.deepEqual([code, stdout], [1, ""]);
	assert.equal(place.read("loops"), "0\n1\n");
});
