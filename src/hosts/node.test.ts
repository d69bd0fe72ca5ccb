// What only a host in a process of its own has to stand: extensions that end it, block it, flood it, and the end of the agent itself.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { folderWith, program, stateIn } from "../../test/contracts/host.ts";
import { engineWith, facts, inWords, toolCall } from "../../test/engine.ts";
import type { Engine } from "../engine/engine.ts";
import type { ShellRunning } from "../events/payloads/conversation.ts";
import { eventually, isDead } from "../system/test-waiting.ts";
import { LoadError, type LoadedExtension, type Stray } from "./host.ts";
import { nodeHost, type NodeHostOptions } from "./node.ts";

const hostile = program("extensions/hostile.ts");
const shell = (command: string): ShellRunning => ({ ...facts(), command });

interface Opened extends AsyncDisposable {
	readonly engine: Engine;
	readonly hostile: LoadedExtension;
	readonly strays: Stray[];
	readonly logged: string[];
	/** What the hostile extension's guard says to a command. */
	tell(command: string): Promise<string>;
	/** The process id the extensions have now. */
	pid(): Promise<number>;
	load(name: string, file: string, timeoutMs?: number): Promise<LoadedExtension>;
}

async function open(more: Partial<NodeHostOptions> = {}): Promise<Opened> {
	const strays: Stray[] = [];
	const logged: string[] = [];
	const host = nodeHost({ name: "user", onStray: (stray) => void strays.push(stray), log: (from, message) => void logged.push(`${from}: ${message}`), stateOf: () => stateIn(new Map()), ...more });
	const loaded = await host.load({ name: "hostile", file: hostile, trust: "user" });
	const engine = engineWith(loaded.definitions, { log: (hook, message) => void logged.push(`${hook}: ${message}`) });
	const tell = async (command: string) => inWords(await engine.dispatch("tool.calling", toolCall({ command })));
	const pid = async () => Number(/: (\d+)$/.exec(await tell("tells its process"))?.[1]);
	return { engine, hostile: loaded, strays, logged, tell, pid, load: (name, file, timeoutMs = 10_000) => host.load({ name, file, trust: "user" }, { timeoutMs }), [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

const bystander = 'import { defineExtension, block } from "hookline";\nexport default defineExtension((hooks) => {\n\thooks.guard("input.receiving", { name: "slow", timeoutMs: 20_000 }, () => new Promise(() => {}));\n\thooks.guard("message.sending", () => block("still here"));\n});\n';

const ways: readonly (readonly [command: string, expected: RegExp])[] = [
	["exits", /failed \(host-ended\): its process ended: it called process\.exit\(3\)\./],
	["exits after a while", /failed \(host-ended\): its process ended: it called process\.exit\(\)\./],
	["aborts", /failed \(host-ended\): its process ended: it was ended by SIGABRT\./],
	["kills itself", /failed \(host-ended\): its process ended: it was ended by SIGKILL\./],
	["crashes", /failed \(host-ended\): its process ended: it was ended by SIGSEGV\./],
	["writes garbage into the pipe", /failed \(host-ended\): its process ended: it wrote into the pipe to Hookline what is no message\./],
	["answers a call nobody made", /failed \(host-ended\): its process ended: it answered a call that nobody made\./],
];

for (const [command, expected] of ways) {
	test(`an extension that ${command} fails by its name, and is there again for the next call`, async () => {
		await using opened = await open();
		const before = await opened.pid();
		assert.match(await opened.tell(command), expected);
		await eventually(() => opened.strays.length > 0, "the host told of the end");
		assert.deepEqual(opened.strays.map(({ extension, file, during }) => ({ extension, file, during })), [{ extension: "hostile", file: hostile, during: "host" }]);
		assert.notEqual(await opened.pid(), before);
		assert.ok(isDead(before));
	});
}

test("a process that ends again and again is started after longer and longer pauses", async () => {
	await using opened = await open();
	const pauses: number[] = [];
	for (let i = 0; i < 3; i++) {
		await opened.tell("exits");
		const ended = performance.now();
		await opened.pid();
		pauses.push(performance.now() - ended);
	}
	// Only from below: a machine at work may take longer for anything.
	for (const [i, atLeast] of [95, 195, 395].entries()) assert.ok(pauses[i]! >= atLeast, `pauses of ${pauses.join(", ")} ms`);
});

test("an endless loop costs its hook a time-out and its process the life; the next call finds a new one", async () => {
	await using opened = await open();
	const before = await opened.pid();
	const said = inWords(await opened.engine.dispatch("shell.running", shell("loops for ever")));
	assert.match(said, /^blocked by hostile\/short \(failure\): Hook hostile\/short failed \(timed-out\): gave no answer within 200 ms/);
	assert.notEqual(await opened.pid(), before);
	assert.ok(isDead(before));
	assert.match(opened.strays[0]?.message ?? "", /its process ended: it kept its process busy after its time was up/);
});

test("a hook that ends its process three times in a row is put on hold, and the turn goes on each time", async () => {
	await using opened = await open();
	for (let i = 0; i < 3; i++) assert.match(await opened.tell("exits"), /host-ended/);
	assert.match(await opened.tell("ls"), /failed \(suspended\): is on hold for 60 s more after 3 failures in a row; the last: its process ended: it called process\.exit\(3\)/);
});

test("a call that waits without blocking its process is only called off: the process stays", async () => {
	await using opened = await open();
	const before = await opened.pid();
	assert.match(inWords(await opened.engine.dispatch("shell.running", shell("waits"))), /timed-out/);
	assert.equal(await opened.pid(), before);
});

for (const [command, words] of [
	["hoards objects", /failed \(host-ended\): its process ended: it used more memory than the 64 MB it may/],
	["hoards buffers", /failed \((?:host-ended|threw)\): .*(?:memory|allocat)/i],
] as const) {
	test(`2 GB of garbage is the end of nobody else: one that ${command}`, { skip: command === "hoards buffers" && process.platform !== "linux" }, async () => {
		await using opened = await open({ maxMemoryMb: 64 });
		assert.match(await opened.tell(command), words);
		assert.ok((await opened.pid()) > 0);
	});
}

test("bystanders in the same process fail without being counted, with the name of who did it", async () => {
	await using folder = await folderWith({ "bystander.ts": bystander });
	await using opened = await open();
	const other = await opened.load("bystander", join(folder.path, "bystander.ts"));
	opened.engine.register(other.definitions);
	const waiting = opened.engine.dispatch("input.receiving", { ...facts(), text: "hi", origin: "typed" });
	assert.match(await opened.tell("exits"), /failed \(host-ended\): its process ended: it called process\.exit\(3\)/);
	assert.match(inWords(await waiting), /Hook bystander\/slow failed \(host-ended\): the process it shares with others ended: hostile called process\.exit\(3\)\./);
	assert.equal(opened.engine.healthOf("bystander/slow")?.failuresInARow, 0);
	assert.equal(opened.engine.healthOf("hostile/guard")?.failuresInARow, 1);
	assert.equal(inWords(await opened.engine.dispatch("message.sending", { ...facts(), text: "hi", purpose: "answer" })), "blocked by bystander#1 (decision): still here", "it is back with the new process");
});

test("a bystander that is called off while another extension loops is not taken for the culprit", async () => {
	await using folder = await folderWith({ "bystander.ts": bystander.replace("20_000", "100").replace("guard(", "transform(") });
	await using opened = await open();
	opened.engine.register((await opened.load("bystander", join(folder.path, "bystander.ts"))).definitions);
	const looping = opened.tell("loops for ever");
	await opened.engine.dispatch("input.receiving", { ...facts(), text: "hi", origin: "typed" });
	assert.match(await looping, /Hook hostile\/guard failed \(timed-out\): its process ended: it kept its process busy after its time was up/);
	assert.deepEqual(opened.strays.map(({ extension }) => extension), ["hostile"]);
});

test("an exit from a timer is laid at the door of who set it", async () => {
	await using folder = await folderWith({ "bystander.ts": bystander });
	await using opened = await open();
	await opened.load("bystander", join(folder.path, "bystander.ts"));
	assert.equal(await opened.tell("exits in a timer"), "go");
	await eventually(() => opened.strays.length > 0, "the host told of the end");
	assert.deepEqual(opened.strays, [{ extension: "hostile", file: hostile, message: "its process ended: it called process.exit(4)", during: "host" }]);
});

test("what an extension prints is logged under its name, a flood of it only in part", async () => {
	await using opened = await open();
	assert.equal(await opened.tell("floods its output"), "go");
	assert.ok((await opened.pid()) > 0);
	await opened[Symbol.asyncDispose]();
	const lines = opened.logged.filter((line) => line.startsWith("hostile: xxx"));
	assert.ok(lines.length > 0 && lines.length < 30_000, `${lines.length} of 300,000 lines were logged`);
	assert.match(opened.logged.join("\n"), /hostile: printed [\d,]+ bytes more within a second; they were dropped/);
});

test("an extension that closes the pipe is found out at its time-out, and the next call finds a new process", async () => {
	await using opened = await open();
	const before = await opened.pid();
	assert.match(inWords(await opened.engine.dispatch("shell.running", shell("closes the pipe"))), /Hook hostile\/short failed/);
	assert.notEqual(await opened.pid(), before);
});

test("an answer beyond 16 MiB is a bad answer, and the process stays", async () => {
	await using opened = await open();
	const before = await opened.pid();
	assert.match(await opened.tell("answers too much"), /failed \(bad-answer\): its answer is 17 MiB long; a host takes 16 MiB/);
	assert.equal(await opened.pid(), before);
});

test("a payload beyond 16 MiB does not cross", async () => {
	await using opened = await open();
	assert.match(inWords(await opened.engine.dispatch("tool.calling", toolCall({ command: "ls", text: "x".repeat(17 * 1024 * 1024) }))), /failed \(cannot-start\): its payload is 17 MiB long/);
});

test("programs that an extension started end with its process", async () => {
	await using opened = await open();
	const left = Number(/: (\d+)$/.exec(await opened.tell("leaves a program behind"))?.[1]);
	assert.ok(!isDead(left));
	await opened.tell("exits");
	await eventually(() => isDead(left), "the program it left behind was ended");
});

test("an extension sees no secrets of the agent, and not which model it uses", async () => {
	process.env["TEST_API_KEY"] = "sk-secret";
	await using opened = await open();
	const [json] = /\{.*\}/.exec(await opened.tell("tells its environment")) ?? [];
	const names = Object.keys(JSON.parse(json ?? "") as object);
	assert.ok(names.includes("PATH"));
	assert.deepEqual(names.filter((name) => !/^(?:PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|HOOKLINE_HOME|NODE_COMPILE_CACHE|PWD|OLDPWD|SHLVL|_)$/.test(name)), []);
	delete process.env["TEST_API_KEY"];
});

test("an extension cannot write into the state of another that is not there, nor claim more trust than it was given", async () => {
	const asked: string[] = [];
	await using opened = await open({ stateOf: (name) => (asked.push(name), stateIn(new Map())) });
	await opened.tell("answers for another extension with trust");
	assert.ok((await opened.pid()) > 0);
	assert.deepEqual([...new Set(asked)], ["hostile"]);
});

for (const [sentence, text, expected] of [
	["loops for ever", "export {};\nfor (;;);", "it kept its process busy for more than 300 ms while it was loaded."],
	["exits", "process.exit(7);", "it called process.exit(7) while it was loaded."],
	["exits in its factory", 'import { defineExtension } from "hookline";\nexport default defineExtension(() => process.exit(8));', "it called process.exit(8) while it was loaded."],
] as const) {
	test(`a file that ${sentence} while it is loaded is refused, and the others go on`, async () => {
		await using folder = await folderWith({ "a.mjs": text });
		await using opened = await open();
		const file = join(folder.path, "a.mjs");
		const failing = opened.load("mine", file, sentence === "loops for ever" ? 300 : undefined);
		await assert.rejects(failing, (error) => error instanceof LoadError && error.message === `${file}: ${expected}`);
		assert.ok((await opened.pid()) > 0);
		assert.deepEqual(opened.strays, []);
	});
}

test("after a restart, an extension whose file has changed meanwhile does not run with another's numbers", async () => {
	await using folder = await folderWith({ "a.ts": bystander });
	await using opened = await open();
	opened.engine.register((await opened.load("mine", join(folder.path, "a.ts"))).definitions);
	await writeFile(join(folder.path, "a.ts"), bystander.replace("input.receiving", "shell.running"));
	await opened.tell("exits");
	const said = inWords(await opened.engine.dispatch("message.sending", { ...facts(), text: "hi", purpose: "answer" }));
	assert.match(said, /Hook mine#1 failed \(cannot-start\): it cannot run: its file has changed since it was loaded; load it again\./);
});

test("an extension that cannot be started again takes nobody along", async () => {
	await using folder = await folderWith({ "a.ts": bystander });
	await using opened = await open();
	opened.engine.register((await opened.load("mine", join(folder.path, "a.ts"))).definitions);
	await writeFile(join(folder.path, "a.ts"), `process.exit(5);\n${bystander}`);
	await opened.tell("exits");
	assert.match(inWords(await opened.engine.dispatch("message.sending", { ...facts(), text: "hi", purpose: "answer" })), /failed \(cannot-start\): it cannot run: it called process\.exit\(5\) while it was loaded\./);
	assert.ok((await opened.pid()) > 0);
});

test("unloading the last extension ends the process, after the calls under way", async () => {
	await using opened = await open();
	const pid = await opened.pid();
	const answer = opened.tell("answers after a while");
	await opened.hostile.unload();
	assert.equal(await answer, "blocked by hostile/guard (decision): after a while");
	assert.ok(isDead(pid));
	await opened.hostile.unload();
});

test("a Node that is not there is said so", async () => {
	await using host = nodeHost({ name: "user", onStray: () => {}, log: () => {}, stateOf: () => stateIn(new Map()), executable: "/nowhere/node" });
	await assert.rejects(host.load({ name: "hostile", file: hostile, trust: "user" }), /hostile\.ts: its process could not be started: it exited with code 127: .*\/nowhere\/node/);
});

describe("when the agent ends", () => {
	const started = async (...args: string[]) => {
		const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program("node-host.ts"), hostile, ...args], { stdio: ["ignore", "pipe", "inherit"], timeout: 30_000 });
		const lines = createInterface(child.stdout);
		const ended = once(child, "exit");
		const [pid] = (await Promise.race([once(lines, "line"), ended.then(([code, signal]) => assert.fail(`it ended (${code ?? signal}) before it said anything`))])) as [string];
		return { child, lines, pid: Number(pid), ended };
	};

	test("an idle host does not keep it alive, and its child ends with it", async () => {
		const { pid, ended } = await started();
		assert.deepEqual(await ended, [0, null]);
		await eventually(() => isDead(pid), "the child ended");
	});

	test("a host that has only loaded something does not keep it alive either", async () => {
		assert.deepEqual(await (await started("only loads")).ended, [0, null]);
	});

	test("by SIGKILL, its child ends too", async () => {
		const { child, pid, ended } = await started("waits");
		child.kill("SIGKILL");
		await ended;
		await eventually(() => isDead(pid), "the child ended");
	});

	test("by SIGKILL while an extension loops, its child ends too", { skip: process.platform !== "linux" }, async () => {
		const { child, lines, pid, ended } = await started("loops for ever");
		await once(lines, "line");
		child.kill("SIGKILL");
		await ended;
		await eventually(() => isDead(pid), "the child ended");
	});
});

test("an extension is loaded from a folder that knows nothing of Hookline", async () => {
	await using folder = await folderWith({});
	await copyFile(program("extensions/polite.ts"), join(folder.path, "polite.ts"));
	await using opened = await open();
	assert.equal((await opened.load("polite", join(folder.path, "polite.ts"))).definitions.length, 6);
});
