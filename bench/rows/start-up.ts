// What it costs to be there: importing the engine into a program, and an agent that waits.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { program, Stopwatch, temporaryFolder, type Usage } from "../child.ts";
import { figureOf } from "../measure.ts";
import { type Measurement, row } from "../row.ts";

const quiet = "--disable-warning=ExperimentalWarning";

async function idleMemory(file: string, home: string): Promise<number> {
	const child: ChildProcess = fork(file, { execArgv: [quiet], cwd: home, env: { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: home }, stdio: ["ignore", "ignore", "inherit", "ipc"] });
	const gone = once(child, "exit");
	const heard = async () => ((await Promise.race([once(child, "message"), gone.then(() => [undefined])])) as readonly unknown[])[0];
	await heard();
	child.send("report");
	const bytes = await heard();
	await gone;
	if (typeof bytes !== "number") throw new Error(`'${file.split("/").at(-1)}' ended without a report`);
	return bytes;
}

export const measurements: readonly Measurement[] = [
	{
		about: "import of the engine",
		async measure() {
			await using folder = await temporaryFolder();
			await using watch = new Stopwatch(folder.path, { NODE_COMPILE_CACHE: folder.path });
			const [ours, floor] = await watch.race([[process.execPath, quiet, program("import-engine.ts")], [process.execPath, quiet, program("nothing.ts")]], 15);
			const of = (what: "cpu" | "wall", name: string) => {
				const values = (usages: readonly Usage[]) => usages.map((usage) => usage[what]);
				const above = values(ours!).map((value, i) => value - floor![i]![what]);
				return row({ what: `import of the engine alone: ${name}`, unit: "ns", measured: figureOf(above), floor: { name: "an empty program", median: figureOf(values(floor!)).median }, note: "above the empty program, both with a warm compile cache" });
			};
			return [of("cpu", "CPU"), of("wall", "wall")];
		},
	},
	{
		about: "memory of an agent that waits",
		async measure() {
			await using folder = await temporaryFolder();
			const samples: { readonly ours: number; readonly floor: number }[] = [];
			for (let n = 0; n < 5; n++) samples.push({ ours: await idleMemory(program("idle.ts"), folder.path), floor: await idleMemory(program("waiting.ts"), folder.path) });
			const floor = figureOf(samples.map((sample) => sample.floor)).median;
			return [
				row({
					what: "an agent that waits: memory",
					unit: "bytes",
					measured: figureOf(samples.map(({ ours }) => ours)),
					floor: { name: "a Node that waits", median: floor },
					ratio: figureOf(samples.map(({ ours, floor: least }) => ours / least)).median,
				}),
			];
		},
	},
];
