// `hookline init`: three questions or three options, and never a key in the file.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { startModelServer } from "../programs/model-server.ts";
import { Place } from "./program.ts";

let place: Place;
beforeEach(() => void (place = new Place()));
afterEach(() => place[Symbol.asyncDispose]());
const init = (...args: readonly string[]) => place.run(["init", ...args]);
const file = () => join(place.home, "config.yaml");
const text = () => readFileSync(file(), "utf8");
const settings = async () => JSON.parse((await place.run(["config", "get", "--json"])).stdout) as object;

test("with options nothing is asked, and the next run talks to that model with that key", async () => {
	await using server = await startModelServer();
	const { code, stderr } = await init("--model", "openai-compatible:pelican", "--base-url", server.baseUrl, "--api-key-env", "MY_KEY");
	assert.equal(code, 0);
	assert.match(stderr, /MY_KEY is not set here\. Export it before you start/);
	assert.equal((await place.run(["run", "SAY hi"], { env: { MY_KEY: "sesame" } })).stdout, "hi\n");
	assert.equal(server.requests[0]?.headers["authorization"], "Bearer sesame");
	assert.equal(server.requests[0]?.body["model"], "pelican");
});

test("a second time changes only the model, and leaves everything else as it stands", async () => {
	place.config("# mine\nmodel: {provider: openai-compatible, name: a, base_url: 'http://127.0.0.1:1/v1', api_key_env: MY_KEY} # here\nagent:\n  max_steps: 9 # enough\n");
	const before = text();
	assert.equal((await init("--model", "openai-compatible:b")).code, 0);
	assert.equal(text(), before.replace("name: a", "name: b"));
	const { code, stderr } = await init("--yes");
	assert.equal(code, 0);
	assert.match(stderr, /says so already: the model is openai-compatible:b\./);
	assert.equal(text(), before.replace("name: a", "name: b"));
});

test("another provider does not inherit the address and the key of the one before", async () => {
	place.config("model:\n  provider: openai-compatible\n  name: a\n  base_url: http://127.0.0.1:1/v1\n  api_key_env: MY_KEY\n  api_key_file: ~/key\nagent:\n  max_steps: 9\n");
	assert.equal((await init("--model", "rehearsal")).code, 0);
	assert.deepEqual(await settings(), { model: { provider: "rehearsal" }, agent: { max_steps: 9 } });
});

test("a key in place of a name is refused, is not repeated, and nothing is written", async () => {
	for (const key of ["sk-abcdefghijklmnopqrstuv", `AIza${"x".repeat(35)}`, "my key"]) {
		const { code, stderr } = await init("--model", "openai-compatible:x", "--base-url", "http://127.0.0.1:1/v1", "--api-key-env", key);
		assert.equal(code, 2);
		assert.match(stderr, /The key itself is never stored\. Give the name of an environment variable/);
		assert.ok(!stderr.includes(key));
	}
	const { stderr } = await init("--model", "openai-compatible:x", "--base-url", "http://me:sesame@127.0.0.1:1/v1");
	assert.match(stderr, /The address holds a password or key/);
	assert.ok(!stderr.includes("sesame"));
	assert.ok(!existsSync(file()));
});

test("what cannot work is refused before it is written", async () => {
	assert.match((await init("--model", "rehersal")).stderr, /There is no model provider 'rehersal'\. Did you mean 'rehearsal'\?/);
	assert.match((await init("--model", "openai-compatible:x")).stderr, /needs the address of its server/);
	const { code, stderr } = await init();
	assert.match(stderr, /There is no terminal to ask on\. Say what you want: hookline init --model /);
	assert.equal(code, 2);
	assert.ok(!existsSync(file()));
});

test("on a terminal there are three questions; Enter keeps what stands there", async () => {
	await using server = await startModelServer();
	const asking = place.onTerminal(["init"]);
	await asking.shows(/Which model\? .*\[rehearsal\]: /);
	asking.write("openai-compatible:pelican\r");
	await asking.shows(/The address of its server.*: /);
	asking.write(`${server.baseUrl}\r`);
	await asking.shows(/in an environment variable, in a file .*model\.api_key_file.* or in the system's keychain .*model\.api_key_keychain/);
	await asking.shows(/The environment variable that holds its key.*: /);
	asking.write("\r");
	assert.equal((await asking.ended).code, 0);
	assert.deepEqual(await settings(), { model: { provider: "openai-compatible", name: "pelican", base_url: server.baseUrl } });
	const again = place.onTerminal(["init"]);
	await again.shows("[openai-compatible:pelican]: ");
	again.write("rehearsal\r");
	assert.equal((await again.ended).code, 0);
	assert.deepEqual(await settings(), { model: { provider: "rehearsal" } });
});

test("Ctrl-C at a question changes nothing", async () => {
	const asking = place.onTerminal(["init"]);
	await asking.shows(/Which model\?/);
	asking.write("\u0003");
	const { code, stdout } = await asking.ended;
	assert.match(stdout, /Nothing was changed\./);
	assert.equal(code, 130);
	assert.ok(!existsSync(file()));
});
