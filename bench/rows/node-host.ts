// A guard and a tool in the node host, beside the least a round trip to a child costs. Wall time: most of it is waiting.
import { createEngine } from "../../src/engine/engine.ts";
import type { Host } from "../../src/hosts/host.ts";
import { nodeHost } from "../../src/hosts/node.ts";
import { LineChild, program } from "../child.ts";
import { toolCall } from "../handlers.ts";
import { figureOf, quantile } from "../measure.ts";
import { atMost, type Measurement, ms, type Row, row } from "../row.ts";

const content = "x".repeat(1900);
const rounds = 20;
const warmUpRounds = 5;
const callsInRound = 150;

const call = (n: number) => ({ ...toolCall(n), toolName: "write_file", args: { path: "notes.md", content } });

function openHost(): Host {
	const state = new Map<string, unknown>();
	const durable = { get: (key: string) => state.get(key), set: (key: string, value: unknown) => void state.set(key, value), delete: (key: string) => void state.delete(key), keys: () => [...state.keys()] };
	return nodeHost({ name: "bench", onStray: ({ message }) => console.error(message), log: () => {}, stateOf: () => durable });
}

async function timed(work: (n: number) => Promise<unknown>): Promise<number[]> {
	const times: number[] = [];
	for (let n = 0; n < callsInRound; n++) {
		const began = performance.now();
		await work(n);
		times.push((performance.now() - began) * ms);
	}
	return times;
}

/** What `work` takes, beside a line of that length to a child and back. */
async function beside(what: string, work: (n: number) => Promise<unknown>): Promise<Row[]> {
	await using child = new LineChild(process.execPath, ["--disable-warning=ExperimentalWarning", program("line-child.ts")]);
	const line = JSON.stringify(call(1));
	const ours: number[][] = [];
	const floor: number[][] = [];
	for (let round = -warmUpRounds; round < rounds; round++) {
		const [mine, least] = [await timed(work), await timed(() => child.ask(line))];
		if (round < 0) continue;
		ours.push(mine);
		floor.push(least);
	}
	const at = (part: number, named: string, budget?: number) => {
		const of = (samples: readonly number[][]) => samples.map((times) => quantile(times.toSorted((a, b) => a - b), part));
		const [mine, least] = [of(ours), of(floor)];
		const ratio = figureOf(mine.map((value, i) => value / least[i]!)).median;
		return row({ what: named, unit: "ns", measured: figureOf(mine), floor: { name: "line to a child and back", median: figureOf(least).median }, ratio, ...(budget !== undefined && { budget: atMost(budget) }) });
	};
	return [at(0.5, `${what}: p50, wall`, 0.1 * ms), at(0.95, `${what}: p95, wall`)];
}

export const measurements: readonly Measurement[] = [
	{
		about: "a guard in the node host, 2 KB",
		async measure() {
			const engine = createEngine();
			await using host = openHost();
			engine.register((await host.load({ name: "one-guard", file: program("one-guard.ts"), trust: "user" })).definitions);
			return await beside("guard in the node host, 2 KB", async (n) => {
				const outcome = await engine.dispatch("tool.calling", call(n));
				if (outcome.kind !== "go") throw new Error(`The call was ${outcome.kind}.`);
			});
		},
	},
	{
		about: "a tool in the node host, 2 KB",
		async measure() {
			await using host = openHost();
			const { brings } = await host.load({ name: "one-tool", file: program("one-tool.ts"), trust: "user" });
			const [tool] = brings!.tools;
			const place = { signal: new AbortController().signal, cwd: "/", sessionId: "s", callId: "c", update: () => {} };
			return await beside("tool in the node host, 2 KB", async () => {
				const { text } = await tool!.run({ content }, place);
				if (text !== "1900") throw new Error(`The tool gave ${text}.`);
			});
		},
	},
];
