// A guard in the node host, beside the least a round trip to a child costs. Wall time: most of it is waiting.
import { createEngine } from "../../src/engine/engine.ts";
import { nodeHost } from "../../src/hosts/node.ts";
import { LineChild, program } from "../child.ts";
import { toolCall } from "../handlers.ts";
import { figureOf, quantile } from "../measure.ts";
import { atMost, type Measurement, ms, row } from "../row.ts";

const content = "x".repeat(1900);
const rounds = 20;
const warmUpRounds = 5;
const callsInRound = 150;

export const measurements: readonly Measurement[] = [
	{
		about: "a guard in the node host, 2 KB",
		async measure() {
			const engine = createEngine();
			const state = new Map<string, unknown>();
			const durable = { get: (key: string) => state.get(key), set: (key: string, value: unknown) => void state.set(key, value), delete: (key: string) => void state.delete(key), keys: () => [...state.keys()] };
			await using host = nodeHost({ name: "bench", onStray: ({ message }) => console.error(message), log: () => {}, stateOf: () => durable });
			engine.register((await host.load({ name: "one-guard", file: program("one-guard.ts"), trust: "user" })).definitions);
			await using child = new LineChild(process.execPath, ["--disable-warning=ExperimentalWarning", program("line-child.ts")]);
			const call = (n: number) => ({ ...toolCall(n), toolName: "write_file", args: { path: "notes.md", content } });
			const line = JSON.stringify(call(1));

			const timed = async (work: (n: number) => Promise<unknown>): Promise<number[]> => {
				const times: number[] = [];
				for (let n = 0; n < callsInRound; n++) {
					const began = performance.now();
					await work(n);
					times.push((performance.now() - began) * ms);
				}
				return times;
			};
			const hosted = () => timed(async (n) => {
				const outcome = await engine.dispatch("tool.calling", call(n));
				if (outcome.kind !== "go") throw new Error(`The call was ${outcome.kind}.`);
			});
			const bare = () => timed(() => child.ask(line));
			const ours: number[][] = [];
			const floor: number[][] = [];
			for (let round = -warmUpRounds; round < rounds; round++) {
				const [mine, least] = [await hosted(), await bare()];
				if (round < 0) continue;
				ours.push(mine);
				floor.push(least);
			}
			const at = (part: number, what: string, budget?: number) => {
				const of = (samples: readonly number[][]) => samples.map((times) => quantile(times.toSorted((a, b) => a - b), part));
				const [mine, least] = [of(ours), of(floor)];
				const ratio = figureOf(mine.map((value, i) => value / least[i]!)).median;
				return row({ what, unit: "ns", measured: figureOf(mine), floor: { name: "line to a child and back", median: figureOf(least).median }, ratio, ...(budget !== undefined && { budget: atMost(budget) }) });
			};
			return [at(0.5, "guard in the node host, 2 KB: p50, wall", 0.1 * ms), at(0.95, "guard in the node host, 2 KB: p95, wall")];
		},
	},
];
