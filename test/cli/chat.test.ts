// The conversation through a pipe: every line is a message, only answers are on stdout.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { isDead } from "../../src/system/test-waiting.ts";
import { callTerminal, extension, fileWritten, Place } from "./program.ts";

const place = new Place();
after(() => place[Symbol.asyncDispose]());

test("each line of a pipe is a message of one session, and only the answers are on stdout", async () => {
	const { code, stdout, stderr } = await place.run([], { stdin: `SAY a heron\n\n${callTerminal("echo hi")}\nSEEN heron\n/quit\nSAY not reached\n` });
	assert.equal(stdout, "a heron\nDONE\n2\n");
	assert.equal(stderr, "");
	assert.equal(code, 0);
	assert.equal((await place.sessions()).length, 1);
});

test("the slash commands: /help lists them, /new forgets, a misspelt one gets a suggestion", async () => {
	const { stdout } = await place.run([], { stdin: "/help\nSAY a heron\n/new\nSEEN heron\n/hepl\n/hooks\n" });
	assert.match(stdout, /^\/help {7}what can be typed here\n\/new {8}start a fresh session\n(\/[\w-]+ .*\n)+\/quit .*\n(\/[\w-]+ .*\n)*a heron\nNew session \d{8}-\d{6}-\w{4}\.\n0\n/);
	assert.match(stdout, /There is no command \/hepl\. Did you mean 'help'\? The commands are \/help, \/new, .*\/quit.*\.\nhookline\/approvals  guard tool\.calling  \(if it fails, closed: .*\)\n$/);
});

test("/hooks names the live hooks and what happens when one fails", async () => {
	await using fresh = new Place();
	fresh.extension("no-rm.ts", extension(`hooks.guard("tool.calling", () => undefined);`));
	const { stdout } = await fresh.run([], { stdin: "/hooks\n" });
	assert.equal(stdout, "hookline/approvals  guard tool.calling  (if it fails, closed: the tool does not run and the model is told the reason)\nno-rm#1  guard tool.calling  (if it fails, closed: the tool does not run and the model is told the reason)\n");
});

test("when the last line failed the exit code is 1; when a later one went well it is 0", async () => {
	const failed = await place.run([], { stdin: "HTTP 400 no\n" });
	assert.deepEqual([failed.code, failed.stdout], [1, ""]);
	assert.equal((await place.run([], { stdin: "HTTP 400 no\nSAY yes\n" })).code, 0);
});

test("the last line without a line break counts, also when it is long", async () => {
	const words = "word ".repeat(20_000).trim();
	assert.equal((await place.run([], { stdin: `SAY ${words}` })).stdout, `${words}\n`);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
	test(`${signal} ends the turn of a pipe that is at its end, and what the tool started`, async () => {
		await using fresh = new Place();
		const running = fresh.start([], { stdin: `${callTerminal("sleep 60 & echo $$ $! > pids; wait")}\n` });
		const pids = (await fileWritten(`${fresh.work}/pids`)).split(" ").map(Number);
		running.signal(signal);
		assert.equal((await running.ended).code, 130);
		assert.deepEqual(pids.map(isDead), [true, true]);
	});
}

test("without an argument, --continue takes the last session up", async () => {
	await using fresh = new Place();
	await fresh.run([], { stdin: "SAY a stork\n" });
	assert.equal((await fresh.run(["--continue"], { stdin: "SEEN stork\n" })).stdout, "2\n");
});
