// Models behind the model: when they are asked, what is told of it, and that nothing is said twice.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { block } from "../../src/events/decision.ts";
import { guard, observe, transform } from "../engine.ts";
import { type Answerer, delta, type ModelServer, page, silence, startModelServer, status, stream } from "../programs/model-server.ts";
import { type Opened, open, type OpenOptions } from "./open.ts";

const first = "openai-compatible:first";
const second = "openai-compatible:second";

async function withTwo(answers: readonly Answerer[], check: (agent: Opened, one: ModelServer, two: ModelServer) => Promise<void>, more: OpenOptions = {}): Promise<void> {
	await using one = await startModelServer();
	await using two = await startModelServer();
	one.next(...answers);
	const config = `
agent: {retry_base_ms: 1, max_attempts: 2}
model: {base_url: '${one.baseUrl}', fallbacks: [${second}]}
models: {"${second}": {base_url: '${two.baseUrl}', api_key_env: SECOND_KEY}}
`;
	await using agent = await open({ environment: { HOOKLINE_MODEL: first, HOOKLINE_API_KEY: "key-1", SECOND_KEY: "key-2" }, config, ...more });
	await check(agent, one, two);
}

const failures = async (agent: Opened) => (await agent.heard("model.failed")).map(({ model, attempt, willRetry, fallback }) => [model, attempt, willRetry, fallback]);
const often = (answer: Answerer, times = 2) => Array.from({ length: times }, () => answer);

describe("the next model is asked", { concurrency: 2 }, () => {
	const atOnce: readonly (readonly [what: string, answer: Answerer])[] = [
		["a key that is refused", status(401, { body: '{"error":{"message":"bad key"}}' })],
		["a model there is not", status(404)],
		["a wait that is too long", status(429, { headers: { "retry-after": "3600" } })],
		["a server that fails", status(503)],
		["a web page", page("text/html", "<html>")],
		["a conversation that is too long for it", status(400, { body: '{"error":{"message":"maximum context length is 8192 tokens"}}' })],
	];
	for (const [what, answer] of atOnce) {
		test(`at once for ${what}`, () =>
			withTwo([answer], async (agent, one, two) => {
				assert.deepEqual(await agent.submit("SAY fine"), { text: "fine", completed: true, interrupted: false });
				assert.deepEqual([one.requests.length, two.requests.length], [1, 1]);
				assert.deepEqual(await failures(agent), [[first, 1, false, second]]);
				assert.deepEqual((await agent.heard("model.called")).map(({ model, attempts }) => [model, attempts]), [[second, 1]]);
				assert.equal(agent.warnings.length, 1);
				assert.match(agent.warnings[0]!, / openai-compatible:second is asked instead, until this turn is over\.$/);
				assert.deepEqual(two.requests[0]?.body["messages"], one.requests[0]?.body["messages"]);
			}));
	}

	test("after all tries for a stream that breaks off, and what was shown of it is taken back", () =>
		withTwo(often(stream(delta({ content: "half an" }))), async (agent, one) => {
			assert.equal((await agent.submit("SAY whole")).text, "whole");
			assert.equal(one.requests.length, 2);
			assert.deepEqual(await failures(agent), [[first, 1, true, undefined], [first, 2, false, second]]);
			assert.equal(agent.deltas.join(""), "half an[discarded]half an[discarded]whole");
			assert.deepEqual(agent.sent, [{ text: "whole", purpose: "answer" }]);
		}));

	test("at once where nothing listens", async () => {
		const gone = await startModelServer();
		await gone[Symbol.asyncDispose]();
		await using agent = await open({ model: first, baseUrl: gone.baseUrl, config: "model: {fallbacks: [rehearsal]}" });
		assert.equal((await agent.submit("SAY fine")).text, "fine");
		assert.deepEqual(await failures(agent), [[first, 1, false, "rehearsal"]]);
	});
});

test("each is sent its own key, to its own address", () =>
	withTwo([status(503)], async (agent, one, two) => {
		await agent.submit("SAY fine");
		assert.deepEqual([one, two].map(({ requests }) => requests[0]?.headers["authorization"]), ["Bearer key-1", "Bearer key-2"]);
	}));

