// The conversation in a terminal: how soon one can type, and what showing an answer costs. Beside the same conversation line by line.
import { join } from "node:path";
import { LineChild, program, root, temporaryFolder } from "../child.ts";
import { figureOf } from "../measure.ts";
import { atMost, type Measurement, ms, row } from "../row.ts";

interface Talked {
	readonly startWall: number;
	readonly startCpu: number;
	readonly answerWall: number;
	readonly answerCpu: number;
}

/** So many times in turns: in the full view, and line by line. */
async function talk(rounds: number, prompt: string, environment: Readonly<Record<string, string>>): Promise<{ readonly screen: readonly Talked[]; readonly plain: readonly Talked[] }> {
	await using folder = await temporaryFolder();
	await using python = new LineChild("python3", [program("chat.py")], folder.path);
	const env = { PATH: process.env["PATH"] ?? "", HOME: folder.path, LANG: "C.UTF-8", TERM: "xterm-256color", XDG_CACHE_HOME: folder.path, HOOKLINE_HOME: join(folder.path, "home"), ...environment };
	const one = async (args: readonly string[]) => JSON.parse(await python.ask(JSON.stringify({ argv: [join(root, "bin", "hookline"), ...args], env, prompt }))) as Talked;
	const screen: Talked[] = [];
	const plain: Talked[] = [];
	// The first of each fills the compile cache.
	for (let round = -1; round < rounds; round++) {
		for (const [talked, args] of [[screen, []], [plain, ["--plain"]]] as const) {
			const usage = await one(args);
			if (round >= 0) talked.push(usage);
		}
	}
	return { screen, plain };
}

const median = (talked: readonly Talked[], what: keyof Talked) => figureOf(talked.map((usage) => usage[what])).median;

export const measurements: readonly Measurement[] = [
	{
		about: "start of the chat",
		async measure() {
			const { screen, plain } = await talk(9, "", {});
			const floor = (what: keyof Talked) => ({ name: "line by line", median: median(plain, what) });
			return [
				row({ what: "hookline, to the first prompt: wall", unit: "ns", measured: figureOf(screen.map(({ startWall }) => startWall)), floor: floor("startWall"), budget: atMost(250 * ms) }),
				row({ what: "hookline, to the first prompt: CPU", unit: "ns", measured: figureOf(screen.map(({ startCpu }) => startCpu)), floor: floor("startCpu") }),
			];
		},
	},
	{
		about: "an answer of 10,000 tokens in the chat",
		async measure() {
			await using server = new LineChild(process.execPath, [program("stream-server.ts")]);
			const { screen, plain } = await talk(5, "go", { HOOKLINE_MODEL: "openai-compatible:bench", HOOKLINE_BASE_URL: await server.line() });
			const ours = figureOf(screen.map(({ answerCpu }) => answerCpu));
			const shown = figureOf(screen.map(({ answerCpu }, i) => Math.max(0, answerCpu - plain[i]!.answerCpu)));
			return [
				row({ what: "10,000 tokens streamed in 2 s: CPU of all of it", unit: "ns", measured: ours, floor: { name: "line by line", median: median(plain, "answerCpu") }, ratio: ours.median / median(plain, "answerCpu") }),
				row({ what: "10,000 tokens streamed in 2 s: CPU of showing them", unit: "ns", measured: shown, budget: atMost(300 * ms), note: "what the full view costs above plain lines" }),
			];
		},
	},
];
