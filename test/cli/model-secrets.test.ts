// Keys that are kept in a file or in the system's keychain: through the program, seen by a server, and nowhere else.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { type ModelServer, startModelServer, status } from "../programs/model-server.ts";
import { type Ended, Place } from "./program.ts";

const key = "sk-pelican-0123456789";
const programs = join(import.meta.dirname, "../programs/keychain");
let place: Place;
let server: ModelServer;
let keychain: string;
beforeEach(async () => {
	place = new Place();
	server = await startModelServer();
	keychain = join(place.folder, "keychain");
	mkdirSync(keychain);
});
afterEach(async () => {
	await place[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});

const configured = (where: string) => place.config(`model: {provider: openai-compatible, name: m, base_url: '${server.baseUrl}', ${where}}\n`);
const env = () => ({ KEYCHAIN: keychain, PATH: `${programs}${delimiter}${process.env["PATH"] ?? ""}` });
const say = (words = "SAY hi"): Promise<Ended> => place.run(["run", words], { env: env() });
const keySeen = () => server.requests.at(-1)?.headers["authorization"];
const calls = () => (existsSync(join(keychain, "calls")) ? readFileSync(join(keychain, "calls"), "utf8").trim().split("\n") : []);

function keyFile(text: string, mode = 0o600): string {
	const file = join(place.folder, "key");
	writeFileSync(file, text);
	chmodSync(file, mode);
	return file;
}

test("a key file is read when the model is asked, also through a link and from ~", async () => {
	const file = keyFile(`${key}\n`);
	configured(`api_key_file: '${file}'`);
	assert.equal((await say()).stdout, "hi\n");
	assert.equal(keySeen(), `Bearer ${key}`);
	symlinkSync(file, join(place.home, "link"));
	configured("api_key_file: ~/home/link");
	assert.equal((await say()).stdout, "hi\n");
	assert.equal(keySeen(), `Bearer ${key}`);
});

test("a key file that others can read, that is empty, or holds more than a key, is refused in a sentence", async () => {
	for (const [text, mode, says] of [
		[key, 0o640, /Others than you can read or write the key file \S+ \(its mode is 640\), so it is not used\. Run: chmod 600 /],
		[key, 0o602, /its mode is 602/],
		[" \n", 0o600, /The key file \S+ is empty\./],
		[`${key}\nmore\n`, 0o600, /holds more than one line\. Leave only the key in it\./],
	] as const) {
		configured(`api_key_file: '${keyFile(text, mode)}'`);
		const { code, stderr } = await say();
		assert.equal(code, 1);
		assert.match(stderr, says);
		assert.ok(!stderr.includes(key));
	}
	assert.equal(server.requests.length, 0);
	const pipe = join(place.folder, "pipe");
	execFileSync("mkfifo", ["-m", "600", pipe]);
	for (const [path, says] of [["/nowhere/key", /There is no key file \/nowhere\/key\. Write the key into it and run: chmod 600/], [pipe, /is no key file/], [place.folder, /is no key file/]] as const) {
		configured(`api_key_file: '${path}'`);
		assert.match((await say()).stderr, says);
	}
	configured("api_key_file: key");
	assert.match((await say()).stderr, /config\.yaml:1:\d+: .*api_key_file/);
});

test("a key in the keychain is looked up once, when the model is first asked", { skip: !["linux", "darwin"].includes(process.platform) && "it has no keychain that Hookline knows" }, async () => {
	writeFileSync(join(keychain, "work"), `${key}\n`);
	configured("api_key_keychain: work");
	assert.equal((await place.run(["run", "LOOP 2"], { env: env() })).stdout, "DONE\n");
	assert.equal(keySeen(), `Bearer ${key}`);
	assert.deepEqual(calls(), [process.platform === "darwin" ? "security find-generic-password -s hookline -a work -w" : "secret-tool lookup service hookline account work"]);
	await place.run(["run", "--model", "rehearsal", "SAY hi"], { env: env() });
	assert.equal(calls().length, 1);
});

test("an entry or a program that is missing is a sentence with the command that helps", { skip: !["linux", "darwin"].includes(process.platform) && "it has no keychain that Hookline knows" }, async () => {
	configured("api_key_keychain: work");
	const { code, stderr } = await say();
	assert.equal(code, 1);
	assert.match(stderr, /The system keychain has no key 'work' for hookline\. Store it: (?:secret-tool store .* account work|security add-generic-password .* -a work -w)$/m);
	const { stderr: without } = await place.run(["run", "SAY hi"], { env: { PATH: "/nowhere" } });
	assert.match(without, /the program '(?:secret-tool|security)' cannot be started \(ENOENT\); .* Or keep the key in a file and name it as api_key_file\./);
	configured("api_key_keychain: '-w'");
	assert.match((await say()).stderr, /config\.yaml:1:\d+: .*api_key_keychain/);
});

test("a model under models: has its own key, and a fall-back whose key is missing is passed over with a sentence", async () => {
	place.config(`
model: {provider: openai-compatible, name: a, base_url: '${server.baseUrl}', fallbacks: [openai-compatible:b, openai-compatible:c]}
models:
  openai-compatible:b: {api_key_file: '${join(place.folder, "nothing")}'}
  openai-compatible:c: {api_key_file: '${keyFile(key)}'}
`);
	server.next(status(503));
	const { stdout, stderr } = await say();
	assert.equal(stdout, "hi\n");
	assert.match(stderr, /There is no key file .* openai-compatible:c is asked instead/);
	assert.deepEqual(server.requests.map(({ body, headers }) => [body["model"], headers["authorization"]]), [["a", undefined], ["c", `Bearer ${key}`]]);
});

test("no key is in what doctor, config and the trace show, nor in the home; doctor says where it is", async () => {
	const file = keyFile(key);
	configured(`api_key_file: '${file}'`);
	server.next(status(401, { body: JSON.stringify({ error: { message: `wrong key ${key}` } }) }));
	const shown = [await say(), await say("SAY again"), await place.run(["doctor"]), await place.run(["config", "get"]), await place.run(["hooks", "trace", "--all", "--json"])];
	for (const { stdout, stderr } of shown) assert.ok(!`${stdout}${stderr}`.includes(key));
	assert.match(shown[2]!.stdout, new RegExp(`its key is in the file ${file}`));
	const kept = readdirSync(place.home, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
	assert.ok(kept.length > 1);
	for (const one of kept) assert.ok(!readFileSync(join(one.parentPath, one.name)).includes(key), one.name);
	chmodSync(file, 0o644);
	assert.match((await place.run(["doctor"])).stdout, /^model\tproblem\tOthers than you can read or write the key file/m);
});

test("doctor looks the fall-backs over as well, and at the key each of them needs", async () => {
	place.config(`model: {fallbacks: [openai:gpt-5, "openai-compatible:x"]}\nmodels: {"openai-compatible:x": {base_url: '${server.baseUrl}', api_key_file: '${keyFile(key)}'}}\n`);
	const { code, stdout } = await place.run(["doctor"]);
	assert.equal(code, 1);
	assert.match(stdout, /^fall-back\tproblem\topenai:gpt-5 needs an API key\. Set OPENAI_API_KEY .* openai:gpt-5 stands under model\.fallbacks in config\.yaml\.$/m);
	assert.match(stdout, /^fall-back\tok\topenai-compatible:x, asked when the model fails; its key is in the file \S+\/key\.$/m);
});