test("an address of its own is sent no key but its own, as a fall-back, by /model and by --model", async () => {
	await using one = await startModelServer();
	await using two = await startModelServer();
	one.next(status(503));
	const config = `
model: {provider: openai-compatible, name: first, base_url: '${one.baseUrl}', api_key_env: FIRST_KEY, fallbacks: [${second}]}
models: {"${second}": {base_url: '${two.baseUrl}'}}
`;
	await using agent = await open({ environment: { HOOKLINE_MODEL: first, HOOKLINE_API_KEY: "key-1", FIRST_KEY: "key-1" }, config });
	await agent.submit("SAY fine");
	await agent.submit(`/model ${second}`);
	await agent.submit("SAY fine");
	await using other = await open({ environment: { HOOKLINE_MODEL: second, FIRST_KEY: "key-1" }, config });
	await other.submit("SAY fine");
	assert.deepEqual([one, two].map(({ requests }) => requests.map(({ headers }) => headers["authorization"])), [["Bearer key-1"], [undefined, undefined, undefined]]);
});

test("the turn stays with the one that answered, and the next turn tries the first again", () =>
	withTwo([status(503)], async (agent, one, two) => {
		await agent.submit("LOOP 2");
		assert.deepEqual([one.requests.length, two.requests.length], [1, 3]);
		assert.equal(agent.conversation.parts.model.name, first);
		await agent.submit("SAY again");
		assert.deepEqual([one.requests.length, two.requests.length], [2, 3]);
		assert.equal(agent.runtime.store.sessions.get(agent.conversation.session.id)?.model, first);
	}));

test("when the last one fails too, its error is told", () =>
	withTwo([status(503)], async (agent, _, two) => {
		two.next(...often(status(500, { body: '{"error":"on fire"}' })));
		assert.match((await agent.submit("SAY fine")).error ?? "", /failed \(HTTP 500\): on fire/);
		assert.deepEqual(await failures(agent), [[first, 1, false, second], [second, 1, true, undefined], [second, 2, false, undefined]]);
	}));

test("hooks see the model that is asked instead, and can refuse it", () =>
	withTwo(
		[status(503)],
		async (agent, _, two) => {
			assert.equal((await agent.submit("SAY fine")).text, "Not that one.");
			assert.equal(two.requests.length, 0);
		},
		{ hooks: [guard("model.calling", ({ model }) => (model === second ? block("Not that one.") : undefined))] },
	));

test("a request that is wrong for every model, and one that a hook refuses, is asked of no other", async () => {
	await withTwo([status(400, { body: '{"error":{"message":"messages.0.role is missing"}}' })], async (agent, one, two) => {
		assert.match((await agent.submit("SAY fine")).error ?? "", /HTTP 400/);
		assert.deepEqual([one.requests.length, two.requests.length], [1, 0]);
	});
	const broken = () => {
		throw new Error("broken");
	};
	const refuse = transform("model.requesting", broken, { onError: "closed" });
	await withTwo([], async (agent, one, two) => {
		assert.equal((await agent.submit("SAY fine")).completed, false);
		assert.deepEqual([one.requests.length, two.requests.length], [0, 0]);
	}, { hooks: [refuse] });
});

test("a stop by the user asks no other", () =>
	withTwo([silence()], async (agent, one, two) => {
		const stop = new AbortController();
		const arrived = one.arrival();
		const turn = agent.submit("SAY fine", stop.signal);
		await arrived;
		stop.abort();
		assert.equal((await turn).interrupted, true);
		assert.equal(two.requests.length, 0);
	}));

test("a child begins with the model its parent is at", () =>
	withTwo([status(503)], async (agent, one) => {
		const started: string[] = [];
		agent.runtime.engine.register([observe("session.started", ({ model, parentSessionId }) => void (parentSessionId !== undefined && started.push(model)))]);
		await agent.submit('CALL delegate_task {"tasks":[{"goal":"SAY hi"}]}');
		await agent.runtime.engine.idle();
		assert.deepEqual(started, [second]);
		assert.equal(one.requests.length, 1);
	}));

test("a fall-back that cannot work is warned of at the start, and left out", async () => {
	await using agent = await open({ config: "model: {fallbacks: [openai:gpt-5, openi:x]}" });
	assert.equal(agent.warnings.length, 2);
	assert.match(agent.warnings[0]!, /^The fall-back openai:gpt-5 is left out: openai:gpt-5 needs an API key\./);
	assert.match(agent.warnings[1]!, /^The fall-back openi:x is left out: There is no model provider 'openi'\. Did you mean 'openai'\?/);
	assert.equal((await agent.submit("SAY fine")).text, "fine");
});
