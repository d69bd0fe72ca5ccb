// A shell hook: a script started, fed and heard. Beside it the same script started by a small C program, which is the least it can cost, and by Node.
import { execFile, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { readShellHooks } from "../../src/dialects/hermes-shell/settings.ts";
import { Consent } from "../../src/extensions/consent/consent.ts";
import { settle } from "../../src/extensions/consent/settle.ts";
import { shellHost } from "../../src/hosts/shell/host.ts";
import type { ShellHost } from "../../src/hosts/shell/job.ts";
import { homeOf } from "../../src/system/home.ts";
import { LineChild, program, temporaryFolder } from "../child.ts";
import { figureOf, keep, quantile } from "../measure.ts";
import { atMost, type Measurement, mb, ms, type Row, row, timesTheFloor } from "../row.ts";

const payload = "x".repeat(2_048);
// A guard of the usual kind: it reads its payload and says nothing against it.
const script = `#!/bin/sh\npayload=$(cat)\ncase $payload in *'rm -rf'*) echo '{"decision":"block"}' ;; *) echo '{}' ;; esac\n`;
const rounds = 15;
const warmUpRounds = 3;
const callsInRound = 40;
const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
const heldMb = 500;
const settledMs = 4_500;

type Call = () => Promise<unknown>;

async function withScript<Result>(work: (file: string, folder: string) => Promise<Result>): Promise<Result> {
	await using folder = await temporaryFolder();
	const file = join(folder.path, "hook.sh");
	await writeFile(file, script);
	await chmod(file, 0o755);
	return await work(file, folder.path);
}

const byHost = (host: ShellHost, file: string): Call => {
	const { signal } = new AbortController();
	return () => host.run({ file, args: [], stdin: payload, cwd: "/", env, timeoutMs: 60_000, signal, sandbox: "off" });
};

const byNode = (file: string): Call => () =>
	new Promise<void>((resolve, reject) => {
		const child = spawn(file, { cwd: "/", env, detached: true, stdio: "pipe" });
		child.stdin.on("error", () => {});
		child.stdin.end(payload);
		for (const stream of [child.stdout, child.stderr]) stream.on("data", keep);
		child.once("error", reject);
		child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`the script ended with ${code}`))));
	});

/** The wall time of each of some calls, in ns. */
async function timed(call: Call): Promise<number[]> {
	const times: number[] = [];
	for (let n = 0; n < callsInRound; n++) {
		const began = performance.now();
		await call();
		times.push((performance.now() - began) * ms);
	}
	return times;
}

/** How long the event loop did not wait, in ns a call. */
async function blocked(call: Call): Promise<number> {
	const before = performance.eventLoopUtilization();
	for (let n = 0; n < callsInRound; n++) await call();
	return (performance.eventLoopUtilization(before).active * ms) / callsInRound;
}

/** Why there is no floor, instead of it. */
async function compiled(folder: string): Promise<string | { readonly why: string }> {
	const file = join(folder, "start");
	try {
		await promisify(execFile)("cc", ["-O2", "-o", file, program("start.c")]);
		return file;
	} catch (error) {
		return { why: `without its floor: the C program could not be compiled (${(error as Error).message.split("\n", 1)[0]})` };
	}
}

/** A hook of that script which is approved: what looks at it before a start. */
async function consentTo(file: string, folder: string): Promise<Call> {
	const home = homeOf({ HOOKLINE_HOME: folder });
	const { hooks } = readShellHooks({ value: { hooks: { pre_tool_call: [{ command: file }] } }, placeOf: () => ({ line: 1, column: 1 }) }, { file: home.config, userHome: folder, toolNames: [] });
	const consent = new Consent({ home, environment: env, warn: keep });
	await settle(consent, hooks, { cwd: folder, accept: "the bench", warn: keep });
	return () => consent.for(hooks[0]!, folder);
}

const medianOf = (times: readonly number[]): number => quantile(times.toSorted((a, b) => a - b), 0.5);

