// `hookline run`, as people and scripts use it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { isDead } from "../../src/system/test-waiting.ts";
import { delta, startModelServer, status, stream } from "../programs/model-server.ts";
import { callTerminal, extension, fileWritten, jsonLines, Place } from "./program.ts";

const place = new Place();
after(() => place[Symbol.asyncDispose]());

test("the answer is on stdout and nothing else is", async () => {
	const { code, stdout, stderr } = await place.run(["run", "--model", "rehearsal", callTerminal("echo hi")]);
	assert.equal(stdout, "DONE\n");
	assert.equal(stderr, "");
	assert.equal(code, 0);
});

test("several words are one prompt", async () => {
	assert.equal((await place.run(["run", "SAY", "one", "two"])).stdout, "one two\n");
});

test("the prompt can come from a pipe, line breaks and all", async () => {
	assert.equal((await place.run(["run"], { stdin: "SAY first\nsecond\n" })).stdout, "first\nsecond\n");
});

test("without a prompt, or with an empty one, nothing runs and the exit code is 2", async () => {
	for (const [args, stdin] of [[["run"], ""], [["run"], " \n"], [["run", ""], "SAY no"], [["run", "  "], "SAY no"]] as const) {
		const { code, stdout, stderr } = await place.run(args, { stdin });
		assert.equal(code, 2);
		assert.equal(stdout, "");
		assert.match(stderr, /^hookline: (?:The prompt is empty|There is no prompt).*hookline run "/);
	}
});

const wrong: readonly (readonly [args: readonly string[], says: RegExp])[] = [
	[["run", "--modle", "rehearsal", "SAY x"], /unknown option '--modle'[\s\S]*Did you mean --model\?/],
	[["run", "--or-tour", "SAY x"], /unknown option '--or-tour'/],
	[["run", "--session"], /option '--session <id>' argument missing/],
	[["rnu", "SAY x"], /^hookline: There is no command 'rnu'\. Did you mean 'run'\? A prompt stands behind run/],
	[["what", "is", "this"], /^hookline: There is no command 'what'\. A prompt stands behind run: hookline run "…"\./],
	[["hooks", "lsit"], /unknown command 'lsit'[\s\S]*Did you mean list\?/],
	[["run", "--session", "a", "--continue", "SAY x"], /^hookline: --session and --continue contradict each other/],
	[["sessions", "--limit", "few"], /^hookline: --limit must be a whole number from 1, not 'few'/],
];
for (const [args, says] of wrong) {
	test(`'hookline ${args.join(" ")}' is wrong usage: exit code 2, and what would be right`, async () => {
		const { code, stdout, stderr } = await place.run(args);
		assert.match(stderr, says);
		assert.doesNotMatch(stderr, /\n\s+at /);
		assert.equal(stdout, "");
		assert.equal(code, 2);
	});
}

test("a model there is not ends with exit code 1 and the nearest that there is", async () => {
	const { code, stderr } = await place.run(["run", "--model", "rehersal", "SAY x"]);
	assert.equal(stderr, "hookline: There is no model provider 'rehersal'. Did you mean 'rehearsal'?\n");
	assert.equal(code, 1);
	const other = await place.run(["run", "--model", "nonsense", "SAY x"]);
	assert.match(other.stderr, /^hookline: There is no model provider 'nonsense'\. A model is written rehearsal, anthropic:NAME, openai:NAME, google:NAME or openai-compatible:NAME\.\n$/);
	assert.equal(other.code, 1);
});

test("--continue needs a session of this folder; then it takes that session up, and so do its id and the beginning of it", async () => {
	await using fresh = new Place();
	const none = await fresh.run(["run", "--continue", "SAY x"]);
	assert.match(none.stderr, /^hookline: There is no session to continue in .*work\. Leave out --continue/);
	assert.equal(none.code, 1);

	await fresh.run(["run", "SAY a pelican was here"]);
	const [first] = await fresh.sessions();
	assert.ok(first);
	assert.equal((await fresh.run(["run", "SEEN pelican"])).stdout, "0\n", "a new session knows nothing of it");
	assert.equal((await fresh.run(["run", "--session", first.id, "SEEN pelican"])).stdout, "2\n");
	assert.equal((await fresh.run(["run", "--continue", "SEEN pelican"])).stdout, "3\n");
	assert.equal((await fresh.run(["run", "--session", first.id.slice(0, -1), "SEEN pelican"])).stdout, "4\n");
	assert.equal((await fresh.sessions()).length, 2);

	const unknown = await fresh.run(["run", "--session", `${first.id.slice(0, -2)}zz`, "SAY x"]);
	assert.match(unknown.stderr, new RegExp(`^hookline: There is no session '.*zz'\\. Did you mean '${first.id.slice(0, -4)}....'\\? 'hookline sessions' lists them\\.\n$`));
	assert.equal(unknown.code, 1);
});

test("--no-hooks says so loudly, and the guard does not run", async () => {
	await using fresh = new Place();
	fresh.extension("no.ts", extension(`hooks.guard("tool.calling", () => block("Never."));`));
	const { code, stdout, stderr } = await fresh.run(["run", "--no-hooks", callTerminal("touch made")]);
	assert.match(stderr, /^hookline: --no-hooks: NO EXTENSION IS LOADED AND NO HOOK RUNS/);
	assert.equal(stdout, "DONE\n");
	assert.equal(code, 0);
	assert.ok(fresh.made("made"));
});

test("--json prints every event of the turn in order, one JSON object a line, and nothing else on stdout", async () => {
	const { code, stdout } = await place.run(["run", "--json", callTerminal("echo hi")]);
	const events = jsonLines(stdout);
	const names = events.map(({ event }) => event).filter((name) => name !== "model.streamed");
	assert.deepEqual(names, [
		"session.started",
		"turn.started",
		"step.started",
		"model.called",
		"tool.called",
		"step.ended",
		"step.started",
		"model.called",
		"message.sent",
		"step.ended",
		"turn.ended",
		"session.ended",
	]);
	const turn = events.find(({ event }) => event === "turn.ended");
	assert.equal(turn?.["text"], "DONE");
	assert.equal(turn?.["completed"], true);
	assert.equal(turn?.["toolCalls"], 1);
	const streamed = events.filter(({ event }) => event === "model.streamed").map(({ delta }) => delta);
	assert.equal(streamed.join(""), "DONE");
	assert.equal(new Set(events.map(({ eventId }) => eventId)).size, events.length);
	assert.equal(code, 0);
});

test("--json keeps the order in which things happened, also when they happen fast", async () => {
	const { stdout } = await place.run(["run", "--json", 'LOOP 20 nothing {"path":"$i"}']);
	const steps = jsonLines(stdout).flatMap(({ event, step }) => (event === "step.started" || event === "tool.called" || event === "step.ended" ? [`${String(event)} ${String(step)}`] : []));
	const expected = Array.from({ length: 20 }, (_, i) => [`step.started ${i + 1}`, `tool.called ${i + 1}`, `step.ended ${i + 1}`]).flat();
	assert.deepEqual(steps, [...expected, "step.started 21", "step.ended 21"]);
});

test("--json misses no event of a long answer", async () => {
	const words = Array.from({ length: 5000 }, (_, i) => `w${i}`).join(" ");
	const { stdout } = await place.run(["run", "--json"], { stdin: `SAY ${words}` });
	const streamed = jsonLines(stdout).filter(({ event }) => event === "model.streamed");
	assert.equal(streamed.map(({ delta }) => delta).join(""), words);
});

test("what the model says beside its tool calls is no answer: it goes to stderr", async () => {
	await using server = await startModelServer();
	const call = { index: 0, id: "c1", type: "function", function: { name: "terminal", arguments: '{"command":"true"}' } };
	server.next(stream(delta({ content: "Let me look." }), delta({ tool_calls: [call] }), delta({}, "tool_calls"), "data: [DONE]\n\n"));
	const env = { HOOKLINE_MODEL: "openai-compatible:loopback", HOOKLINE_BASE_URL: server.baseUrl };
	const { code, stdout, stderr } = await place.run(["run", "SAY found"], { env });
	assert.deepEqual([code, stdout, stderr], [0, "found\n", "Let me look.\n"]);
});

test("a server that fails for ever: tried again with a word to the person each time, then a sentence and exit code 1", async () => {
	await using server = await startModelServer();
	server.next(...Array.from({ length: 3 }, () => status(500, { body: "on fire" })));
	place.config("agent: {max_attempts: 3, retry_base_ms: 1}\n");
	const env = { HOOKLINE_MODEL: "openai-compatible:loopback", HOOKLINE_BASE_URL: server.baseUrl };
	const { code, stdout, stderr } = await place.run(["run", "SAY never"], { env });
	place.config("");
	assert.match(stderr, /^hookline: The model server at \S+ failed \(HTTP 500\): on fire Trying again in 0\.0 s \(2 of 3\)\.\nhookline: .* \(3 of 3\)\.\nhookline: The model server at \S+ failed \(HTTP 500\): on fire\n$/);
	assert.deepEqual([code, stdout], [1, ""]);
});

test("a turn that fails ends with exit code 1 and says why on stderr", async () => {
	const { code, stdout, stderr } = await place.run(["run", "HTTP 400 no such luck"]);
	assert.equal(stdout, "");
	assert.equal(stderr, "hookline: The rehearsal model fails with HTTP 400, as it was told: no such luck\n");
	assert.equal(code, 1);
});

test("Ctrl-C in a running tool stops at once, ends all it started, and the exit code is 130; the session can be continued", async () => {
	await using fresh = new Place();
	const running = fresh.start(["run", callTerminal("sleep 60 & echo $$ $! > pids; wait")]);
	const pids = (await fileWritten(`${fresh.work}/pids`)).split(" ").map(Number);
	const began = performance.now();
	running.signal("SIGINT");
	const { code, stdout, stderr } = await running.ended;
	assert.equal(code, 130);
	assert.ok(performance.now() - began < 15_000, "not only when the sleep is over");
	assert.equal(stdout, "");
	assert.match(stderr, /^Stopped\.$/m);
	assert.deepEqual(pids.map(isDead), [true, true]);
	assert.equal((await fresh.run(["run", "--continue", "SEEN sleep 60"])).code, 0);
	assert.equal((await fresh.run(["run", "--continue", "SEEN the user stopped the turn"])).stdout, "1\n");
});

test("a reader that goes away ends the program quietly, and what its tools left running with it", async () => {
	await using fresh = new Place();
	const background = { command: "echo $$ > pid; exec sleep 60", background: true };
	const running = fresh.start(["run", "--json"], { stdin: `SEQ\nCALL terminal ${JSON.stringify(background)}\n${callTerminal("sleep 0.2")}\n${callTerminal("sleep 30")}` });
	await running.shows('"toolName":"terminal"');
	const pid = Number(await fileWritten(`${fresh.work}/pid`));
	running.stopReading();
	const { stderr } = await running.ended;
	assert.doesNotMatch(stderr, /EPIPE|\n\s+at /);
	assert.ok(isDead(pid), "the background process lives on");
});

test("the first line is enough for head", async () => {
	const running = place.start(["run", "--json"], { stdin: `SLOW 5 ${"word ".repeat(2000)}` });
	await running.shows("model.streamed");
	running.stopReading();
	const { code, stderr } = await running.ended;
	assert.doesNotMatch(stderr, /EPIPE|\n\s+at /);
	assert.equal(code, 130);
	const list = place.start(["hooks", "events"]);
	list.stopReading();
	assert.deepEqual([(await list.ended).code, list.stderr], [0, ""]);
});

test("an option of the conversation counts before the command as well", async () => {
	const { code, stderr } = await place.run(["--model", "rehersal", "run", "SAY x"]);
	assert.match(stderr, /There is no model provider 'rehersal'/);
	assert.equal(code, 1);
	assert.match((await place.run(["--no-hooks", "run", "SAY x"])).stderr, /NO HOOK RUNS/);
});
