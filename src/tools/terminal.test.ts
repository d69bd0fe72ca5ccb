import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, isDead } from "../system/test-waiting.ts";
import { terminal } from "./terminal.ts";
import { testContext } from "./test-context.ts";

const numberIn = async (path: string) => Number(await readFile(path, "utf8").catch(() => ""));

test("the output of a command comes back, both streams in the order they were written", async () => {
	await using context = await testContext();
	const command = "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done; echo last > /dev/stderr";
	const result = await terminal.run({ command }, context);
	assert.equal(result.text, `${[1, 2, 3, 4, 5].map((i) => `out ${i}\nerr ${i}`).join("\n")}\nlast`);
	assert.equal(result.isError, false);
	assert.deepEqual(result.details, { exitCode: 0, signal: null, timedOut: false, interrupted: false, outputBytes: result.text.length + 1 });
});

test("the shell gets the command exactly as it is", async () => {
	await using context = await testContext();
	const result = await terminal.run({ command: `printf '%s|' "a  b" 'c"d' $'e\\nf' \\\\ '$HOME' "*"` }, context);
	assert.equal(result.text, 'a  b|c"d|e\nf|\\|$HOME|*|');
});

test("an exit code that is not 0 is an error and is named on the last line", async () => {
	await using context = await testContext();
	assert.deepEqual(await terminal.run({ command: "exit 137" }, context), {
		text: "(no output)\n[exit code 137]",
		isError: true,
		details: { exitCode: 137, signal: null, timedOut: false, interrupted: false, outputBytes: 0 },
	});
	assert.equal((await terminal.run({ command: "echo so far; kill -KILL $$" }, context)).text, "so far\n[ended by signal SIGKILL]");
});

test("nothing can be typed into a command: its input is empty", async () => {
	await using context = await testContext();
	assert.equal((await terminal.run({ command: "cat; read line; echo $?; exec <&-; echo closed" }, context)).text, "1\nclosed");
});

test("a command runs in the folder that was asked for", async () => {
	await using context = await testContext();
	assert.equal((await terminal.run({ command: "mkdir -p a/b; pwd" }, context)).text, context.cwd);
	assert.equal((await terminal.run({ command: "pwd", cwd: "a/b" }, context)).text, join(context.cwd, "a/b"));
	const missing = await terminal.run({ command: "touch ran", cwd: "a/c/d" }, context);
	assert.equal(missing.text, `The working folder cannot be used. There is no 'a/c/d': the folder ${context.cwd}/a/c does not exist. Nothing ran.`);
	await writeFile(join(context.cwd, "file"), "");
	assert.equal((await terminal.run({ command: "pwd", cwd: "file" }, context)).text, "The working folder 'file' is a file, not a folder. Nothing ran.");
});

test("commands that no system can run are refused in words", async () => {
	await using context = await testContext();
	const run = async (command: string) => (await terminal.run({ command }, context)).text;
	assert.equal(await run("echo a\0b"), "The command holds a NUL character (at position 7), which no program can be given, so nothing ran. Leave it out.");
	assert.equal(await run("  \n"), "The command is empty, so nothing ran. Give a shell command.");
	assert.match(await run(`: ${"x".repeat(3_000_000)}`), /^The command is too long for the system \(3000002 characters\), so nothing ran\. Write it to a file/);
	assert.match(await run("no-such-program-at-all"), /no-such-program-at-all: command not found\n\[exit code 127\]$/);
});

test("keys and passwords of the user are not in the environment, everything else is", async () => {
	await using context = await testContext();
	const names = ["HOOKLINE_API_KEY", "SOME_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY", "client_secret", "HOOKLINE_TEST_PLAIN", "TOKENIZER"];
	for (const name of names) process.env[name] = "visible";
	try {
		const { text } = await terminal.run({ command: "env | grep =visible | sort; echo $TERM $PAGER $GIT_PAGER" }, context);
		assert.equal(text, "HOOKLINE_TEST_PLAIN=visible\nTOKENIZER=visible\ndumb cat cat");
	} finally {
		for (const name of names) delete process.env[name];
	}
});

