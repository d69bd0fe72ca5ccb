// What the Python host must do with code that behaves and code that does not, in a real Python.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { LoadError } from "../../src/hosts/host.ts";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { folderWith } from "./host.ts";
import { callOf, open, program, python, told } from "./python-host.ts";

test("a function and a coroutine function answer, many at once, also when the first of them are slow", async () => {
	await using opened = open();
	const unit = await opened.load("a");
	assert.deepEqual(unit.callbacks, [{ id: 0, what: { name: "now" } }, { id: 1, what: { name: "later" } }]);
	const slow = [callOf(unit, { do: "wait", s: 0.3 }), callOf(unit, { do: "wait", s: 0.3 }, { id: 1 })];
	const finished: string[] = [];
	slow.forEach((call, id) => void call.then(() => finished.push(`slow ${id}`)));
	const quick = await Promise.all(Array.from({ length: 100 }, async (_, n) => callOf(unit, { do: "echo", n }, { id: n % 2 })));
	assert.deepEqual(finished, []);
	assert.deepEqual(quick, Array.from({ length: 100 }, (_, n) => ({ do: "echo", n })));
	assert.deepEqual(await Promise.all(slow), [null, "waited"]);
	assert.equal(await told(unit, { do: "awaitable" }), "awaited");
});

const answers: readonly (readonly [way: string, expected: RegExp | string])[] = [
	["raise", /^threw: KeyError: 'no such key' \(\/hostile\.py:\d+\)$/],
	["exit", /^threw: SystemExit: 3 \(\/hostile\.py:\d+\)$/],
	["interrupt", /^threw: KeyboardInterrupt: by hand \(\/hostile\.py:\d+\)$/],
	["recurse", /^threw: RecursionError: maximum recursion depth exceeded.* \(\/hostile\.py:\d+\)$/],
	["bad text", /^threw: Bad: a text that cannot be made \(\/hostile\.py:\d+\)$/],
	["nan", "bad-answer: returned what is no plain data: result['a'][1] is nan, which JSON cannot hold"],
	["set", "bad-answer: returned what is no plain data: result['a'][0] is a set, which JSON cannot hold"],
	["bytes", "bad-answer: returned what is no plain data: result['a']['b'] is a bytes, which JSON cannot hold"],
	["datetime", "bad-answer: returned what is no plain data: result is a datetime, which JSON cannot hold"],
	["key", "bad-answer: returned what is no plain data: result has a key that is a tuple, which JSON cannot hold"],
	["itself", "bad-answer: returned what is no plain data: result['a'][0] contains itself"],
	["deep", "bad-answer: returned what is no plain data: result is nested too deep"],
	["large", "bad-answer: returned 95 MiB, and an answer may have 16"],
	["fork", "from the parent"],
	["close output", "closed"],
	["leave a thread", "left"],
	["print much", "printed"],
];

test("what goes wrong in a callback costs nobody else anything", async (t) => {
	await using opened = open();
	const unit = await opened.load("a");
	const pid = await told(unit, { do: "pid" });
	for (const [way, expected] of answers) {
		for (const id of way === "fork" || way === "print much" ? [0] : [0, 1]) {
			await t.test(`${way}${id === 0 ? "" : " in a coroutine"}`, async () => {
				const answer = await told(unit, { do: way }, { id });
				if (typeof expected === "string") assert.equal(answer, expected);
				else assert.match(String(answer), expected);
				assert.equal(await told(unit, { do: "pid" }), pid);
			});
		}
	}
	assert.deepEqual(opened.strays, []);
});

test("text crosses as it is, half characters included", async () => {
	await using opened = open();
	const unit = await opened.load("a");
	const payload = { do: "echo", text: "é 🙂 \ud800 \udc00 \u2028 \0 \"", "ключ": [null, true, -1.5, 1e300, ""] };
	assert.deepEqual(await callOf(unit, payload), payload);
	assert.deepEqual(await callOf(unit, { do: "echo", text: "x".repeat(8_000_000) }), { do: "echo", text: "x".repeat(8_000_000) });
	assert.match(String(await told(unit, { do: "echo", text: "x".repeat(20_000_000) })), /^cannot-start: its payload is 19 MiB long/);
});

