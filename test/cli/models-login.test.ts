// `hookline models login` and `logout`, and how `hookline models` shows the providers that extensions bring.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { startOAuthServer } from "../programs/oauth-server.ts";
import { Place } from "./program.ts";

let place: Place;
beforeEach(() => void (place = new Place()));
afterEach(() => place[Symbol.asyncDispose]());

const kept = () => join(place.home, "logins/acme/acme.json");

/** An extension that brings `acme:large`. */
function acme(login: string): void {
	place.extension("acme.ts", `import { defineExtension } from "hookline";\nexport default defineExtension((_, hookline) => {\n	hookline.registerProvider({ name: "acme", summary: "Acme's models.", models: [{ name: "large", contextTokens: 9000, price: { input: 1, output: 2 } }], kind: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1", ${login} });\n});\n`);
}

test("a key that is piped in is kept for its owner alone, shown nowhere, and let go again", async () => {
	acme('login: { kind: "key" }');
	const before = await place.run(["models", "--provider", "acme"]);
	assert.match(before.stdout, /^acme:large\t9000\t\$1\t\$2\tmissing\t$/m);
	const login = await place.run(["models", "login", "acme"], { stdin: "sesame-1234\n" });
	assert.deepEqual([login.code, login.stdout], [0, "You are logged in for acme. Try it: hookline --model acme:large\n"]);
	assert.equal(statSync(kept()).mode & 0o777, 0o600);
	assert.match(readFileSync(kept(), "utf8"), /"key":"sesame-1234"/);
	const after = await place.run(["models", "--json", "--provider", "acme"]);
	assert.deepEqual(JSON.parse(after.stdout).map(({ name, keyIn, usable }: { readonly name: string; readonly keyIn: string; readonly usable: boolean }) => [name, keyIn, usable]), [["acme:large", "your login", true]]);
	place.config("model: {provider: acme, name: large}");
	assert.match((await place.run(["doctor"])).stdout, /acme:large, chosen in config\.yaml; its key is that of your login\./);
	const logout = await place.run(["models", "logout", "acme"]);
	assert.match(logout.stdout, /^What was kept for acme is gone from this machine\./);
	assert.equal(existsSync(kept()), false);
	assert.match((await place.run(["models", "logout", "acme"])).stdout, /^You were not logged in for acme\.$/m);
	assert.ok(![before, login, after, logout].some(({ stdout, stderr }) => `${stdout}${stderr}`.includes("sesame-1234")));
});

test("a key that is typed is not echoed", async () => {
	acme('login: { kind: "key", help: "Get one at acme.example.com." }');
	const running = place.onTerminal(["models", "login", "acme"]);
	await running.shows(/Get one at acme\.example\.com\.\s+The key for acme \(it is not shown\): /);
	// What is typed before it is asked for is dropped.
	await running.shows("it is not shown): ");
	running.write("sesame-5678\r");
	const { code, stdout } = await running.ended;
	assert.equal(code, 0);
	assert.match(stdout, /You are logged in for acme\./);
	assert.doesNotMatch(stdout, /sesame/);
	assert.match(readFileSync(kept(), "utf8"), /sesame-5678/);
});

test("who leaves the question keeps nothing, and is told so", async () => {
	acme('login: { kind: "key" }');
	for (const key of ["\x04", "\x03"]) {
		const running = place.onTerminal(["models", "login", "acme"]);
		await running.shows("it is not shown): ");
		running.write(key);
		const { code, stdout } = await running.ended;
		assert.equal(code, 130, stdout);
		assert.match(stdout, /Nothing was kept\./);
	}
	assert.equal(existsSync(kept()), false);
});

test("a login in the browser keeps its tokens; one by a device code needs none", async () => {
	await using server = await startOAuthServer();
	acme(`login: { kind: "oauth", clientId: "hookline", tokenUrl: "${server.url}/token", authorizeUrl: "${server.url}/authorize", deviceUrl: "${server.url}/device" }`);
	const running = place.start(["models", "login", "acme"]);
	const shown = await running.shows(/http:\/\/\S+\/authorize\?\S+/);
	await fetch(/http:\/\/\S+\/authorize\?\S+/.exec(shown)![0]);
	const { code, stdout, stderr } = await running.ended;
	assert.equal(code, 0, stderr);
	const tokens = JSON.parse(readFileSync(kept(), "utf8")) as { readonly access: string };
	assert.ok(server.live.has(tokens.access));
	const device = await place.run(["models", "login", "acme", "--device"]);
	assert.match(device.stderr, /type this code: WDJB-MJHT/);
	assert.notEqual((JSON.parse(readFileSync(kept(), "utf8")) as typeof tokens).access, tokens.access);
	for (const secret of server.secrets) assert.ok(!`${stdout}${stderr}${device.stdout}${device.stderr}`.includes(secret));
});

test("what cannot be logged in to is said in words, and nothing is kept", async () => {
	acme("");
	const cases: readonly (readonly [args: readonly string[], stdin: string, code: number, expected: RegExp])[] = [
		[["acme"], "x", 1, /The model provider 'acme' has no login: Acme's models\./],
		[["acmee"], "x", 1, /No extension that is loaded brings a model provider 'acmee'\. Did you mean 'acme'\? There are: acme\./],
		[["openai"], "x", 1, /The key of openai is looked up where config\.yaml or the environment says; nothing is kept by a login\./],
	];
	for (const [args, stdin, code, expected] of cases) {
		const ended = await place.run(["models", "login", ...args], { stdin });
		assert.equal(ended.code, code);
		assert.match(ended.stderr, expected);
	}
	acme('login: { kind: "key" }');
	assert.match((await place.run(["models", "login", "acme"], { stdin: "" })).stderr, /No key was given for acme, so nothing is kept\./);
	const two = await place.run(["models", "login", "acme"], { stdin: "sesame 1234" });
	assert.match(two.stderr, /holds white space or characters that no key has, so it is not kept\./);
	assert.doesNotMatch(two.stderr, /sesame/);
	assert.equal((await place.run(["models", "login", "acme", "--device"], { stdin: "x" })).code, 2);
	assert.equal(existsSync(join(place.home, "logins")), false);
});

test("an extension that does not load leaves the other models to be listed", async () => {
	place.extension("broken.ts", "nonsense(");
	place.config("extensions: {broken: {required: true}}");
	const { code, stdout, stderr } = await place.run(["models"]);
	assert.equal(code, 0);
	assert.match(stdout, /^rehearsal\t/m);
	assert.match(stderr, /Models that extensions bring are left out\. The extension 'broken' is required/);
});