test("200 MB of output are neither kept nor in the way", async () => {
	await using context = await testContext();
	const before = process.memoryUsage().rss;
	const result = await terminal.run({ command: "echo first; yes | head -c 200000000; echo last" }, context);
	const grown = process.memoryUsage().rss - before;
	assert.ok(grown < 150_000_000, `${grown} bytes more`);
	assert.ok(result.text.length < 30_200);
	assert.match(result.text, /^first\ny\n/);
	assert.match(result.text, /\ny\nlast$/);
	assert.match(result.text, /\n\[\.\.\. [\d,]+ characters left out here; write the output to a file to read all of it \.\.\.\]\n/);
	assert.equal(result.details?.["outputBytes"], 200_000_011);
	assert.ok(context.raw[0]!.output.length < 1_100_000);
	assert.match(context.raw[0]!.output, /\n\[\.\.\. 198,\d{3},\d{3} bytes of output dropped here \.\.\.\]\n/);
});

test("output that is no UTF-8 stays readable, escape sequences go, a progress bar keeps its last state", async () => {
	await using context = await testContext();
	const result = await terminal.run({ command: `printf 'caf\\xe9 \\xc3\\xa9 \\033[31mred\\033[0m\\033]0;title\\007 \\a10%%\\r99%%\\r\\n'` }, context);
	assert.equal(result.text, "99%");
	const plain = await terminal.run({ command: `printf 'caf\\xe9 \\xc3\\xa9 \\033[31mred\\033[0m\\033]0;title\\007.'` }, context);
	assert.equal(plain.text, "caf\uFFFD \u00e9 red.");
});

test("the hooks see the raw output, and what they give goes on", async () => {
	await using context = await testContext({ onTerminalOutput: (raw) => `${JSON.stringify(raw)}\x1b[1m!` });
	const result = await terminal.run({ command: "printf '\\033[31mred'; exit 3" }, context);
	const seen = { command: "printf '\\033[31mred'; exit 3", output: "\x1b[31mred", exitCode: 3 };
	assert.equal(result.text, `${JSON.stringify(seen)}!\n[exit code 3]`);
});

test("output that a hook withholds is not told, but that the command ran is", async () => {
	await using context = await testContext({
		onTerminalOutput: () => {
			throw new Error("the redactor failed.");
		},
	});
	const result = await terminal.run({ command: "echo secret" }, context);
	assert.equal(result.text, "The command ran, but its output is withheld: the redactor failed.");
	assert.equal(result.isError, true);
});

test("at its time-out a command is killed with its grandchildren, also when they ignore SIGTERM", async () => {
	await using context = await testContext();
	const command = `trap '' TERM; (trap '' TERM; echo $BASHPID > grandchild; while :; do sleep 0.1; done) & echo begun; wait`;
	const started = performance.now();
	const result = await terminal.run({ command, timeout_s: 0.5 }, context);
	assert.ok(performance.now() - started < 20_000);
	assert.equal(result.text, "begun\n[timed out after 0.5 s; the process group was killed]");
	assert.equal(result.isError, true);
	assert.deepEqual({ ...result.details, signal: "" }, { exitCode: null, signal: "", timedOut: true, interrupted: false, outputBytes: 6 });
	const grandchild = await numberIn(join(context.cwd, "grandchild"));
	assert.ok(grandchild > 1);
	await eventually(() => isDead(grandchild), "the grandchild dies");
});

test("a stop by the user ends the command and what it started", async () => {
	const stop = new AbortController();
	await using context = await testContext({ signal: stop.signal });
	const running = terminal.run({ command: "sleep 1000 & echo $! > child; wait" }, context);
	await eventually(async () => (await numberIn(join(context.cwd, "child"))) > 1, "the command begins");
	stop.abort();
	const result = await running;
	assert.equal(result.text, "(no output)\n[interrupted]");
	assert.equal(result.details?.["interrupted"], true);
	const child = await numberIn(join(context.cwd, "child"));
	await eventually(() => isDead(child), "the child dies");
	assert.equal((await terminal.run({ command: "touch late" }, context)).text, "[interrupted]");
	assert.equal(existsSync(join(context.cwd, "late")), false);
});

