// Models that misbehave: what is retried, what is told, and that the conversation stays one that can go on.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Answerer, delta, page, startModelServer, status, stream } from "../programs/model-server.ts";
import { callTerminal, open } from "./open.ts";

const model = "openai-compatible:loopback";
const done = "data: [DONE]\n\n";
const call = (id: string, name: string, args: string) => delta({ tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: args } }] });

describe("the rehearsal model", { concurrency: 4 }, () => {
	test("half a call is tried again, then told in a sentence; no half call is run", async () => {
		await using agent = await open();
		const result = await agent.submit('HALF terminal {"command":"touch made"}');
		assert.equal(result.completed, false);
		assert.equal(result.error, "The stream of the rehearsal model ended in the middle of a call of terminal, as it was told.");
		const failures = await agent.heard("model.failed");
		assert.deepEqual(failures.map(({ attempt, willRetry }) => [attempt, willRetry]), [[1, true], [2, true], [3, true], [4, false]]);
		assert.deepEqual(agent.results, []);
		assert.equal((await agent.submit("SAY still here")).text, "still here");
	});

	test("each wait is about twice the one before, and the person is told how long", async () => {
		await using agent = await open({ config: "agent: {retry_base_ms: 20, max_attempts: 4}" });
		await agent.submit("HTTP 503 busy");
		const waits = (await agent.heard("model.failed")).flatMap(({ retryInMs }) => (retryInMs === undefined ? [] : [retryInMs]));
		assert.equal(waits.length, 3);
		for (const [i, wait] of waits.entries()) assert.ok(wait >= 20 * 2 ** i * 0.75 && wait <= 20 * 2 ** i * 1.25, `wait ${i + 1}: ${wait}`);
		assert.match(agent.warnings[0] ?? "", /^The rehearsal model fails with HTTP 503.* Trying again in 0\.0 s \(2 of 4\)\.$/);
	});

	test("what cannot be helped is not tried again", async () => {
		await using agent = await open();
		const { error } = await agent.submit("HTTP 401 no");
		assert.match(error ?? "", /HTTP 401/);
		assert.deepEqual((await agent.heard("model.failed")).map(({ attempt, willRetry, status: code }) => [attempt, willRetry, code]), [[1, false, 401]]);
	});

	test("a server that asks for more patience than a person has is not waited for", async () => {
		await using agent = await open();
		const { error } = await agent.submit("HTTP 429 retry-after=3600");
		assert.match(error ?? "", /HTTP 429/);
		assert.equal((await agent.heard("model.failed")).length, 1);
	});

	test("arguments that are no JSON: the model is told, nothing runs", async () => {
		await using agent = await open();
		await agent.submit('RAWCALL terminal {"command": touch made');
		await agent.submit("RAWCALL terminal [1]");
		await agent.submit('RAWCALL terminal {"comand":"touch made"}');
		const [broken, list, misspelt] = agent.results;
		assert.match(broken ?? "", /^The arguments of terminal cannot be read: .*JSON.* Send one JSON object\.$/);
		assert.match(list ?? "", /object/);
		assert.match(misspelt ?? "", /'comand' is unknown: did you mean 'command'/);
		assert.ok(agent.messages.filter(({ role }) => role === "tool").every((message) => message.role === "tool" && message.isError));
		assert.deepEqual((await agent.heard("tool.called")).map((one) => one.status), ["error", "error", "error"]);
	});

	test("a tool there is not: the model is told which there are, the nearest first", async () => {
		await using agent = await open();
		await agent.submit("CALL terminla {}");
		assert.match(agent.results[0]!, /^There is no tool 'terminla'\. Did you mean 'terminal'\? The tools are terminal, read_file, write_file, patch, search_files, .*delegate_task\.$/);
	});

	test("a hundred calls at once all run, each once, and their results are in the order of the calls", async () => {
		await using agent = await open();
		const result = await agent.submit('PAR 100 terminal {"command":"echo $i; echo x >> all"}');
		assert.equal(result.text, "DONE");
		assert.deepEqual(agent.results, Array.from({ length: 100 }, (_, i) => String(i)));
		await agent.submit(callTerminal("wc -l < all"));
		assert.equal(agent.results.at(-1)?.trim(), "100");
	});

	test("an empty answer is not passed off as one", async () => {
		await using agent = await open();
		assert.deepEqual(await agent.submit("EMPTY"), { text: "", completed: false, interrupted: false, error: "The model gave an empty answer. Ask again, or try another model." });
		assert.equal((await agent.submit("SAY on")).text, "on");
	});

	test("the step cap ends the turn, and the next one goes on from there", async () => {
		await using agent = await open({ config: "agent: {max_steps: 3}" });
		const { completed, error } = await agent.submit("LOOP 9");
		assert.equal(completed, false);
		assert.match(error ?? "", /^The turn was ended after 3 steps without a final answer/);
		const [ended] = await agent.heard("turn.ended");
		assert.deepEqual([ended?.steps, ended?.toolCalls, ended?.completed, ended?.error], [3, 3, false, error]);
		assert.equal((await agent.submit("SAY on")).text, "on");
	});
});

