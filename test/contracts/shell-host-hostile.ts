// Many hostile programs at once: each is answered in time, named for what it did, and leaves nothing.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { SandboxMode, ShellHost } from "../../src/hosts/shell/job.ts";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { hostile, type Hostile, partsOf } from "../programs/shell/hostile.ts";
import { folderWith } from "./host.ts";
import { inWords, jobOf, openShellHost, processesWith, spawners, type WayKind } from "./shell-host.ts";

const runsInMix = 200;
/** Long enough for what ends by itself on any machine, and short for what does not. */
const timeoutOf = ({ hangs }: Hostile): number => (hangs ? 1_500 : 120_000);
const answerWithinMs = 1_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const heldBytes = (): number => {
	collect();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
};
const openFiles = (pid: number | "self"): number => readdirSync(`/proc/${pid}/fd`).length;
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
const residentBytes = (pid: number): number => Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;

interface Answer {
	readonly hostile: Hostile;
	readonly words: string;
	readonly tookMs: number;
}

/** Runs `count` of them at once, each kind as often as the others. `entry` goes into their environments. */
async function mix(host: ShellHost, kinds: readonly Hostile[], count: number, folder: string, entry: string, sandbox: SandboxMode): Promise<readonly Answer[]> {
	const [name, value] = entry.split("=") as [string, string];
	mkdirSync(folder);
	return Promise.all(
		Array.from({ length: count }, async (_, i): Promise<Answer> => {
			const kind = kinds[i % kinds.length]!;
			const { env, ...parts } = partsOf(kind, join(folder, `${i}`));
			const began = performance.now();
			const words = await inWords(host.run(jobOf({ ...parts, env: { ...env, [name]: value }, sandbox, timeoutMs: timeoutOf(kind) })));
			return { hostile: kind, words, tookMs: performance.now() - began };
		}),
	);
}

export function hostileContract(kind: WayKind, sandbox: SandboxMode): void {
	const where = `started by ${kind === "node" ? "Node" : "the spawner"}${sandbox === "off" ? "" : ", in a sandbox"}`;
	// What only a sandbox can hold would stay behind.
	const kinds = hostile.filter(({ escapes }) => sandbox !== "off" || !escapes);

	describe(`${runsInMix} hostile programs at once, ${where}`, () => {
		let host: ShellHost;
		let folder: Awaited<ReturnType<typeof folderWith>>;
		before(async () => {
			host = openShellHost(kind);
			folder = await folderWith({});
		});
		after(async () => {
			await host[Symbol.asyncDispose]();
			await folder[Symbol.asyncDispose]();
		});

		test("are answered in time and by name, and leave nothing", { timeout: 280_000 }, async () => {
			const entry = `TEST_RUN=${randomUUID()}`;
			// What is made once is no leak.
			const short = kinds.filter(({ hangs }) => !hangs);
			await mix(host, short, short.length, join(folder.path, "first"), entry, sandbox);
			await eventually(() => processesWith(entry).length === 0, "what they left has ended");
			const [spawner] = spawners();
			const before = { files: openFiles("self"), timers: timers(), bytes: heldBytes(), spawnerFiles: spawner && openFiles(spawner) };

			const loop = performance.eventLoopUtilization();
			const answers = await mix(host, kinds, runsInMix, join(folder.path, "second"), entry, sandbox);
			// While our own loop is busy it answers nobody: with making the programs, and where Node starts them with that, which is why there is a spawner.
			const slackMs = performance.eventLoopUtilization(loop).active;
			const late = answers.filter(({ hostile, tookMs }) => tookMs > timeoutOf(hostile) + answerWithinMs + slackMs);
			assert.deepEqual(late.map(({ hostile, tookMs }) => `${hostile.sentence}: ${Math.round(tookMs)} ms`), []);
			// In a sandbox much is read-only, so much comes out otherwise there.
			const expected = (one: Hostile) => (sandbox === "off" ? one.expected : one.hangs ? /^timed-out: |^exit \d+: |^SIG/ : /^cannot-start: |^exit \d+(?: cut)?: |^SIG/);
			assert.deepEqual(answers.filter(({ hostile, words }) => !expected(hostile).test(words)).map(({ hostile, words }) => `${hostile.sentence}: ${words.slice(0, 200)}`), []);
			// What a program left behind on purpose ends by itself, soon; what hangs never would.
			await eventually(() => processesWith(entry).length === 0, "all processes are gone");

			await eventually(() => openFiles("self") <= before.files, `no more than the ${before.files} files of before are open`);
			assert.ok(timers() <= before.timers, `${timers()} timers`);
			await eventually(() => heldBytes() - before.bytes < 16_000_000, "no more memory is held than before");
			if (spawner === undefined) return;
			assert.ok(!isDead(spawner), "the spawner has lived through it");
			await eventually(() => openFiles(spawner) <= before.spawnerFiles!, `the spawner has no more than ${before.spawnerFiles} files open`);
			assert.ok(residentBytes(spawner) < 100_000_000, `the spawner holds ${residentBytes(spawner)} bytes`);
		});
	});
}
