// What extensions cost at the start, and one that is saved while the agent runs.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openRuntime } from "../../src/runtime.ts";
import { root, Stopwatch, temporaryFolder } from "../child.ts";
import { figureOf } from "../measure.ts";
import { atMost, type Measurement, ms, row } from "../row.ts";

const hookline = join(root, "bin", "hookline");
const many = 100;
const reloads = 60;

const extension = (n: number): string => `import { block, defineExtension } from "hookline";

export default defineExtension((hooks, hookline) => {
	hooks.guard("tool.calling", { name: "g", tool: "terminal" }, ({ args }) => (args.command === "forbidden ${n}" ? block("not that") : undefined));
	hooks.observe("tool.called", { name: "o" }, () => undefined);
	hookline.registerTool({ name: "tool_${n}", description: "Does ${n}.", parameters: { type: "object", properties: {} }, run: () => "${n}" });
});
`;

async function homeWith(folder: string, name: string, extensions: number): Promise<string> {
	const home = join(folder, name);
	await mkdir(join(home, "extensions"), { recursive: true });
	for (let n = 0; n < extensions; n++) await writeFile(join(home, "extensions", `e${n}.ts`), extension(n));
	return home;
}

export const measurements: readonly Measurement[] = [
	{
		about: `${many} extensions`,
		async measure() {
			await using folder = await temporaryFolder();
			const homes = [await homeWith(folder.path, "full", many), await homeWith(folder.path, "empty", 0)];
			await using watch = new Stopwatch(folder.path, { XDG_CACHE_HOME: folder.path });
			const commands = homes.map((home) => ["/usr/bin/env", `HOOKLINE_HOME=${home}`, hookline, "hooks", "list", "--json"]);
			const [full, empty] = await watch.race(commands, 12);
			const above = full!.map(({ wall }, i) => wall - empty![i]!.wall);
			return [row({ what: `${many} extensions with a tool each, above a start without any: wall`, unit: "ns", measured: figureOf(above), floor: { name: "the start without any", median: figureOf(empty!.map(({ wall }) => wall)).median }, budget: atMost(300 * ms) })];
		},
	},
	{
		about: "reload of one extension",
		async measure() {
			await using folder = await temporaryFolder();
			const home = await homeWith(folder.path, "home", many);
			await using runtime = await openRuntime({
				environment: { HOME: home, HOOKLINE_HOME: home },
				cwd: folder.path,
				surface: "test",
				hooks: true,
				reloads: true,
				output: { delta: () => {}, discard: () => {}, message: () => {} },
				warn: (message) => process.stderr.write(`${message}\n`),
				log: () => {},
			});
			const times: number[] = [];
			for (let n = 0; n < reloads; n++) {
				await writeFile(join(home, "extensions/e7.ts"), `${extension(7)}// ${n}\n`);
				const began = process.hrtime.bigint();
				const [done] = await runtime.extensions.reload("e7");
				if (done?.did !== "reloaded") throw new Error(`the reload gave ${JSON.stringify(done)}`);
				times.push(Number(process.hrtime.bigint() - began));
			}
			return [row({ what: `one of ${many} extensions is loaded again`, unit: "ns", measured: figureOf(times), budget: atMost(20 * ms), note: "reading config.yaml and looking at all folders included" })];
		},
	},
];