describe("a server", { concurrency: 4 }, () => {
	const failing: readonly (readonly [what: string, answers: readonly Answerer[], requests: number, error: RegExp | undefined])[] = [
		["401", [status(401, { body: '{"error":{"message":"bad key"}}' })], 1, /wants an API key and was given none \(HTTP 401\): bad key\. Set HOOKLINE_API_KEY/],
		["429 with Retry-After", [status(429, { headers: { "retry-after": "0.05" } })], 2, undefined],
		["500, then fine", [status(500, { body: "oh" }), status(503)], 3, undefined],
		["500 for ever", Array.from({ length: 9 }, () => status(500, { body: '{"error":"on fire"}' })), 4, /failed \(HTTP 500\): on fire/],
		["an empty body", Array.from({ length: 9 }, () => page("text/event-stream", "")), 4, /answered with an empty body|ended/],
		["an empty body, then fine", [page("application/json", "")], 2, undefined],
		["half a call, then fine", [stream(call("c1", "terminal", '{"comm'))], 2, undefined],
		["a web page", [page("text/html", "<html>")], 1, /answered with a web page/],
	];
	for (const [what, answers, requests, error] of failing) {
		test(what, async () => {
			await using server = await startModelServer();
			await using agent = await open({ model, baseUrl: server.baseUrl });
			server.next(...answers);
			const result = await agent.submit("SAY fine");
			if (error === undefined) assert.deepEqual(result, { text: "fine", completed: true, interrupted: false });
			else {
				assert.equal(result.completed, false);
				assert.match(result.error ?? "", error);
			}
			assert.equal(server.requests.length, requests);
			assert.deepEqual(agent.results, []);
		});
	}

	test("Retry-After is waited for, not our own back-off", async () => {
		await using server = await startModelServer();
		await using agent = await open({ model, baseUrl: server.baseUrl, config: "agent: {retry_base_ms: 60000}" });
		server.next(status(429, { headers: { "retry-after": "0.2" } }));
		const began = performance.now();
		assert.equal((await agent.submit("SAY fine")).text, "fine");
		assert.ok(performance.now() - began >= 195);
		assert.deepEqual((await agent.heard("model.failed")).map(({ status: code, retryInMs }) => [code, retryInMs]), [[429, 200]]);
		assert.equal((await agent.heard("model.called"))[0]?.attempts, 2);
	});

	test("an answer cut off by its length runs none of its calls, and the model is told", async () => {
		await using server = await startModelServer();
		await using agent = await open({ model, baseUrl: server.baseUrl });
		server.next(stream(call("c1", "terminal", '{"command":"touch made"}'), delta({}, "length"), done));
		assert.equal((await agent.submit("SAY fine")).text, "fine");
		assert.match(agent.results[0] ?? "", /^\[Not run: your answer was cut off by its token limit/);
		await agent.submit(callTerminal("ls"));
		assert.equal(agent.results.at(-1), "(no output)");
	});

	test("a text cut off by its length is an answer, with a warning", async () => {
		await using server = await startModelServer();
		await using agent = await open({ model, baseUrl: server.baseUrl });
		server.next(stream(delta({ content: "and so" }), delta({}, "length"), done));
		assert.deepEqual(await agent.submit("SAY x"), { text: "and so", completed: true, interrupted: false });
		assert.deepEqual(agent.warnings, ["The answer was cut off by the model's token limit."]);
	});

	test("what was shown of an answer that broke off is taken back before it is asked for again", async () => {
		await using server = await startModelServer();
		await using agent = await open({ model, baseUrl: server.baseUrl });
		server.next(stream(delta({ content: "half an" })));
		assert.equal((await agent.submit("SAY whole")).text, "whole");
		assert.equal(agent.deltas.join(""), "half an[discarded]whole");
		assert.deepEqual(agent.sent, [{ text: "whole", purpose: "answer" }]);
	});
});
