// Guards in the Python host, beside the least a round trip to a Python child costs and a Python started for each call. Wall time: most of it is waiting.
import { execFile, execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createEngine } from "../../src/engine/engine.ts";
import type { ToolCalling } from "../../src/events/payloads/tool.ts";
import type { HookDefinition } from "../../src/events/registration.ts";
import { pythonHost } from "../../src/hosts/python/host.ts";
import type { LoadedUnit, PythonHost } from "../../src/hosts/python/unit.ts";
import { LineChild, program, temporaryFolder } from "../child.ts";
import { toolCall } from "../handlers.ts";
import { figureOf, quantile } from "../measure.ts";
import { atMost, type Measurement, ms, type Row, row, timesTheFloor, us } from "../row.ts";

// The interpreter itself: on PATH there may be a script that looks for it at each start.
const executable = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();
const content = "x".repeat(900);
const call = (n: number) => ({ ...toolCall(n), toolName: "write_file", args: { path: "notes.md", content } });
const inFlight = 64;

const open = (): PythonHost => pythonHost({ name: "bench", python: { executable }, services: {}, log: (_, line) => console.error(line), onStray: ({ message }) => console.error(message) });
const load = (host: PythonHost, isAsync = false): Promise<LoadedUnit> => host.load({ name: "guard", loader: program("python-guard.py"), settings: { async: isAsync } });

function guardOf(unit: LoadedUnit, id: number): HookDefinition {
	return {
		event: "tool.calling",
		stage: "guard",
		options: { name: `judge-${id}` },
		handler: async (payload, { signal }) => void (await unit.call(id, { payload: { ...(payload as ToolCalling) }, timeoutMs: 30_000, signal })),
		source: { extension: "bench", trust: "user", dialect: "native", rank: 1 },
		host: "python",
	};
}

async function timed(times: number, work: (n: number) => unknown): Promise<number[]> {
	const taken: number[] = [];
	for (let n = 0; n < times; n++) {
		const began = performance.now();
		await work(n);
		taken.push((performance.now() - began) * ms);
	}
	return taken;
}

const middle = (samples: readonly number[], part = 0.5): number => quantile(samples.toSorted((a, b) => a - b), part);

async function oneByOne(): Promise<readonly Row[]> {
	await using host = open();
	const unit = await load(host, true);
	const engines = [0, 1].map((id) => {
		const engine = createEngine();
		engine.register([guardOf(unit, id)]);
		return engine;
	});
	await using child = new LineChild(executable, [program("line-child.py")]);
	const line = JSON.stringify(call(1));
	const [plain, later, bare, started]: number[][] = [[], [], [], []];
	for (let round = -5; round < 20; round++) {
		const samples = [
			await timed(100, (n) => engines[0]!.dispatch("tool.calling", call(n))),
			await timed(100, (n) => engines[1]!.dispatch("tool.calling", call(n))),
			await timed(100, () => child.ask(line)),
			await timed(1, () => promisify(execFile)(executable, ["-c", "pass"])),
		];
		if (round < 0) continue;
		for (const [i, list] of [plain!, later!, bare!, started!].entries()) list.push(middle(samples[i]!));
	}
	const floor = { name: "line to a Python child and back", median: figureOf(bare!).median };
	const peers = [{ name: "a python3 for each call", median: figureOf(started!).median }];
	const ratioOf = (list: readonly number[]) => figureOf(list.map((value, i) => value / bare![i]!)).median;
	return [
		row({ what: "guard in the Python host, 1 KB: p50, wall", unit: "ns", measured: figureOf(plain!), floor, peers, ratio: ratioOf(plain!), budget: atMost(0.15 * ms) }),
		row({ what: "the same, a coroutine", unit: "ns", measured: figureOf(later!), floor, ratio: ratioOf(later!) }),
	];
}

async function together(): Promise<readonly Row[]> {
	await using host = open();
	const unit = await load(host, true);
	const { signal } = new AbortController();
	const payload = { ...call(1) };
	const perCall = async (id: number): Promise<number> => {
		const calls = 20_000;
		let left = calls;
		const began = performance.now();
		await Promise.all(
			Array.from({ length: inFlight }, async () => {
				while (left-- > 0) await unit.call(id, { payload, timeoutMs: 30_000, signal });
			}),
		);
		return ((performance.now() - began) * ms) / calls;
	};
	const figures: number[][] = [[], []];
	for (let round = -2; round < 7; round++) for (const id of [0, 1]) (round < 0 ? [] : figures[id]!).push(await perCall(id));
	return [
		row({ what: `Python host, 1 KB, ${inFlight} in flight: per call`, unit: "ns", measured: figureOf(figures[0]!), budget: atMost(20 * us), note: "50,000 calls a second are 20 µs each" }),
		row({ what: "the same, coroutines", unit: "ns", measured: figureOf(figures[1]!) }),
	];
}

async function firstCall(): Promise<readonly Row[]> {
	const first = async () => {
		const began = performance.now();
		const host = open();
		await (await load(host)).call(0, { payload: { ...call(1) }, timeoutMs: 30_000, signal: new AbortController().signal });
		const took = (performance.now() - began) * ms;
		await host[Symbol.asyncDispose]();
		return took;
	};
	const ours: number[] = [];
	const least: number[] = [];
	for (let round = -2; round < 25; round++) {
		const [mine, [pass = 0]] = [await first(), await timed(1, () => promisify(execFile)(executable, ["-c", "pass"]))];
		if (round < 0) continue;
		ours.push(mine);
		least.push(pass);
	}
	const ratio = figureOf(ours.map((value, i) => value / least[i]!)).median;
	return [row({ what: "Python host: start, load, first call, wall", unit: "ns", measured: figureOf(ours), floor: { name: "python3 -c pass", median: figureOf(least).median }, ratio, budget: timesTheFloor(1.5) })];
}

async function manyUnits(): Promise<readonly Row[]> {
	await using folder = await temporaryFolder();
	const loader = join(folder.path, "loader.py");
	await writeFile(loader, "def load(unit, host):\n    unit.register(unit.import_file(unit.settings['file']).guard, {})\n");
	const body = Array.from({ length: 40 }, (_, n) => `def step_${n}(value):\n    """One of many."""\n    return value if value else {'n': ${n}}\n`).join("\n\n");
	for (let n = 0; n < 100; n++) {
		await mkdir(join(folder.path, `plugin-${n}`));
		await writeFile(join(folder.path, `plugin-${n}/__init__.py`), `import json\nimport os\n\n\n${body}\n\ndef guard(payload):\n    return None\n`);
	}
	const taken: number[] = [];
	for (let round = 0; round < 5; round++) {
		await using host = open();
		const began = performance.now();
		await Promise.all(Array.from({ length: 100 }, (_, n) => host.load({ name: `plugin-${n}`, loader, settings: { file: join(folder.path, `plugin-${n}/__init__.py`) } })));
		taken.push((performance.now() - began) * ms);
	}
	return [row({ what: "Python host: 100 plugins loaded, wall", unit: "ns", measured: figureOf(taken), budget: atMost(1000 * ms) })];
}

export const measurements: readonly Measurement[] = [
	{ about: "a guard in the Python host, 1 KB", measure: oneByOne },
	{ about: "the Python host, 64 in flight", measure: together },
	{ about: "the Python host's first call", measure: firstCall },
	{ about: "the Python host, 100 plugins", measure: manyUnits },
];