test("a grandchild that holds the output open is not waited for", async () => {
	await using context = await testContext();
	const started = performance.now();
	const result = await terminal.run({ command: "sleep 1000 & disown; echo $!" }, context);
	assert.ok(performance.now() - started < 15_000);
	const [pid, note] = result.text.split("\n");
	process.kill(Number(pid), "SIGKILL");
	assert.equal(note, "[something it started still runs; its further output is not shown]");
	assert.equal(result.isError, false);
});

test("what a command leaves running can go on writing", async () => {
	await using context = await testContext();
	const command = "(until [ -e go ]; do sleep 0.02; done; echo still here; echo yes > written) & echo begun";
	assert.match((await terminal.run({ command }, context)).text, /^begun\n/);
	await writeFile(join(context.cwd, "go"), "");
	await eventually(async () => (await readFile(join(context.cwd, "written"), "utf8").catch(() => "")) === "yes\n", "it outlives the end of its output");
});

test("a background process is read and ended by its id", async () => {
	await using context = await testContext();
	const started = await terminal.run({ command: "echo one; sleep 1000 & echo $! > child; wait", background: true }, context);
	assert.match(started.text, /^Started in the background as bg1 \(process \d+\), without a time limit\. Its output: \{"command": "read", "process_id": "bg1"\}/);
	let text = "";
	await eventually(async () => (text = (await terminal.run({ command: "read", process_id: "bg1" }, context)).text).includes("one"), "its output");
	assert.equal(text, "one\n[still running]");
	assert.deepEqual(context.raw.at(-1), { command: "echo one; sleep 1000 & echo $! > child; wait", output: "one\n" });
	await eventually(async () => (await numberIn(join(context.cwd, "child"))) > 1, "its child");
	const ended = await terminal.run({ command: "end", process_id: "bg1" }, context);
	assert.equal(ended.text, "(no output)\n[ended]");
	assert.equal(ended.isError, false);
	const child = await numberIn(join(context.cwd, "child"));
	await eventually(() => isDead(child), "its child ends with it");
	const wrong = await terminal.run({ command: "dir", process_id: "bg1" }, context);
	assert.equal(wrong.text, "With process_id the command must be 'read' or 'end', so nothing was done. To run 'dir', leave process_id out.");
	assert.equal((await terminal.run({ command: "read", process_id: "bg7" }, context)).text, "There is no background process 'bg7'. Known: bg1.");
});

test("a background process that failed says so when it is read", async () => {
	await using context = await testContext();
	await terminal.run({ command: "echo broken; exit 4", background: true }, context);
	await eventually(() => context.processes.get("bg1")?.exitCode === 4, "it ends");
	const result = await terminal.run({ command: "read", process_id: "bg1" }, context);
	assert.equal(result.text, "broken\n[exit code 4]");
	assert.equal(result.isError, true);
	assert.equal(context.raw[0]!.exitCode, 4);
});

test("only the last output of a background process is kept, and what was dropped is said", async () => {
	await using context = await testContext();
	await terminal.run({ command: "yes | head -c 1000000; echo last", background: true }, context);
	await eventually(() => context.processes.get("bg1")?.exitCode === 0, "it ends");
	const output = context.processes.get("bg1")!.read();
	assert.match(output, /^\n\[\.\.\. 934,469 bytes of output dropped here \.\.\.\]\n/);
	assert.ok(output.endsWith("y\nlast\n") && output.length < 66_000);
	assert.equal(context.processes.get("bg1")!.read(), "");
});

test("background processes end with the session, also one that is added too late", async () => {
	await using context = await testContext();
	await terminal.run({ command: "trap '' TERM; while :; do sleep 0.1; done", background: true }, context);
	await context.processes[Symbol.asyncDispose]();
	const first = context.processes.get("bg1")!.pid;
	await eventually(() => isDead(first), "the first ends");
	await terminal.run({ command: "sleep 1000", background: true }, context);
	const second = context.processes.get("bg2")!.pid;
	await eventually(() => isDead(second), "the second ends");
});
