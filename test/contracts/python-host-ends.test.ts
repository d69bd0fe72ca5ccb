// What ends a Python host, or should, and what becomes of the calls that are under way.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { engineWith, guard, inWords, toolCall } from "../engine.ts";
import type { LoadedUnit } from "../../src/hosts/python/unit.ts";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { folderWith } from "./host.ts";
import { callOf, open, program, python, told } from "./python-host.ts";

const pidOf = async (unit: LoadedUnit): Promise<number> => Number(await callOf(unit, { do: "pid" }));

const ends: readonly (readonly [way: string, expected: RegExp])[] = [
	["os._exit", /^host-ended: its Python process ended: it called os\._exit\(3\)$/],
	["abort", /^host-ended: its Python process ended: it was ended by SIGABRT$/],
	["kill itself", /^host-ended: its Python process ended: it was ended by SIGKILL$/],
	["kill its keeper", /^host-ended: its Python process ended: it was ended by SIGKILL$/],
	["crash", /^host-ended: its Python process ended: it was ended by SIGSEGV$/],
	["close everything", /^host-ended: its Python process ended: it exited with code 1$/],
];

for (const [way, expected] of ends) {
	test(`a unit that does '${way}' fails by its name, and is there again for the next call`, async () => {
		await using opened = open();
		const unit = await opened.load("a");
		for (const id of way === "os._exit" ? [0, 1] : [0]) {
			const before = await pidOf(unit);
			assert.match(String(await told(unit, { do: way, code: 3 }, { id })), expected);
			assert.deepEqual(opened.strays.splice(0), [`a (host): ${String(expected).slice("/^host-ended: ".length, -2).replaceAll("\\", "")}`]);
			assert.notEqual(await pidOf(unit), before);
			await eventually(() => isDead(before), "the old one is gone");
		}
		if (way === "os._exit") assert.ok(opened.logged.includes("a: last line"), opened.logged.join("\n"));
	});
}

const endless: readonly (readonly [sentence: string, way: string, id: number])[] = [
	["a function that never ends", "spin", 0],
	["a function that sleeps", "wait", 0],
	["a coroutine function that blocks the loop", "spin", 1],
	["a coroutine that does not let itself be cancelled", "ignore the end", 1],
	["a call into C that lets no other Python code run", "hold the interpreter", 0],
];

for (const [sentence, way, id] of endless) {
	test(`${sentence} costs its hook a time-out and its process the life`, async () => {
		await using opened = open();
		const [unit, other] = [await opened.load("a"), await opened.load("other")];
		const before = await pidOf(unit);
		const beside = told(other, { do: "wait", s: 30 }, { timeoutMs: 25_000 });
		assert.equal(await told(unit, { do: way, s: 600 }, { id, timeoutMs: 200 }), "timed-out: gave no answer within 200 ms");
		assert.equal(await beside, "host-ended (not counted): the Python process it shares with others ended: a did not end when its time was up");
		assert.deepEqual(opened.strays, ["a (host): its Python process ended: it did not end when its time was up"]);
		assert.notEqual(await pidOf(unit), before);
		assert.ok(isDead(before));
	});
}

test("a unit that is kept waiting by another one's blocked loop is not blamed for it", async () => {
	await using opened = open();
	const [blocker, victim] = [await opened.load("blocker"), await opened.load("victim", program("patient.py"))];
	const blocking = told(blocker, { do: "spin" }, { id: 1 });
	const late = await told(victim, {}, { timeoutMs: 100 });
	assert.equal(late, "timed-out: gave no answer within 100 ms");
	assert.equal(await blocking, "host-ended: its Python process ended: it did not end when its time was up");
	assert.deepEqual(opened.strays, ["blocker (host): its Python process ended: it did not end when its time was up"]);
});

test("a call that ends soon after it was called off leaves the process alone, and its answer is dropped", async () => {
	await using opened = open();
	const unit = await opened.load("a");
	const before = await pidOf(unit);
	assert.equal(await told(unit, { do: "wait", s: 0.4 }, { timeoutMs: 100 }), "timed-out: gave no answer within 100 ms");
	assert.equal(await told(unit, { do: "wait", s: 600 }, { id: 1, timeoutMs: 100 }), "timed-out: gave no answer within 100 ms");
	const stop = new AbortController();
	const stopped = told(unit, { do: "wait", s: 0.4 }, { signal: stop.signal });
	stop.abort();
	assert.equal(await stopped, "interrupted (not counted): was stopped together with the turn");
	await eventually(() => opened.logged.filter((line) => line === "a: a callback answered after its time was up; the answer was dropped").length === 3, "all three have ended");
	assert.equal(await pidOf(unit), before);
});