test("what is printed becomes lines of the unit that printed it", async () => {
	await using opened = open();
	const [a, b] = [await opened.load("a"), await opened.load("b")];
	await Promise.all([callOf(a, { do: "print" }), callOf(b, { do: "awaitable" })]);
	await callOf(b, { do: "print" }, { id: 1 });
	const lines = ["by a program", "by os.write", "by print", "half \\ud800 a character", "no end", "not UTF-8: \ufffd", "to stderr"];
	await eventually(() => opened.logged.filter((line) => line.includes("no end")).length === 2, "both were logged");
	assert.deepEqual(opened.logged.filter((line) => line.startsWith("b: ")).toSorted(), lines.map((line) => `b: ${line}`));
	assert.deepEqual(opened.logged.filter((line) => !line.startsWith("b: ")).map((line) => line.replace(/^(?:user|a): /, "")).toSorted(), lines);
});

test("nothing of the place it is started in decides what is imported, no secret is handed on, and there is nothing to read", async () => {
	process.env["TEST_SECRET_KEY"] = "s";
	try {
		await using opened = open();
		const [path, args, input, names] = (await callOf(await opened.load("a"), { do: "import path" })) as [string[], string[], string, string[]];
		assert.deepEqual(path.filter((folder) => folder === "" || folder === process.cwd() || folder.includes("hosts")), []);
		assert.deepEqual([args, input], [[""], ""]);
		assert.deepEqual(names.filter((name) => /SECRET|KEY|TOKEN|^PYTHON/.test(name)), []);
	} finally {
		delete process.env["TEST_SECRET_KEY"];
	}
});

test("errors outside of any call are told with the unit they come from", async () => {
	await using opened = open();
	await opened.load("other", program("asking.py")).catch(() => {});
	const unit = await opened.load("a");
	// The host listens to threads once it had a moment of rest.
	await eventually(async () => {
		await callOf(unit, { do: "thread that raises" });
		return opened.strays.some((stray) => stray.startsWith("a (run): ZeroDivisionError: division by zero ("));
	}, "the thread's error was told");
	await callOf(unit, { do: "task" }, { id: 1 });
	await callOf(unit, { do: "handle signals" });
	await eventually(() => opened.strays.some((stray) => stray.startsWith("a (run): ValueError: from a signal handler (")), "the handler's error was told");
	await eventually(async () => {
		// A task that nobody waits for tells when it is collected.
		await callOf(unit, { do: "task" }, { id: 1 });
		return opened.strays.some((stray) => stray.startsWith("a (run): ValueError: nobody waits for me ("));
	}, "the task's error was told");
	assert.match(String(await told(unit, { do: "pid" })), /^\d+$/);
});

test("a callback asks the agent, in a thread, in a coroutine and while it is loaded; a refusal is raised there", async () => {
	const services = {
		greet: async (unit: string, { name }: { readonly name?: unknown }) => `hello ${String(name)} of ${unit}`,
		nothing: async () => undefined,
		refuse: async () => {
			throw new Error("not today");
		},
		"call back": async () => callOf(unit, { service: "greet", args: { name: "x" } }),
		hang: () => new Promise(() => {}),
	};
	await using opened = open({ services });
	const unit = await opened.load("asker", program("asking.py"));
	for (const id of [0, 1]) {
		assert.equal(await told(unit, { service: "greet", args: { name: "é" } }, { id }), "hello é of asker");
		assert.equal(await told(unit, { service: "nothing" }, { id }), null);
		assert.equal(await told(unit, { service: "call back" }, { id }), "hello x of asker");
		assert.match(String(await told(unit, { service: "refuse" }, { id })), /^threw: ServiceError: not today \(\/asking\.py:\d+\)$/);
		assert.match(String(await told(unit, { service: "toString" }, { id })), /^threw: ServiceError: there is no 'toString' here/);
		assert.match(String(await told(unit, { service: "hang" }, { id, timeoutMs: 100 })), /^timed-out: gave no answer within 100 ms$/);
	}
	assert.equal(await told(unit, {}, { id: 2 }), "asker");
	assert.match(String(await told(unit, {}, { id: 3 })), /^threw: RuntimeError: asker: callbacks can only be registered while it is loaded/);
	// Those that hung were ended with their questions, so the process is the same.
	assert.equal(opened.logged.filter((line) => line.includes("greeting: hello loading of asker")).length, 1);
	await unit.unload();
	await eventually(() => opened.logged.some((line) => line.endsWith("first registered")), "it said goodbye");
	assert.deepEqual(opened.logged.filter((line) => line.includes(" registered: ") || line.endsWith("first registered")), ["asker: second registered: hello unloading of asker", "asker: first registered"]);
	assert.deepEqual(opened.strays, []);
	assert.match(String(await told(unit, {}, { id: 2 })), /^cannot-start: it cannot run: it was unloaded$/);
});

