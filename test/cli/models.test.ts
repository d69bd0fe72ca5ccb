// `hookline models`, and the names that --model takes.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { type Answerer, page, startModelServer, status } from "../programs/model-server.ts";
import { startOpenAiServer } from "../programs/openai-server.ts";
import { Place } from "./program.ts";

let place: Place;
beforeEach(() => void (place = new Place()));
afterEach(() => place[Symbol.asyncDispose]());

interface Listed {
	readonly name: string;
	readonly provider: string;
	readonly current: boolean;
	readonly contextTokens?: number;
	readonly price?: { readonly input: number };
	readonly keyIn: string | null;
	readonly usable: boolean;
	readonly missing?: string;
}

async function listed(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<{ readonly code: number | string; readonly stderr: string; of(name: string): Listed; readonly all: readonly Listed[] }> {
	const { code, stdout, stderr } = await place.run(["models", "--json", ...args], { env });
	const all = JSON.parse(stdout) as readonly Listed[];
	return { code, stderr, all, of: (name) => all.find((one) => one.name === name) ?? assert.fail(`${name} is not among ${all.map((one) => one.name).join(", ")}`) };
}

test("the models that are known and those of config.yaml, with size, price, and where the key is, never the key", async () => {
	place.config("model: {provider: openai, name: gpt-5}\nmodels:\n  anthropic:mine: {context_tokens: 5000, price: {input: 7, output: 9}, api_key_keychain: work}\n");
	const env = { OPENAI_API_KEY: "sk-pelican" };
	const { of, all, stderr } = await listed([], env);
	assert.deepEqual([of("openai:gpt-5").current, of("openai:gpt-5").keyIn, of("openai:gpt-5").usable], [true, "OPENAI_API_KEY", true]);
	assert.deepEqual([of("anthropic:mine").contextTokens, of("anthropic:mine").price?.input, of("anthropic:mine").keyIn], [5000, 7, "the system keychain, as 'work'"]);
	assert.deepEqual([of("google:gemini-2.5-flash").keyIn, of("google:gemini-2.5-flash").usable], [null, false]);
	assert.match(of("google:gemini-2.5-flash").missing ?? "", /Set GOOGLE_GENERATIVE_AI_API_KEY/);
	assert.equal(all.filter(({ current }) => current).length, 1);
	const table = await place.run(["models", "--provider", "openai"], { env });
	assert.match(table.stdout, /^openai:gpt-5\t400000\t\$1\.25\t\$10\tOPENAI_API_KEY\tthe one that is used$/m);
	assert.doesNotMatch(table.stdout, /anthropic/);
	assert.ok(!`${JSON.stringify(all)}${stderr}${table.stdout}${table.stderr}`.includes("sk-pelican"));
});

test("what is not known is unknown, and not 0", async () => {
	place.config("models: {anthropic:mine: {max_output_tokens: 5}}");
	const { of } = await listed();
	assert.deepEqual([of("anthropic:mine").contextTokens, of("anthropic:mine").price], [undefined, undefined]);
	assert.match((await place.run(["models"])).stdout, /^anthropic:mine\tunknown\tunknown\tunknown\tmissing\t$/m);
});

test("the server at the address is asked which models it has, with the key", async () => {
	await using server = await startModelServer();
	place.config(`model: {provider: openai-compatible, name: loopback, base_url: '${server.baseUrl}', api_key_env: MY_KEY}`);
	const { of, code } = await listed([], { MY_KEY: "sesame" });
	assert.equal(code, 0);
	assert.equal(of("openai-compatible:loopback").current, true);
	assert.equal(of("openai-compatible:qwen3:8b").contextTokens, 40_960);
	assert.equal(server.requests[0]?.headers["authorization"], "Bearer sesame");
	assert.equal((await listed(["--provider", "anthropic"])).all.every(({ provider }) => provider === "anthropic"), true);
	assert.equal(server.requests.length, 1);
});

test("a server that gives no list is a sentence beside the models that are known, and exit code 1", async () => {
	await using server = await startModelServer();
	const answers: readonly (readonly [Answerer, RegExp])[] = [
		[status(401, { body: '{"error":"no sesame"}' }), /does not accept the API key \(HTTP 401\): \[the key\] no|does not accept|wants an API key/],
		[status(404), /Nothing is served at \S+ \(HTTP 404\)\. Check the base URL/],
		[page("text/html", "<html>"), /answered with a web page/],
		[page("application/json", '{"pelicans":3}'), /gave something that is no list of models: \{"pelicans":3\}/],
		[page("application/json", `[${'{"id":"x"},'.repeat(500_000)}{}]`), /sent more than 4 MiB/],
	];
	for (const [answer, says] of answers) {
		server.next(answer);
		const { code, stderr, of } = await listed([], { HOOKLINE_BASE_URL: server.baseUrl, HOOKLINE_MODEL: "openai-compatible:m", HOOKLINE_API_KEY: "sesame" });
		assert.equal(code, 1);
		assert.match(stderr, says);
		assert.doesNotMatch(stderr, /sesame|defect/);
		assert.equal(of("rehearsal").usable, true);
	}
	assert.match((await listed(["--provider", "openai-compatible"])).stderr, /No server could be asked which models it has: there is no address\. Set HOOKLINE_BASE_URL/);
	const wrong = await place.run(["models", "--provider", "opnai"]);
	assert.deepEqual([wrong.code, wrong.stderr], [2, "hookline: There is no model provider 'opnai'. Did you mean 'openai'? Known: rehearsal, anthropic, openai, google, openai-compatible.\n"]);
});

test("--model with a name that is not known says which one is like it, and asks for it all the same", async () => {
	await using server = await startOpenAiServer();
	const { stderr } = await place.run(["run", "--model", "openai:gpt-5.22", "SAY hi"], { env: { HOOKLINE_BASE_URL: server.baseUrl } });
	assert.match(stderr, /Hookline knows no model 'openai:gpt-5\.22'; it is asked for all the same\. Did you mean 'openai:gpt-5\.2'\?/);
	assert.doesNotMatch((await place.run(["run", "--model", "openai:gpt-5.2", "SAY hi"], { env: { HOOKLINE_BASE_URL: server.baseUrl } })).stderr, /Hookline knows/);
	assert.match((await place.run(["__complete", "--", "run", "--model", "openai:gpt-5."])).stdout, /^openai:gpt-5\.2$/m);
});