test("kill -9 in the middle of 200 calls: each fails or is answered, guards hold, and nothing is left over", async () => {
	await using opened = open();
	const unit = await opened.load("a");
	// Once for what is made by the first call of its kind, then what is held must not grow: each round sends 20 MB.
	const text = "x".repeat(100_000);
	let n = 0;
	const held: { readonly bytes: number; readonly children: number }[] = [];
	for (let round = 0; round < 4; round++) {
		const engine = engineWith([guard("tool.calling", (payload, { signal }) => unit.call(0, { payload: { do: "wait", s: payload.args["s"], text: text + n++ }, timeoutMs: 60_000, signal }), { timeoutMs: 60_000 })]);
		const pid = await pidOf(unit);
		const calls = Array.from({ length: 200 }, async (_, n) => inWords(await engine.dispatch("tool.calling", toolCall({ s: n % 2 === 0 ? 0 : 50 }))));
		const quick = await Promise.all(calls.filter((_, n) => n % 2 === 0));
		process.kill(pid, "SIGKILL");
		const slow = await Promise.all(calls.filter((_, n) => n % 2 === 1));
		assert.deepEqual([...quick, ...slow].length, 200);
		assert.deepEqual(quick.filter((outcome) => outcome !== "go"), []);
		const blocked = "blocked by test#1 (failure): Hook test#1 failed (host-ended): its Python process ended: it was ended by SIGKILL. It is closed, so nothing goes on without its answer.";
		assert.deepEqual(slow.filter((outcome) => outcome !== blocked), []);
		assert.deepEqual(await callOf(unit, { do: "echo" }), { do: "echo" });
		await eventually(() => isDead(pid), "the killed one is gone");
		held.push({ bytes: heldNow(), children: childrenNow() });
	}
	assert.ok(held.at(-1)!.bytes - held[0]!.bytes < 10_000_000, `held after each round: ${held.map(({ bytes }) => bytes).join(", ")} bytes`);
	assert.deepEqual(held.map(({ children }) => children), held.map(() => held[0]!.children));
});

/** Bytes that are still reachable. */
function heldNow(): number {
	setFlagsFromString("--expose-gc");
	(runInNewContext("gc") as () => void)();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

/** On Linux; nothing where the kernel does not tell. */
function childrenNow(): number {
	const file = `/proc/${process.pid}/task/${process.pid}/children`;
	return existsSync(file) ? readFileSync(file, "utf8").split(" ").filter(Boolean).length : 0;
}

test("of 50 units one hangs, one throws and one prints 100 MB: the others answer, and each is named", async () => {
	await using opened = open();
	const units = await Promise.all(Array.from({ length: 50 }, (_, n) => opened.load(`unit-${n}`)));
	const payloadOf = (n: number) => (n === 7 ? { do: "wait", s: 600 } : n === 8 ? { do: "raise" } : n === 9 ? { do: "print much" } : { do: "echo", n });
	const order: number[] = [];
	const answers = await Promise.all(units.map((unit, n) => told(unit, payloadOf(n), n === 7 ? { timeoutMs: 5_000 } : {}).finally(() => order.push(n))));
	assert.equal(answers[7], "timed-out: gave no answer within 5000 ms");
	assert.equal(order.at(-1), 7, "nobody waited longer than the one that hangs");
	assert.match(String(answers[8]), /^threw: KeyError/);
	assert.equal(answers[9], "printed");
	assert.deepEqual(answers.filter((_, n) => n < 7 || n > 9), units.flatMap((_, n) => (n < 7 || n > 9 ? [{ do: "echo", n }] : [])));
	await eventually(() => opened.logged.some((line) => /^unit-9: printed [\d,]+ bytes more within a second; they were dropped$/.test(line)), "the flood was cut");
	await eventually(() => opened.strays.includes("unit-7 (host): its Python process ended: it did not end when its time was up"), "the process was replaced");
	assert.deepEqual(await Promise.all(units.map((unit, n) => told(unit, { do: "echo", n }))), units.map((_, n) => ({ do: "echo", n })));
});

test("a unit that registers something else after a restart does not run", async () => {
	await using folder = await folderWith({ "x.py": "import os\n\ndef one(_):\n    os._exit(1)\n\nhooks = [one]\n" });
	await using opened = open();
	const [unit, good] = [await opened.load("changed", join(folder.path, "x.py")), await opened.load("good")];
	await writeFile(join(folder.path, "x.py"), "def two(_):\n    return 2\n\nhooks = [two]\n");
	await told(unit, {});
	assert.equal(await told(unit, {}), "cannot-start: it cannot run: what it registers has changed since it was loaded; load it again");
	assert.deepEqual(await callOf(good, { do: "echo" }), { do: "echo" });
	assert.deepEqual(opened.strays, ["changed (host): its Python process ended: it called os._exit(1)", "changed (host): its hooks cannot run: what it registers has changed since it was loaded; load it again"]);
});

test("a process that ends again and again is started after longer and longer pauses", async () => {
	await using opened = open();
	const unit = await opened.load("a");
	const pauses: number[] = [];
	for (let i = 0; i < 3; i++) {
		await told(unit, { do: "os._exit", code: 1 });
		const ended = performance.now();
		await pidOf(unit);
		pauses.push(performance.now() - ended);
	}
	// Only from below: a machine at work may take longer for anything.
	for (const [i, atLeast] of [95, 195, 395].entries()) assert.ok(pauses[i]! >= atLeast, `pauses of ${pauses.join(", ")} ms`);
});

test("nothing survives a SIGKILL of the agent: not a loop, not a call into C, not what hooks started", async () => {
	for (const way of ["spin", "hold the interpreter"]) {
		const agent = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", fileURLToPath(new URL("../programs/python-agent.ts", import.meta.url)), python, way], { stdio: ["ignore", "pipe", "inherit"] });
		const [line] = (await once(createInterface({ input: agent.stdout! }), "line")) as [string];
		const pids = JSON.parse(line) as number[];
		assert.equal(pids.length, 2);
		const keepers = pids.flatMap(parentOf);
		agent.kill("SIGKILL");
		await eventually(() => [...pids, ...keepers].every(isDead), `all of ${[...pids, ...keepers].join(", ")} are gone after '${way}'`);
	}
});

/** On Linux; nothing where there is no process table to read. */
function parentOf(pid: number): number[] {
	if (!readdirSync("/").includes("proc")) return [];
	const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
	return parent > 1 && parent !== process.pid ? [parent] : [];
}
