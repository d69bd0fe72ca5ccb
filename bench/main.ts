// `npm run bench`: one table of what things cost, each beside its floor, its peers and its budget, all from the same run.
//
//   npm run bench -- --only handlers     only the groups and rows whose name holds the word
//   npm run bench -- --json              the rows for a program
//   npm run bench -- --large             a million trace records instead of a hundred thousand
//
// A missed budget is printed as such and is no failure: the exit code is 0 unless the arguments are wrong.
import { fork } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { groups } from "./groups.ts";
import type { Row } from "./row.ts";
import { failedRow, tableHead, tableRow } from "./table.ts";

type Taken = { readonly rows: readonly Row[] } | { readonly why: string };

/** Far beyond what any measurement takes. */
const limitMs = 120_000;

async function main(): Promise<number> {
	const options = optionsOf(process.argv.slice(2));
	if ("mistake" in options) {
		console.error(`bench: ${options.mistake.replace(/\.?$/, ".")} The options are --only WORD, --json and --large.`);
		return 2;
	}
	const { only, json, large } = options;
	const began = performance.now();
	if (!json) console.log(`Hookline bench: ${cpus().length} cores, ${process.platform} ${process.arch}, Node ${process.version}. CPU time unless a row says wall; medians.\n`);
	const all: (Row & { readonly group: string })[] = [];
	const failed: { readonly group: string; readonly what: string; readonly why: string }[] = [];
	let missed = 0;
	for (const [g, group] of groups.entries()) {
		const { measurements } = await group.load();
		let headed = false;
		for (const [m, { about }] of measurements.entries()) {
			if (!`${group.name}: ${about}`.toLowerCase().includes(only)) continue;
			if (!json && !headed) console.log(`— ${group.name} —\n${tableHead}`);
			headed = true;
			const taken = await take(g, m, large);
			if ("why" in taken) failed.push({ group: group.name, what: about, why: taken.why });
			else all.push(...taken.rows.map((row) => ({ group: group.name, ...row })));
			if (!json) console.log("why" in taken ? failedRow(about, taken.why) : taken.rows.map(tableRow).join("\n"));
			if ("rows" in taken) missed += taken.rows.filter(({ met }) => met === false).length;
		}
		if (headed && !json) console.log();
	}
	if (json) console.log(JSON.stringify({ node: process.version, cores: cpus().length, platform: process.platform, rows: all, failed }, undefined, 2));
	else if (all.length + failed.length === 0) console.log(`Nothing here is called '${only}'. The groups are: ${groups.map(({ name }) => name).join(", ")}.`);
	else console.log(summary(all, missed, failed.length, performance.now() - began));
	return 0;
}

function summary(rows: readonly Row[], missed: number, failed: number, tookMs: number): string {
	const budgeted = rows.filter(({ met }) => met !== undefined).length;
	const [load = 0] = loadavg();
	// One of them is the bench itself.
	const busy = load - 1 < cpus().length / 2 ? "" : `\nThe machine was busy with other things (load ${load.toFixed(1)}): ratios hold, absolute figures are too high and so is the number of missed budgets.`;
	return `${budgeted - missed} of ${budgeted} budgets met${failed === 0 ? "" : `, ${failed} not measured`}; ${(tookMs / 1000).toFixed(0)} s.${busy}`;
}

function optionsOf(args: readonly string[]): { readonly only: string; readonly json: boolean; readonly large: boolean } | { readonly mistake: string } {
	try {
		const { values } = parseArgs({ args: [...args], options: { only: { type: "string", default: "" }, json: { type: "boolean", default: false }, large: { type: "boolean", default: false } } });
		return { ...values, only: values.only.toLowerCase() };
	} catch (error) {
		return { mistake: error instanceof Error ? error.message : String(error) };
	}
}

/** Takes one measurement in a process of its own: what one row leaves in the compiler and on the heap must not weigh on the next. */
function take(group: number, place: number, large: boolean): Promise<Taken> {
	return new Promise((resolve) => {
		const args = [String(group), String(place), ...(large ? ["large"] : [])];
		const child = fork(new URL("one.ts", import.meta.url), args, { execArgv: ["--expose-gc", "--disable-warning=ExperimentalWarning"], stdio: ["ignore", "ignore", "pipe", "ipc"] });
		let said = "";
		let taken: Taken | undefined;
		const limit = setTimeout(() => child.kill("SIGKILL"), limitMs);
		child.stderr?.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-10_000)));
		child.once("message", (message) => (taken = message as Taken));
		child.once("close", (code, signal) => {
			clearTimeout(limit);
			resolve(taken ?? { why: whyOf(said) ?? (signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`) });
		});
	});
}

/** The error's own line out of what Node prints of it. */
function whyOf(said: string): string | undefined {
	return /^(?:\w*Error[^\n]*)/m.exec(said)?.[0];
}

process.exitCode = await main();
