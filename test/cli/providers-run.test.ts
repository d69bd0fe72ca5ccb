// A conversation with a model that an extension brings: chosen, asked, listed, taken away, and its key seen nowhere.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../agent/open.ts";
import { startModelServer, status } from "../programs/model-server.ts";
import { Place } from "./program.ts";

const acme = (more: string) => `import { defineExtension } from "hookline";\nexport default defineExtension((hooks, hookline) => {\n	hooks.observe("model.streamed", ({ delta }) => hookline.log(\`streamed \${delta}\`));\n	hooks.transform("model.requesting", () => undefined);\n	hookline.registerProvider({ name: "acme", summary: "Acme's models.", models: [{ name: "large", price: { input: 1, output: 2 } }], ${more} });\n});\n`;
const answers = 'complete: async ({ messages }, { onDelta, key }) => { onDelta("You said "); await null; onDelta(messages.at(-1)?.text ?? ""); return { usage: { inputTokens: 1_000_000, outputTokens: 1_000_000 } }; },';

/** Everything in the home but the login itself. */
function texts(folder: string): string {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => !name.startsWith("logins") && statSync(join(folder, name)).isFile() && !name.startsWith("extensions"))
		.map((name) => readFileSync(join(folder, name), "latin1"))
		.join("\n");
}

for (const host of ["inline", "node"] as const) {
	test(`a function of an extension in the ${host} host answers a turn, and what it costs is known`, async () => {
		await using place = new Place();
		place.extension("acme.ts", acme(answers));
		place.config(`extensions: {acme: {host: ${host}}}`);
		const { code, stdout, stderr } = await place.run(["run", "--model", "acme:large", "hello"]);
		assert.deepEqual([code, stdout], [0, "You said hello\n"], stderr);
		const [record] = await place.trace("--event", "model.requesting");
		assert.equal(record?.outcome, "go");
	});
}

test("a server of an extension gets the key of the login, which is in no output, log or trace", async () => {
	await using server = await startModelServer();
	await using place = new Place();
	place.extension("acme.ts", acme(`kind: "openai-compatible", baseUrl: "${server.baseUrl}", login: { kind: "key" }`));
	const before = await place.run(["run", "--model", "acme:large", "SAY hello"]);
	assert.equal(before.code, 1);
	assert.match(before.stderr, /You are not logged in for acme:large\. Run: hookline models login acme/);
	await place.run(["models", "login", "acme"], { stdin: "sesame-1234" });
	const { code, stdout, stderr } = await place.run(["run", "--model", "acme:large", "SAY hello"]);
	assert.deepEqual([code, stdout], [0, "hello\n"], stderr);
	assert.equal(server.requests[0]?.headers["authorization"], "Bearer sesame-1234");
	server.next(status(401, { body: '{"error":"no sesame-1234"}' }));
	const refused = await place.run(["run", "--json", "--model", "acme:large", "SAY hello"]);
	assert.match(refused.stderr, /does not accept the API key \(HTTP 401\).*Run: hookline models login acme/);
	for (const text of [before.stderr, stdout, stderr, refused.stdout, refused.stderr, texts(place.home)]) assert.ok(!text.includes("sesame-1234"));
});

test("two extensions with one name are both there, and that is said", async () => {
	await using place = new Place();
	place.extension("a.ts", acme(answers));
	place.extension("b.ts", acme(answers));
	const { stdout, stderr } = await place.run(["run", "--model", "b.acme:large", "hello"]);
	assert.equal(stdout, "You said hello\n");
	assert.match(stderr, /There is a model provider 'acme' already, so the one of the extension 'b' is called 'b\.acme'\./);
});

test("/model takes and lists it; when its extension leaves, the turn says so and the fall-back is asked", async () => {
	await using opened = await open({ model: "acme:small", extensions: { "acme.ts": acme(answers) }, config: "agent: {retry_base_ms: 1}\nmodel: {fallbacks: [rehearsal]}" });
	const { models } = await opened.runtime.agent();
	assert.ok(models.list().some(({ name, missing }) => name === "acme:large" && missing === undefined));
	assert.equal(await models.choose("acme:large"), undefined);
	assert.equal((await opened.submit("hello")).text, "You said hello");
	assert.equal((await opened.heard("model.called"))[0]?.costUsd, 3);
	opened.extension("acme.ts", acme(answers.replace("You said", "Now you said")));
	await opened.runtime.extensions.reload("acme");
	assert.equal((await opened.submit("hello")).text, "Now you said hello", "a newer version is asked from the next call on");
	rmSync(join(opened.home, "extensions/acme.ts"));
	await opened.runtime.extensions.reload("acme");
	assert.equal((await opened.submit("SAY still here")).text, "still here");
	assert.match(opened.warnings.join("\n"), /acme:large is not there any more: the extension 'acme', which brought it, has left or brings it no longer\. Choose another model with \/model\. rehearsal is asked instead/);
});