/** The medians of each contestant's rounds, taken in turns. */
async function inTurns<Value>(contestants: readonly (() => Promise<Value>)[]): Promise<readonly (readonly Value[])[]> {
	const lanes = contestants.map((): Value[] => []);
	for (let round = -warmUpRounds; round < rounds; round++)
		for (const [i, contestant] of contestants.entries()) {
			const value = await contestant();
			if (round >= 0) lanes[i]!.push(value);
		}
	return lanes;
}

export const measurements: readonly Measurement[] = [
	{
		about: "a shell hook in sh",
		measure: () =>
			withScript(async (file, folder) => {
				await using host = shellHost();
				const floorFile = await compiled(folder);
				const [ours, node] = [byHost(host, file), byNode(file)];
				const both = [async () => medianOf(await timed(ours)), async () => medianOf(await timed(node))];
				const what = `shell hook in sh, 2 KB in: p50, wall (${host.way.kind})`;
				if (typeof floorFile !== "string") {
					const [mine, peer] = await inTurns(both);
					return [row({ what, unit: "ns", measured: figureOf(mine!), peers: [{ name: "Node's spawn", median: figureOf(peer!).median }], note: floorFile.why })];
				}
				await using floor = new LineChild(floorFile, [file, String(payload.length)]);
				const byC = async () => medianOf((await floor.ask(String(callsInRound))).split(" ").map(Number));
				const [mine, peer, least] = await inTurns([...both, byC]);
				const ratio = figureOf(mine!.map((value, i) => value / least![i]!)).median;
				return [row({ what, unit: "ns", measured: figureOf(mine!), floor: { name: "started by C", median: figureOf(least!).median }, ratio, peers: [{ name: "Node's spawn", median: figureOf(peer!).median }], budget: timesTheFloor(1.25) })];
			}),
	},
	{
		about: "the event loop blocked by a shell hook",
		measure: () =>
			withScript(async (file) => {
				await using host = shellHost();
				await using child = new LineChild("cat", []);
				// As long as a script takes: a machine that was idle for a moment is slow at first.
				const echo = () => Promise.all([child.ask(payload), pause(2)]);
				const contestants = [() => blocked(byHost(host, file)), () => blocked(byNode(file)), () => blocked(echo)];
				const rowFor = async (held: string): Promise<Row> => {
					const [mine, peer, least] = await inTurns(contestants);
					const ratio = figureOf(mine!.map((value, i) => value / least![i]!)).median;
					const floor = { name: "line to a child and back", median: figureOf(least!).median };
					return row({ what: `event loop blocked by a shell hook, a call, ${held}`, unit: "ns", measured: figureOf(mine!), floor, ratio, peers: [{ name: "Node's spawn", median: figureOf(peer!).median }], budget: atMost(0.1 * ms) });
				};
				const small = await rowFor("nothing held");
				const held = Array.from({ length: heldMb }, () => Buffer.alloc(mb, 1));
				const large = await rowFor(`${heldMb} MB held`);
				keep(held);
				return [small, large];
			}),
	},
	{
		about: "the event loop blocked by looking at the consent",
		measure: () =>
			withScript(async (file, folder) => {
				const look = await consentTo(file, folder);
				const files = [file, "/bin/sh", ...["approved", "shell-hooks-allowlist.json"].map((name) => join(folder, name))];
				// What was written just now is hashed each time.
				await pause(settledMs);
				// As much time between two as a script takes.
				const apart = (work: Call): Call => async () => (await pause(2), work());
				const [mine, floor, idle] = await inTurns([() => blocked(apart(look)), () => blocked(apart(async () => files.forEach((one) => statSync(one)))), () => blocked(apart(async () => {}))]);
				const without = (lane: readonly number[]) => figureOf(lane.map((value, i) => Math.max(0, value - idle![i]!)));
				return [row({ what: "event loop blocked by looking at the consent, a call", unit: "ns", measured: without(mine!), floor: { name: `stat of ${files.length} files`, median: without(floor!).median }, note: "comes to each call of a shell hook" })];
			}),
	},
];