test("units are unloaded when the host closes", async () => {
	const opened = open({ services: { greet: async () => "hi" } });
	await opened.load("asker", program("asking.py"));
	await opened[Symbol.asyncDispose]();
	assert.ok(opened.logged.includes("asker: first registered"), opened.logged.join("\n"));
});

const unloadable: readonly (readonly [sentence: string, text: string, expected: RegExp])[] = [
	["a syntax error", "a = 1\ndef f(:\n", /^\/x\.py:2: it cannot be read: invalid syntax\.$/],
	["a module that is not there", "\nimport not_there_at_all\n", /^\/x\.py:2: it imports 'not_there_at_all', and there is no such module for \/.+\. Install its package for that Python, or name another one in config\.yaml \(python\)\.$/],
	["a raise", "\n\nraise ValueError('no key')\n", /^\/x\.py:3: it raised ValueError: no key while it was loaded\.$/],
	["sys.exit", "import sys\nsys.exit(1)\n", /^\/x\.py:2: it raised SystemExit: 1 while it was loaded\.$/],
	["os._exit", "import os\nos._exit(4)\n", /^\/plain_loader\.py: it called os\._exit\(4\) while it was loaded\.$/],
	["a crash", "import ctypes\nctypes.string_at(0)\n", /^\/plain_loader\.py: it was ended by SIGSEGV while it was loaded\.$/],
];

test("a unit that cannot be loaded says why, and the others go on", async (t) => {
	await using opened = open();
	const good = await opened.load("good");
	for (const [sentence, text, expected] of unloadable) {
		await t.test(sentence, async () => {
			await using folder = await folderWith({ "x.py": text });
			const error = await opened.load("bad", join(folder.path, "x.py")).then(() => assert.fail("it was loaded"), (error: unknown) => error);
			assert.ok(error instanceof LoadError, String(error));
			assert.match(error.message.replaceAll(`${folder.path}/`, "/").replaceAll(program(""), "/"), expected);
			assert.deepEqual(await callOf(good, { do: "echo" }), { do: "echo" });
		});
	}
});

test("only the source that lies there runs, whatever compiled code lies beside it", async () => {
	await using folder = await folderWith({ "p/__init__.py": "from .part import word\n\ndef say(_):\n    return word\n\nhooks = [say]\n", "p/part.py": "word = 'old'\n" });
	const file = join(folder.path, "p/__init__.py");
	const { execFileSync } = await import("node:child_process");
	execFileSync(python, ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", join(folder.path, "p")]);
	await writeFile(join(folder.path, "p/part.py"), "word = 'new'\n");
	await using opened = open();
	const unit = await opened.load("p", file);
	assert.equal(await callOf(unit, {}), "new");
	await unit.unload();
	await writeFile(join(folder.path, "p/part.py"), "word = 'newer'\n");
	assert.equal(await callOf(await opened.load("p", file), {}), "newer");
});

test("without a Python it is said once in the same words for all, and what to do", async () => {
	for (const [choice, expected] of [
		[{ executable: "no-such-python" }, /There is no program 'no-such-python', which is to run Python hooks \(python\.executable in config\.yaml\)\. Install Python 3\.9 or newer/],
		[{ venv: "/projects/none" }, /There is no \/projects\/none\/bin\/python: .* Make it anew: python3 -m venv '\/projects\/none'\.$/],
		[{ executable: "/bin/false" }, /Python could not be started for it: exited with code 1\.$/],
	] as const) {
		await using opened = open({ python: choice });
		for (const name of ["a", "b"]) await assert.rejects(opened.load(name), (error) => error instanceof LoadError && expected.test(error.message));
		assert.deepEqual(opened.strays, []);
	}
});

test("a closed host leaves nothing running", async () => {
	const opened = open();
	const unit = await opened.load("a");
	const [pid, program_] = [Number(await callOf(unit, { do: "pid" })), Number(await callOf(unit, { do: "leave a program" }))];
	await callOf(unit, { do: "leave a thread" });
	await opened[Symbol.asyncDispose]();
	assert.ok(isDead(pid));
	await eventually(() => isDead(program_), "the program it started is gone");
	await assert.rejects(opened.load("b"), /Hookline is closing/);
});
