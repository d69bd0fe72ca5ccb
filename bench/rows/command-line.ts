// Whole programs, beside a Node that does nothing. Both the time a person waits and what the machine is charged.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root, Stopwatch, temporaryFolder, type Usage } from "../child.ts";
import { figureOf } from "../measure.ts";
import { atMost, type Budget, mb, type Measurement, ms, type Row, row, timesTheFloor } from "../row.ts";

const hookline = join(root, "bin", "hookline");
const emptyNode = [process.execPath, "-e", "0"];

const tenHooks = `import { block, defineExtension, rewrite } from "hookline";

export default defineExtension((hooks) => {
	hooks.transform("turn.starting", () => undefined);
	hooks.transform("tool.calling", (call) => (call.args.path === undefined ? undefined : rewrite({ ...call.args })));
	hooks.transform("tool.returning", (call) => (call.result.text.includes("secret") ? rewrite({ ...call.result, text: "-" }) : undefined));
	hooks.transform("turn.answering", () => undefined);
	hooks.guard("tool.calling", (call) => (call.args.path === "/etc/shadow" ? block("not that file") : undefined));
	hooks.guard("model.calling", () => undefined);
	hooks.guard("input.receiving", () => undefined);
	hooks.wrap("tool.calling", (_, next) => next());
	hooks.observe("tool.called", () => undefined);
	hooks.observe("turn.ended", () => undefined);
});
`;

function against(ours: readonly Usage[], floor: readonly Usage[], what: "wall" | "cpu" | "rss", more: Pick<Row, "what"> & { readonly budget?: Budget; readonly note?: string }): Row {
	const values = (usages: readonly Usage[]) => usages.map((usage) => usage[what]);
	const ratio = figureOf(ours.map((usage, i) => usage[what] / floor[i]![what])).median;
	return row({ ...more, unit: what === "rss" ? "bytes" : "ns", measured: figureOf(values(ours)), floor: { name: "node -e 0", median: figureOf(values(floor)).median }, ratio });
}

export const measurements: readonly Measurement[] = [
	{
		about: "hookline --version",
		async measure() {
			await using folder = await temporaryFolder();
			await using watch = new Stopwatch(folder.path, { XDG_CACHE_HOME: folder.path });
			const [ours, floor] = await watch.race([[hookline, "--version"], emptyNode], 25);
			return [
				against(ours!, floor!, "wall", { what: "hookline --version, wall", budget: timesTheFloor(1.6) }),
				against(ours!, floor!, "cpu", { what: "hookline --version, CPU", budget: timesTheFloor(1.6) }),
			];
		},
	},
	{
		about: "hookline run, one turn, 10 hooks",
		async measure() {
			await using folder = await temporaryFolder();
			const home = join(folder.path, "home");
			await mkdir(join(home, "extensions"), { recursive: true });
			await writeFile(join(home, "extensions", "ten.ts"), tenHooks);
			await writeFile(join(folder.path, "note.txt"), "something to read\n");
			await using watch = new Stopwatch(folder.path, { XDG_CACHE_HOME: folder.path, HOOKLINE_HOME: home });
			const command = [hookline, "run", "--model", "rehearsal", 'CALL read_file {"path":"note.txt"}'];
			const cold = await watch.run(command);
			const [ours, floor] = await watch.race([command, emptyNode], 12);
			return [
				against(ours!, floor!, "cpu", { what: "hookline run, one turn with one tool call, 10 hooks: CPU", budget: atMost(250 * ms), note: `the very first, without a compile cache: ${(cold.cpu / ms).toFixed(0)} ms` }),
				against(ours!, floor!, "wall", { what: "hookline run: wall" }),
				against(ours!, floor!, "rss", { what: "hookline run: most memory", budget: atMost(90 * mb) }),
			];
		},
	},
];
